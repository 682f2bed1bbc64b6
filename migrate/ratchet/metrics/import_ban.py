"""Metric `import-ban`: imports of modules or names that code has moved away from, in every form that a literal shows.

Counted a file: `import m`, `from m import n`, `from parent import m`, relative forms, `import_module("m")`, string
targets such as `"m.n"` and `"m:n"`, and dotted use through an imported parent (`parent.m.n`). What is put together at run
time is not seen here; the metric `references` reads those.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from ..keys import Key
from .base import Reading, Scope

_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?::[A-Za-z_][\w.]*)?")


class ImportBan:
    """Counts the imports of banned names in each file."""

    id = "import-ban"
    summary = "imports of banned modules and names, string targets included"
    default_cap: int | None = 0
    by_file = True

    def needs(self) -> Sequence[str]:
        """The banned modules and names."""
        return ("names",)

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a file and banned name."""
        files = [path for path in scope.paths if path.endswith((".py", ".pyi"))]
        scope.tree.preload(files)
        found: dict[Key, Reading] = {}
        for path in files:
            content = scope.tree.read(path)
            banned = [name for name in scope.rule.names if _may_name(content, name)]
            if banned:
                found.update(_in_file(self.id, path, content, banned, _package(path, scope.tree.import_roots)))
        return found

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """The first Python file, with one import more."""
        files = [path for path in scope.paths if path.endswith(".py")]
        if not files or not scope.rule.names:
            return {}
        line = f'\n__import__("{scope.rule.names[0]}")\n'
        return {files[0]: scope.tree.read(files[0]) + line.encode() * (scope.limit + 1)}


def _may_name(content: bytes, name: str) -> bool:
    # The last part is there in every form but a star import, which names the module before it.
    return any(part.encode() in content for part in name.split(".")[-2:])


def _package(path: str, roots: Sequence[str]) -> str:
    root = max((root for root in roots if path.startswith(root)), key=len, default="")
    return path[len(root) :].rpartition("/")[0].replace("/", ".")


def _in_file(metric: str, path: str, content: bytes, banned: Sequence[str], package: str) -> dict[Key, Reading]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        # Code for another Python, perhaps: it is not passed over, but read as a text.
        return {Key(metric, path, name): reading for name in banned if (reading := _in_text(path, content, name))}
    found: dict[Key, Reading] = {}
    for line, name in sorted(_named(tree, package)):
        for target in (target for target in banned if _reaches(name, target)):
            key = Key(metric, path, target)
            first = found.get(key, Reading(0, path, line))
            found[key] = Reading(first.value + 1, path, first.line)
    return found


def _in_text(path: str, content: bytes, name: str) -> Reading | None:
    """How often a text names a banned name, in full or as `from parent import name`."""
    parent, _, last = name.rpartition(".")
    forms = [rf"(?<![\w.]){re.escape(name)}(?!\w)"]
    if parent:
        forms.append(rf"\bfrom\s+{re.escape(parent)}\s+import\b[^\n]*\b{re.escape(last)}\b")
    places = [found.start() for form in forms for found in re.finditer(form.encode(), content)]
    return Reading(len(places), path, content.count(b"\n", 0, min(places)) + 1) if places else None


def _reaches(name: str, target: str) -> bool:
    """Whether an imported name is the banned one, inside it, or a star that brings it."""
    return name == target or name.startswith(f"{target}.") or (name.endswith(".*") and target.startswith(name[:-1]))


def _named(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    """Every dotted name that the file imports, reaches through an import, or holds as a string, with its line."""
    bound: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{module}.{alias.name}"
                yield node.lineno, f"{module}.{alias.name}"
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in inner and (name := _through(node, bound)):
            yield node.lineno, name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _TARGET.fullmatch(node.value):
            yield node.lineno, node.value.replace(":", ".")
        elif isinstance(node, ast.Call) and (name := _looked_up(node, package)):
            yield node.lineno, name


def _looked_up(node: ast.Call, package: str) -> str | None:
    """The module that `import_module(".name", package)` imports; an absolute one is seen as a string already."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called != "import_module" or not node.args:
        return None
    given = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "package")]
    match node.args[0], given:
        case ast.Constant(value=str(name)), [ast.Constant(value=str(base))] if name.startswith("."):
            pass
        case ast.Constant(value=str(name)), [ast.Name(id="__package__")] if name.startswith("."):
            base = package
        case _:
            return None
    level = len(name) - len(name.lstrip("."))
    parts = base.split(".") if base else []
    return ".".join([*parts[: len(parts) - (level - 1)], *filter(None, name[level:].split("."))])


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _through(node: ast.Attribute, bound: Mapping[str, str]) -> str | None:
    """The dotted name of `a.b.c` where `import a` or `import a.b` bound `a`; not where a name itself was imported."""
    parts: list[str] = []
    at: ast.expr = node
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name) or at.id not in bound:
        return None
    return ".".join([bound[at.id], *reversed(parts)])

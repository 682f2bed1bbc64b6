"""Is a path or a definition there? What the metric `absent` counts and what `when-absent` waits for. Reads, never imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ..trees import Tree

_COMPILED = (".so", ".pyd", ".pyc")

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def find(tree: Tree, name: str) -> tuple[str, int] | None:
    """Where `name` is, as (path, line), or None where it is absent.

    A name with a slash or a file's suffix is a path (a file or a folder). A dotted name is a module, or a class or
    function that is *defined* there: an import, an alias or an assignment under that name does not count (`returning.py`
    follows those), and neither does a module that is nothing but a shim of another one. A bare name is a module, or a class or function of that name at the
    top of any Python file.
    """
    if "/" in name or name.endswith((".py", ".pyi")):
        own = name.rstrip("/")
        there = (path for path in sorted(tree.paths | tree.opaque) if path == own or path.startswith(f"{own}/"))
        return next(((path, 1) for path in there), None)
    if hidden := _hidden(tree, name):
        return hidden, 1
    if "." in name or module_file(tree, name):
        return _dotted(tree, name)
    return _anywhere(tree, name)


def module_file(tree: Tree, module: str) -> str | None:
    """The file that a module is imported from, or None."""
    return next(module_files(tree, module), None)


def module_files(tree: Tree, module: str) -> Iterator[str]:
    """Every file that a module may be imported from, the one that is found first to begin with."""
    # A package comes before a module of its name, as in Python's own search.
    relative = module.replace(".", "/")
    places = [f"{root}{relative}{end}" for root in tree.import_roots for end in ("/__init__.py", ".py")]
    found = [place for place in places if place in tree.paths]
    stubs = (f"{root}{relative}.pyi" for root in tree.import_roots)
    return iter(found or [place for place in stubs if place in tree.paths])


def _hidden(tree: Tree, name: str) -> str | None:
    """What would be imported for a dotted name, or for a part of it, before any source: a link, a submodule, compiled code."""
    parts = name.split(".")
    modules = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    home = next((path for end in range(len(parts), 0, -1) if (path := module_file(tree, ".".join(parts[:end])))), None)
    for root in tree.import_roots:
        places = {f"{root}{module}{end}" for module in modules for end in ("", ".py", "/__init__.py")}
        if opaque := sorted(places & tree.opaque):
            return opaque[0]
        starts = tuple(f"{root}{module}." for module in modules)
        compiled = (path for path in tree.paths if path.endswith(_COMPILED) and path.startswith(starts))
        if found := min(compiled, default=None):
            return found
        if home is not None and home.startswith(root):
            return None
    return None


def _dotted(tree: Tree, name: str) -> tuple[str, int] | None:
    if (path := module_file(tree, name)) and not is_shim(tree, path):
        return path, 1
    module, _, inner = name.rpartition(".")
    while module:
        # All of them: which one is imported depends on folders that a configuration can name in any order.
        if paths := list(module_files(tree, module)):
            found = ((path, defined(tree.read(path), inner.split("."))) for path in paths)
            return next(((path, line) for path, line in found if line), None)
        module, _, head = module.rpartition(".")
        inner = f"{head}.{inner}"
    return None


def is_shim(tree: Tree, path: str) -> bool:
    """Whether a module only passes on what others define: a docstring, imports from other modules, `__all__`.

    A package is none while it has other modules in it, and neither is an empty file.
    """
    if path.endswith("/__init__.py"):
        folder = path.removesuffix("__init__.py")
        if any(other.startswith(folder) and other != path for other in tree.paths):
            return False
    try:
        body = ast.parse(tree.read(path)).body
    except (SyntaxError, ValueError, RecursionError):
        return False
    return bool(body) and all(_passes_on(node) for node in body)


def _passes_on(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _anywhere(tree: Tree, name: str) -> tuple[str, int] | None:
    files = sorted(path for path in tree.paths if path.endswith((".py", ".pyi")))
    tree.preload(files)
    found = ((path, defined(tree.read(path), [name])) for path in files)
    return next(((path, line) for path, line in found if line), None)


def defined(content: bytes, parts: list[str]) -> int | None:
    """The line where a class or function is defined by its qualified name, also under `if` and `try`; None if nowhere."""
    if parts[-1].encode() not in content and _is_plain(content):
        return None
    try:
        body: Iterable[ast.stmt] = ast.parse(content).body
    except (SyntaxError, ValueError, RecursionError):
        # Code for another Python, perhaps: it is not passed over, but read as a text.
        word = re.search(
            rb"(?m)^[ \t\f]*(?:class|def|async[ \t]+def)[ \t]+%s\b" % re.escape(parts[-1].encode()), content
        )
        return content.count(b"\n", 0, word.end()) + 1 if word else None
    line = None
    for part in parts:
        found = next((node for node in _statements(body) if isinstance(node, Definition) and node.name == part), None)
        if found is None:
            return None
        body, line = found.body, found.lineno
    return line


def _is_plain(content: bytes) -> bool:
    """Whether names stand in a source as they are: other encodings and other forms of a letter write them otherwise."""
    return content.isascii() and b"coding" not in content[:200]


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if not isinstance(node, Definition):
            for field in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, field, ()))
            for block in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _statements(block.body)

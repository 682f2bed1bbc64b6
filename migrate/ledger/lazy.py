"""Names that a module loads when they are first asked for: maps of names to modules, and a module's `__getattr__`.

The forms in use: {"X": "pkg.mod"}, {"X": ("pkg.mod", "X")}, {"X": "pkg.mod:X"}, {"mod": ["X"]}, `lazy.attach`, and
`if name == "X": from .mod import X`. A map counts only in a module that defines `__getattr__` or calls a lazy loader.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .bindings import imported
from .layout import absolute


def lazy_names(tree: ast.Module, module: str, package: str) -> dict[str, str]:
    """The lazily loaded names of a module, each with the absolute dotted name that it stands for."""
    found: dict[str, str] = {}
    hook = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"), None)
    if hook is not None:
        found.update(_imported_in(hook, package))
    if hook is not None or _has_loader(tree):
        for entries in _maps(tree):
            found.update(_mapped(entries, module, package))
    return found


@dataclass(frozen=True)
class Entry:
    """An entry of a lazy-export map: the string that names the module, and the one by which the name is looked up there."""

    module: ast.Constant
    name: ast.Constant


def entry_at(parents: Mapping[ast.AST, ast.AST], node: ast.AST) -> Entry | None:
    """The entry whose name is looked up by the string `node`: `{"X": "pkg.mod"}` by its key, `{"X": ("pkg.mod", "Y")}`."""
    parent = parents.get(node)
    if not isinstance(node, ast.Constant):
        return None
    match parent:
        case ast.Dict(keys=keys, values=values) if node in keys:
            value = values[keys.index(node)]
            is_module = isinstance(value, ast.Constant) and isinstance(value.value, str) and ":" not in value.value
            return Entry(value, node) if is_module and isinstance(value, ast.Constant) else None
        case ast.Tuple(elts=[ast.Constant(value=str()) as module, second, *_]) if second is node:
            return Entry(module, node) if isinstance(parents.get(parent), ast.Dict) else None
    return None


def asks_for(entry: Entry, package: str) -> str:
    """The dotted name that an entry stands for."""
    path, name = str(entry.module.value), str(entry.name.value)
    return f"{_relative(path, package)}.{name}"


def strings_in(node: ast.AST) -> Iterator[str]:
    """The values of the string constants in an expression."""
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def _has_loader(tree: ast.Module) -> bool:
    for node in tree.body:
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if "lazy" in name.lower() or name == "attach":
                return True
    return False


def _imported_in(hook: ast.FunctionDef, package: str) -> dict[str, str]:
    """What the imports in `__getattr__` give; under an `if name == "K"`, the import stands for K."""
    found: dict[str, str] = {}
    for node in ast.walk(hook):
        if isinstance(node, ast.If) and (keys := _compared(node.test)):
            for inner in node.body:
                for child in ast.walk(inner):
                    if isinstance(child, ast.ImportFrom):
                        for _, binding, alias in imported(child, package):
                            for key in keys if len(child.names) == 1 else [alias.name]:
                                found[key] = binding.target
    return found


def _compared(test: ast.expr) -> list[str]:
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.In)):
        return list(strings_in(test))
    return []


def _maps(tree: ast.Module) -> Iterator[ast.Dict]:
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)) and node.value is not None:
            for child in ast.walk(node.value):
                if isinstance(child, ast.Dict):
                    yield child


def _mapped(entries: ast.Dict, module: str, package: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in zip(entries.keys, entries.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            continue
        match value:
            case ast.List() | ast.Set():
                origin = _relative(key.value if key.value.startswith(".") else f".{key.value}", package or module)
                found.update({text: f"{origin}.{text}" for text in strings_in(value)})
            case ast.Constant(value=str(path)):
                found[key.value] = _target(key.value, _relative(path, package or module))
            case ast.Tuple(elts=[ast.Constant(value=str(path)), ast.Constant(value=str(name)), *_]):
                found[key.value] = f"{_relative(path, package or module)}.{name}"
    return found


def _target(key: str, path: str) -> str:
    if ":" in path:
        return path.replace(":", ".")
    return path if path.rpartition(".")[2] == key else f"{path}.{key}"


def _relative(path: str, package: str) -> str:
    stripped = path.lstrip(".")
    return absolute(stripped, len(path) - len(stripped), package)

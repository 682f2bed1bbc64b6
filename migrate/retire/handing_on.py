"""Who gets hold of a class by its mere definition: a decorator, a metaclass, a base's `__init_subclass__`.

No reference says so: a registry that is filled like that finds the class under a key. Bases are followed through the code
base, the standard library and installed packages; one that cannot be read counts. Reads, never imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .bases import Bases, Unknown

if TYPE_CHECKING:
    from ..ratchet.trees import Tree

HARMLESS = frozenset(
    {
        *("dataclass", "final", "total_ordering", "runtime_checkable", "deprecated", "dataclass_transform", "overload"),
        *("cache", "lru_cache", "wraps", "contextmanager", "asynccontextmanager", "override", "no_type_check"),
    }
)
"""Decorators of the standard library (and of attrs) that keep nothing: `@dataclass`, `@functools.total_ordering` …"""

HARMLESS_METACLASSES = frozenset({"type", "ABCMeta", "EnumMeta", "EnumType", "_ProtocolMeta", "ModelMetaclass"})


def handed_on(tree: Tree, path: str, definition: ast.stmt) -> list[str]:
    """Each way in which a definition hands itself on, with its place; empty for a function or class that does not."""
    found = [
        f"{path}:{node.lineno}: @{ast.unparse(node)}"
        for node in getattr(definition, "decorator_list", ())
        if _name(node) not in HARMLESS
    ]
    if isinstance(definition, ast.ClassDef):
        found += [f"{path}:{definition.lineno}: {told}" for told in _by_inheritance(tree, path, definition)]
    return found


def _by_inheritance(tree: Tree, path: str, definition: ast.ClassDef) -> Iterator[str]:
    for keyword in definition.keywords:
        if not (keyword.arg == "metaclass" and _name(keyword.value) in HARMLESS_METACLASSES):
            yield f"class {definition.name}({ast.unparse(keyword)})"
    bases = Bases(tree)
    for found in bases.of(bases.module(path), definition):
        if isinstance(found, Unknown):
            yield from _by_name(tree, found)
        elif _hands_on(found.definition):
            yield f"{found.name} has an __init_subclass__ or a metaclass of its own"
        elif asked := _asked_for_subclasses(tree, found.definition.name):
            yield f"{found.name} is asked for its __subclasses__ in {asked}"


def _by_name(tree: Tree, base: Unknown) -> Iterator[str]:
    """A base that no import explains may be any class of its name; without one, nobody knows what it does."""
    last = base.name.rpartition(".")[2]
    named = [node for content in _files_with(tree, last) for node in _classes(content, last)]
    if any(map(_hands_on, named)):
        yield f"{last} has an __init_subclass__ or a metaclass of its own"
    elif not named:
        yield f"{base.name} may have an __init_subclass__ or a metaclass: {base.why}"


def _files_with(tree: Tree, name: str) -> Iterator[bytes]:
    for path in sorted(path for path in tree.paths if path.endswith(".py")):
        content = tree.read(path)
        if b"class " + name.encode() in content:
            yield content


def _classes(content: bytes, name: str) -> list[ast.ClassDef]:
    try:
        body = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(body) if isinstance(node, ast.ClassDef) and node.name == name]


def _hands_on(definition: ast.ClassDef) -> bool:
    names = {node.name for node in definition.body if isinstance(node, ast.FunctionDef)}
    names |= {_name(target) for node in definition.body if isinstance(node, ast.Assign) for target in node.targets}
    metaclasses = (_name(word.value) for word in definition.keywords if word.arg == "metaclass")
    return "__init_subclass__" in names or any(name not in HARMLESS_METACLASSES for name in metaclasses)


def _asked_for_subclasses(tree: Tree, name: str) -> str | None:
    """The first file that asks a base of this name which classes inherit from it."""
    asks = re.compile(rb"\b%s\s*\.\s*__subclasses__" % re.escape(name.encode()))
    return next((path for path in sorted(tree.paths) if path.endswith(".py") and asks.search(tree.read(path))), None)


def _name(node: ast.expr) -> str:
    """The last name of `a.b.c`, `a.b.c(…)` or `a.b.c[…]`."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""

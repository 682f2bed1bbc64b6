"""Who gets hold of a class by its mere definition: a decorator, a metaclass, a base's `__init_subclass__`.

No reference says so: a registry that is filled like that finds the class under a key. Reads, never imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ratchet.trees import Tree

HARMLESS = frozenset(
    {
        *("dataclass", "final", "total_ordering", "runtime_checkable", "deprecated", "dataclass_transform", "overload"),
        *("cache", "lru_cache", "wraps", "contextmanager", "asynccontextmanager", "override", "no_type_check"),
    }
)
"""Decorators of the standard library (and of attrs) that keep nothing: `@dataclass`, `@functools.total_ordering` …"""


def handed_on(tree: Tree, path: str, definition: ast.stmt) -> list[str]:
    """Each way in which a definition hands itself on, with its place; empty for a function or class that does not."""
    found = [
        f"{path}:{node.lineno}: @{ast.unparse(node)}"
        for node in getattr(definition, "decorator_list", ())
        if _name(node) not in HARMLESS
    ]
    if isinstance(definition, ast.ClassDef):
        found += [f"{path}:{definition.lineno}: {told}" for told in _by_inheritance(tree, definition)]
    return found


def _by_inheritance(tree: Tree, definition: ast.ClassDef) -> Iterator[str]:
    for keyword in definition.keywords:
        if not (keyword.arg == "metaclass" and _name(keyword.value) == "ABCMeta"):
            yield f"class {definition.name}({ast.unparse(keyword)})"
    for base in definition.bases:
        name = _name(base)
        if name and any(_hands_on(content, name) for content in _files_with(tree, name)):
            yield f"{name} has an __init_subclass__ or a metaclass of its own"


def _files_with(tree: Tree, name: str) -> Iterator[bytes]:
    for path in sorted(path for path in tree.paths if path.endswith(".py")):
        content = tree.read(path)
        if b"class " + name.encode() in content and (b"__init_subclass__" in content or b"metaclass" in content):
            yield content


def _hands_on(content: bytes, name: str) -> bool:
    try:
        body = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return bool(re.search(rb"class %s\b" % re.escape(name.encode()), content))
    for node in ast.walk(body):
        if isinstance(node, ast.ClassDef) and node.name == name:
            hook = any(isinstance(item, ast.FunctionDef) and item.name == "__init_subclass__" for item in node.body)
            if hook or any(word.arg == "metaclass" and _name(word.value) != "ABCMeta" for word in node.keywords):
                return True
    return False


def _name(node: ast.expr) -> str:
    """The last name of `a.b.c`, `a.b.c(…)` or `a.b.c[…]`."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""

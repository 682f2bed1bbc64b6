"""What a project's plugin module offers, read from its source: a command imports only the modules that it needs.

Nothing is imported here. Where the source does not say for sure, the module counts as needed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from .project import Project

PREFIX = "graphlift_"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_source(project: Project, name: str) -> Path | None:
    """The file of a project's own module, None where no source root has it."""
    relative = name.replace(".", "/")
    for folder in project.source_roots:
        for candidate in (folder / f"{relative}.py", folder / relative / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def may_offer(project: Project, name: str, hooks: Collection[str], known: Collection[str]) -> bool:
    """Whether the module may implement one of `hooks`, or something that is not among the `known` ones.

    A misspelt hook is reported by every command, so that a module with one is needed by every command.
    """
    source = find_source(project, name)
    if source is None:
        return True
    try:
        tree = ast.parse(source.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return True
    names = _bound_names(tree)
    offered = {item for item in names if item.startswith(PREFIX)}
    unsure = "*" in names or not offered.issubset(known) or _has_other_name(tree)
    return unsure or not offered.isdisjoint(hooks)


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that functions, assignments and imports bind, at any depth; "*" for a star import."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _has_other_name(tree: ast.Module) -> bool:
    """Whether a function is marked as a hook under a name without the prefix: misspelt, or given by `specname`."""
    return any(
        not node.name.startswith(PREFIX) and any(map(_is_hookimpl, node.decorator_list))
        for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS)
    ) or any(isinstance(node, ast.keyword) and node.arg == "specname" for node in ast.walk(tree))


def _is_hookimpl(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return "hookimpl" in (getattr(called, "id", ""), getattr(called, "attr", ""))

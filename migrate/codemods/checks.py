"""Is a changed file as sound as it was? Asked before a plan is made, and again of what was written.

It must parse, have scopes that the compiler accepts, use no name that nothing binds (unless it did before), and use every
new import; one from this code base must name something that is there. Nothing is imported: all of it is read from sources.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..ledger.model import IMPORT, MODULE_IMPORT, RE_EXPORT, STRING_ANNOTATION
from ..ledger.text import UnreadableError
from .imports import NewImport
from .names import Names
from .source import Source, UnreadableSourceError

if TYPE_CHECKING:
    from ..edits import FileChange
    from .file import File
    from .workspace import Workspace

MODULE_NAMES = frozenset({
    "__file__", "__name__", "__doc__", "__spec__", "__package__", "__path__", "__loader__", "__builtins__",
    "__annotations__", "__dict__", "__cached__", "__qualname__", "__module__", "__class__", "WindowsError",
})  # fmt: skip

IMPORTS = frozenset({IMPORT, MODULE_IMPORT, RE_EXPORT})


def problem(file: File, change: FileChange) -> str | None:
    """Why the changed file must not be written, or None. Only Python is looked at."""
    if not file.is_python or change.after is None:
        return None
    try:
        after = Source(change.after)
        names = Names.of(after.text)
    except (UnreadableSourceError, UnreadableError, SyntaxError, ValueError) as error:
        return f"the result does not compile: {error}"
    if lost := undefined(after, names) - undefined(file.source, file.names):
        return f"the result uses names that nothing binds: {', '.join(sorted(lost))}"
    if idle := unused(file, names):
        return f"the result imports names that it does not use: {', '.join(sorted(idle))}"
    for rewrite in file.rewrites.values():
        if rewrite.need and (reason := unresolved(file.workspace, rewrite.need)):
            return reason
    return None


def undefined(source: Source, names: Names) -> frozenset[str]:
    """The names that a module reads and that neither it nor Python binds; none where a star import may bind them.

    A name counts as bound wherever the module binds it, also where that runs too late, or where `del` takes it away.
    """
    if any(isinstance(node, ast.alias) and node.name == "*" for node in source.nodes):
        return frozenset()
    return names.used - names.bound - MODULE_NAMES - set(dir(builtins))


def unused(file: File, names: Names) -> frozenset[str]:
    """The names that were imported for an expression and that the result does not read. What only a string says is unseen."""
    rewrites = file.rewrites.values()
    unseen = {rewrite.need for rewrite in rewrites if rewrite.reference.role == STRING_ANNOTATION}
    needs = {rewrite.need for rewrite in rewrites if rewrite.reference.role not in IMPORTS and rewrite.edits}
    return frozenset(need.bound for need in needs - unseen if need and need.bound not in names.mentioned)


def unresolved(workspace: Workspace, need: NewImport) -> str | None:
    """Why a new import cannot work, or None; a module that is not of this code base is taken as it is."""
    path = workspace.path_of(need.module)
    if path is None:
        top = need.module.partition(".")[0]
        inside = workspace.path_of(top) is not None and need.module != top
        return f"there is no module {need.module} in this code base" if inside else None
    if workspace.path_of(need.target):
        return None
    try:
        tree = workspace.tree(path)
    except UnreadableSourceError as error:
        return f"{path} cannot be read: {error}"
    return None if binds(tree, need.name) else f"{path} has no {need.name}"


def binds(tree: ast.Module, name: str) -> bool:
    """Whether a module binds a name, or may: by a star import or a module `__getattr__`.

    What a function or a class binds for itself (a method, a local import) cannot be imported, so it does not count.
    """
    for node in _of_the_module(tree):
        match node:
            case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) | ast.ClassDef(name=found):
                if found == name or (found == "__getattr__" and node in tree.body):
                    return True
            case ast.alias(name=found, asname=asname) if "*" in found or (asname or found.partition(".")[0]) == name:
                return True
            case ast.Name(id=found, ctx=ast.Store()) if found == name:
                return True
            case ast.Global(names=names) if name in names:
                return True
    return False


def _of_the_module(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes in the module's own scope, and every `global` statement, which binds there from inside a function."""
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Global))
    left: list[ast.AST] = [*tree.body]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            left.extend(ast.iter_child_nodes(node))

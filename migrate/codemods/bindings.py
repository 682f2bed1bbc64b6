"""How names are bound in one file: by which statements, in which scope. Syntax only; what they refer to is the ledger's.

It answers what an edit has to know of a binding: the import statements that could have bound a name where it is used,
and whether anything else binds the same name there.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..ledger.bindings import loaded
from .imports import ImportStatement
from .source import Source

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(frozen=True)
class ImportBinding:
    """One name of an import statement, and the scope that it binds it in."""

    statement: ImportStatement
    alias: ast.alias
    scope: ast.AST

    @property
    def bound(self) -> str:
        """The name that it binds: for `import a.b` that is `a`."""
        if self.alias.asname:
            return self.alias.asname
        return self.alias.name.partition(".")[0] if isinstance(self.statement, ast.Import) else self.alias.name


class Bindings:
    """The bindings of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def scope_of(self, node: ast.AST) -> ast.AST:
        """The innermost function, class, lambda or module whose names `node` sees."""
        return next(self._scopes_around(node))

    def _scopes_around(self, node: ast.AST) -> Iterator[ast.AST]:
        child = node
        for parent in self._source.ancestors(node):
            # Decorators, defaults, annotations and bases are evaluated outside of what they belong to.
            if isinstance(parent, SCOPES) and (
                parent.body is child or (isinstance(parent.body, list) and child in parent.body)
            ):
                yield parent
            child = parent
        yield self._source.tree

    @cached_property
    def imports(self) -> tuple[ImportBinding, ...]:
        """Every name that an import statement binds, in the order of the file; stars too."""
        found = [node for node in self._source.nodes if isinstance(node, ImportStatement)]
        found.sort(key=self._source.span)
        return tuple(ImportBinding(node, alias, self.scope_of(node)) for node in found for alias in node.names)

    @cached_property
    def _others(self) -> dict[str, list[ast.AST]]:
        """What binds a name otherwise: the node, by name."""
        found: dict[str, list[ast.AST]] = defaultdict(list)
        for node in self._source.nodes:
            for name in _bound_by(node):
                found[name].append(node)
        return found

    def importing(self, name: str, node: ast.AST) -> tuple[ImportBinding, ...]:
        """The imports that bind `name` as `node` sees it: those of the innermost scope around it that has any."""
        candidates = [binding for binding in self.imports if binding.bound == name]
        for scope in self.visible(node):
            if inner := tuple(binding for binding in candidates if binding.scope is scope):
                return inner
        return ()

    def stars(self) -> tuple[ImportBinding, ...]:
        """The star imports of the module."""
        return tuple(binding for binding in self.imports if binding.alias.name == "*")

    def visible(self, node: ast.AST) -> Iterator[ast.AST]:
        """The scopes whose names `node` sees, innermost first."""
        direct = True
        for scope in self._scopes_around(node):
            # A class body's names are seen in the body itself only.
            if direct or not isinstance(scope, ast.ClassDef):
                yield scope
            direct = False

    def bound_otherwise(self, name: str, scope: ast.AST) -> bool:
        """Whether something that is no import binds `name` in `scope` itself, or declares it global."""
        return any(
            isinstance(node, ast.Global) or self._binding_scope(node) is scope for node in self._others.get(name, ())
        )

    def is_loaded(self, name: str, node: ast.AST) -> bool:
        """Whether `name`, as `node` sees it, is bound once, to a module that is loaded by a constant string."""
        for scope in self.visible(node):
            found = [each for each in self._others.get(name, ()) if self._binding_scope(each) is scope]
            if found:
                parent = self._source.parents[found[0]]
                return len(found) == 1 and isinstance(parent, ast.Assign) and bool(loaded(parent.value))
        return False

    def binds(self, name: str, scope: ast.AST) -> bool:
        """Whether anything binds `name` in `scope` itself."""
        return self.bound_otherwise(name, scope) or any(
            binding.bound == name and binding.scope is scope for binding in self.imports
        )

    def is_shadowed(self, node: ast.Name, binding: ImportBinding) -> bool:
        """Whether a scope between `node` and the import binds the import's name to something else."""
        for scope in self.visible(node):
            if scope is binding.scope:
                return False
            if self.bound_otherwise(node.id, scope):
                return True
        return False

    def _binding_scope(self, node: ast.AST) -> ast.AST:
        for parent in self._source.ancestors(node):
            if isinstance(parent, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                return parent
            if isinstance(parent, ast.arguments):
                return self._source.parents[parent]
            if isinstance(parent, SCOPES):
                break
        return self.scope_of(node)

    def anything_else_binds(self, name: str) -> bool:
        """Whether `name` is bound in any scope by something other than `import name` or `import name.more`."""
        return name in self._others or any(
            binding.bound == name and (binding.alias.asname or isinstance(binding.statement, ast.ImportFrom))
            for binding in self.imports
        )

    def in_fallback(self, binding: ImportBinding) -> bool:
        """Whether the import stands in a `try` that expects imports to fail, or in what it does then."""
        for parent in self._source.ancestors(binding.statement):
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return False
            if isinstance(parent, ast.Try) and any(map(_catches_import, parent.handlers)):
                return True
        return False


def _catches_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in IMPORT_ERRORS for kind in kinds)


def _bound_by(node: ast.AST) -> tuple[str, ...]:
    """The names that a node binds, imports left out."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return (name,)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return tuple(names)
    return ()

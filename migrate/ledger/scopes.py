"""Scopes of a module as Python has them, and every place in it that names something: what `walk` finds.

Class scopes are skipped from inside functions; `global` leads to the module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .bindings import Binding, Definition, Function


@dataclass(eq=False)
class Scope:
    """One scope: its kind ("module", "class", "function", "comprehension"), qualified name and bindings."""

    kind: str
    parent: Scope | None
    qualname: str = ""
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    owner: ast.AST | None = None

    def home(self, name: str) -> Scope | None:
        """The scope whose binding of `name` is meant here; None for a builtin or a name that nothing binds."""
        scope: Scope | None = self
        if name in self.globals:
            scope = self.module()
            return scope if name in scope.bindings else None
        first = True
        while scope is not None:
            if name in scope.globals:
                scope = scope.module()
            if name in scope.bindings and (first or scope.kind != "class"):
                return scope
            first = False
            scope = scope.parent
        return None

    def module(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def enclosing_class(self) -> Scope | None:
        """The class whose body, or whose method, this is."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope


@dataclass
class Names:
    """What a walk found: the module's scope, each node's parent, and places by kind, each with its scope."""

    module: Scope
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    names: list[tuple[ast.Name, Scope]] = field(default_factory=list)
    attributes: list[tuple[ast.Attribute, Scope]] = field(default_factory=list)
    imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = field(default_factory=list)
    definitions: list[tuple[Definition, Scope]] = field(default_factory=list)
    strings: list[tuple[ast.Constant | ast.JoinedStr, Scope]] = field(default_factory=list)
    words: list[tuple[ast.AST, str, str]] = field(default_factory=list)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    classes: dict[ast.ClassDef, Scope] = field(default_factory=dict)
    functions: dict[Function, Scope] = field(default_factory=dict)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

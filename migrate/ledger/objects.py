"""Which expressions of a file are instances of a legacy symbol, as far as they can be followed in it.

An object counts where it was constructed in sight, annotated with the symbol, or taken from a name or an attribute of
`self` that was. Nothing is inferred across files.
"""

from __future__ import annotations

import ast

from .bindings import dotted, last_name
from .mention import FileFindings, Mention
from .python import PythonFile
from .resolve import Resolution
from .scopes import Scope

Key = tuple[int, str]
ROUNDS = 3
"""`a = X(); self.b = a; c = self.b`: each round follows one more hand-over."""


class Objects:
    """The instances in one file, found from its references. `subclasses`: whether those of a subclass count too."""

    def __init__(self, source: PythonFile, findings: FileFindings, *, subclasses: bool = True) -> None:
        self.source = source
        self.names = source.names
        self.subclasses: dict[str, Resolution] = {}
        self._objects: dict[Key, Resolution] = {}
        self._by_span = {(each.start, each.end): each for each in findings.mentions}
        self._scopes = self._all_scopes()
        if subclasses:
            self._find_subclasses()
        self._annotated()
        for _ in range(ROUNDS):
            size = len(self._objects)
            self._assigned()
            if len(self._objects) == size:
                break

    def mention(self, node: ast.expr) -> Mention | None:
        """The reference at an expression, if there is one."""
        return self._by_span.get(self.source.span(node))

    def _find_subclasses(self) -> None:
        for node in self.names.classes:
            for base in node.bases:
                if found := self.symbol(base) or self.subclasses.get(dotted(base)):
                    self.subclasses[node.name] = found

    def symbol(self, node: ast.expr) -> Resolution | None:
        """The symbol that an expression is a reference to, if any."""
        while isinstance(node, ast.NamedExpr):
            node = node.value
        mention = self._by_span.get(self.source.span(node))
        return mention.resolution if mention and not mention.resolution.members else None

    def _annotated(self) -> None:
        for child in self.source.giving:
            if isinstance(child, ast.arg) and child.annotation is not None:
                function = self.names.parents[self.names.parents[child]]
                if (found := self._in_annotation(child.annotation)) and (scope := self._scopes.get(function)):
                    self._objects[id(scope), child.arg] = found
            elif isinstance(child, ast.AnnAssign) and (found := self._in_annotation(child.annotation)):
                self._record(child.target, found, self.scope_of(child))

    def _all_scopes(self) -> dict[ast.AST | None, Scope]:
        every = (*self.names.names, *self.names.attributes, *self.names.definitions)
        return {scope.owner: scope for _, scope in every}

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope that a statement stands in."""
        for parent in self.names.ancestors(node):
            if parent in self._scopes:
                return self._scopes[parent]
        return self.names.module

    def _in_annotation(self, node: ast.expr) -> Resolution | None:
        """The symbol that an annotation names, alone, in a union or optional; a container of it is no instance."""
        match node:
            case ast.Constant(value=str()):
                start, end = self.source.span(node)
                inside = [each for each in self._by_span.values() if start <= each.start and each.end <= end]
                alone = [each for each in inside if end - start - 2 == each.end - each.start]
                return alone[0].resolution if alone else None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._in_annotation(left) or self._in_annotation(right)
            case ast.Subscript(value=value, slice=inner) if last_name(value) in (
                "Optional",
                "Union",
                "Annotated",
                "Final",
            ):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return next((found for part in parts if (found := self._in_annotation(part))), None)
        return self.symbol(node) or self.subclasses.get(dotted(node))

    def _assigned(self) -> None:
        for node in self.source.giving:
            match node:
                case ast.Assign(targets=targets, value=value):
                    pairs = [(target, value) for target in targets]
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value)
                ):
                    pairs = [(target, value)]
                case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                    pairs = [(target, value)]
                case _:
                    continue
            scope = self.scope_of(node)
            for target, value in pairs:
                if found := self.instance(value, scope):
                    self._record(target, found, scope)

    def _record(self, target: ast.expr, found: Resolution, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            home = scope.home(target.id) or scope
            self._objects.setdefault((id(home), target.id), found)
        elif isinstance(target, ast.Attribute) and dotted(target.value) in ("self", "cls"):
            owner = scope.enclosing_class()
            if owner is not None:
                self._objects.setdefault((id(owner), target.attr), found)

    def instance(self, node: ast.expr, scope: Scope) -> Resolution | None:
        """The symbol of which an expression is an instance, if any is in sight."""
        match node:
            case ast.Call(func=func):
                return self.symbol(func) or self.subclasses.get(dotted(func))
            case ast.Await(value=value):
                return self.instance(value, scope)
            case ast.BoolOp(values=values):
                return next((found for value in values if (found := self.instance(value, scope))), None)
            case ast.IfExp(body=body, orelse=orelse):
                return self.instance(body, scope) or self.instance(orelse, scope)
            case ast.Name(id=name):
                home = scope.home(name)
                return self._objects.get((id(home), name)) if home else None
            case ast.Attribute(attr=attr, value=ast.Name(id="self" | "cls")):
                owner = scope.enclosing_class()
                return self._objects.get((id(owner), attr)) if owner else None
        return None

"""Which expressions of a file are instances of a legacy symbol, as far as they can be followed in it.

An object counts where it was constructed in sight, annotated with the symbol, or taken from a name or an attribute of
`self` that was. With what other files hand out (`givers`), what is got from there counts too, as one that may be.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .bindings import dotted, last_name
from .mention import FileFindings, Mention
from .python import PythonFile
from .resolve import Resolution
from .scopes import Scope

if TYPE_CHECKING:
    from .givers import Givers

Key = tuple[int, str]
ROUNDS = 3
"""`a = X(); self.b = a; c = self.b`: each round follows one more hand-over."""


class Objects:
    """The instances in one file, found from its references.

    `subclasses`: whether those of a subclass count too. `givers`: what hands instances out, in this file and in others.
    An instance of a class that holds one is followed as if that class were a symbol.
    """

    def __init__(
        self, source: PythonFile, findings: FileFindings, *, subclasses: bool = True, givers: Givers | None = None
    ) -> None:
        self._givers = givers
        self._words = givers.words if givers else frozenset()
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

    @property
    def held(self) -> Mapping[Key, Resolution]:
        """What names and attributes of `self` hold an instance: by the scope's identity and the name."""
        return self._objects

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
                if (found := self.declared(child.annotation)) and (scope := self._scopes.get(function)):
                    self._objects[id(scope), child.arg] = found
            elif isinstance(child, ast.AnnAssign) and (found := self.declared(child.annotation)):
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

    def declared(self, node: ast.expr) -> Resolution | None:
        """The symbol that an annotation names, alone, in a union or optional; a container of it is no instance."""
        match node:
            case ast.Constant(value=str()):
                start, end = self.source.span(node)
                inside = [each for each in self._by_span.values() if start <= each.start and each.end <= end]
                alone = [each for each in inside if _is_alone(self.source.file.text, start, each, end)]
                return alone[0].resolution if alone else None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.declared(left) or self.declared(right)
            case ast.Subscript(value=value, slice=inner) if last_name(value) in (
                "Optional",
                "Union",
                "Annotated",
                "Final",
            ):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return next((found for part in parts if (found := self.declared(part))), None)
        return self.symbol(node) or self.subclasses.get(dotted(node)) or self._holder(node, self.scope_of(node))

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
                known = self.symbol(func) or self.subclasses.get(dotted(func))
                known = known or self._holder(func, scope) or self._given(func, scope, results=True)
                return known or self._of_method(func, scope)
            case ast.Await(value=value):
                return self.instance(value, scope)
            case ast.BoolOp(values=values):
                return next((found for value in values if (found := self.instance(value, scope))), None)
            case ast.IfExp(body=body, orelse=orelse):
                return self.instance(body, scope) or self.instance(orelse, scope)
            case ast.Name(id=name):
                home = scope.home(name)
                held = self._objects.get((id(home), name)) if home else None
                return held or self._given(node, scope)
            case ast.Attribute(attr=attr, value=value):
                owner = scope.enclosing_class() if dotted(value) in ("self", "cls") else None
                held = self._objects.get((id(owner), attr)) if owner else None
                return held or self._given(node, scope) or self._of_holder(value, attr, scope)
        return None

    # -- what other files hand out ---------------------------------------------------------------------------------

    def _given(self, node: ast.expr, scope: Scope, *, results: bool = False) -> Resolution | None:
        """The symbol of which a name of another module is, or a call of it gives, an instance."""
        if self._givers is None:
            return None
        table = self._givers.results if results else self._givers.values
        for name in self._names(node, scope):
            if name in table:
                return Resolution(table[name], (), (name, table[name]), certain=False)
        return None

    def _holder(self, node: ast.expr, scope: Scope) -> Resolution | None:
        if self._givers is None:
            return None
        return next(
            (
                Resolution(name, (), (name,), certain=False)
                for name in self._names(node, scope)
                if name in self._givers.holders
            ),
            None,
        )

    def _of_holder(self, value: ast.expr, attr: str, scope: Scope) -> Resolution | None:
        """What an attribute of an instance of a class that holds one is; a method of it gives what it returns."""
        if self._givers is None:
            return None
        holder = self.instance(value, scope)
        symbol = self._givers.holders.get(holder.symbol, {}).get(attr) if holder else None
        return Resolution(symbol, (), (f"{holder.symbol}.{attr}", symbol), certain=False) if symbol and holder else None

    def _of_method(self, func: ast.expr, scope: Scope) -> Resolution | None:
        """What a method of a class gives that is known to give an instance."""
        if self._givers is None or not isinstance(func, ast.Attribute):
            return None
        holder = self.instance(func.value, scope)
        name = f"{holder.symbol}.{func.attr}" if holder else ""
        symbol = self._givers.results.get(name)
        return Resolution(symbol, (), (name, symbol), certain=False) if symbol else None

    def _names(self, node: ast.expr, scope: Scope) -> list[str]:
        """The absolute dotted names that an expression may stand for; none where no giver has its last name."""
        root, _, rest = dotted(node).partition(".")
        home = scope.home(root) if root else None
        bindings = home.bindings[root] if home else []
        if home is None or len(bindings) != 1 or (bindings[0].kind != "import" and home.kind != "module"):
            return []
        here = bindings[0].target if bindings[0].kind == "import" else self.source.qualified(home, root)
        name = ".".join(part for part in (here, rest) if part)
        return self.source.resolver.behind(name) if name.rpartition(".")[2] in self._words else []


def _is_alone(text: bytes, start: int, inside: Mention, end: int) -> bool:
    """Whether a quoted annotation says nothing but a name, or None."""
    rest = text[start : inside.start] + b" " + text[inside.end : end]
    return not rest.replace(b"None", b"").replace(b"Optional", b"").strip(b" \t|[]'\"")

"""Private members of a legacy symbol, used from outside it: through an instance, a subclass, or `patch.object`.

An object counts as an instance where it was constructed in sight, annotated with the symbol, or taken from an attribute
that was. A private member's name that no other class defines counts too, as "may depend", whatever it is asked of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from . import model
from .bindings import Definition, dotted
from .contexts import context_of
from .mention import FileFindings, Mention
from .python import PythonFile
from .resolve import Resolution
from .roles import last_name
from .scopes import Scope

Key = tuple[int, str]
CONSTRUCTS = frozenset({model.CALL, model.PARTIAL})


@dataclass(frozen=True)
class Privates:
    """The private members that a symbol's class defines, and those of them that no other class seen defines."""

    defined: dict[str, frozenset[str]] = field(default_factory=dict)
    distinctive: dict[str, str] = field(default_factory=dict)


def private_names(node: ast.ClassDef) -> frozenset[str]:
    """The private names that a class's body defines, or its methods set on themselves."""
    found: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(child.name)
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store) and dotted(child.value) == "self":
            found.add(child.attr)
    return frozenset(name for name in found if is_private(name))


def is_private(name: str) -> bool:
    """Whether a name begins with an underscore and is no dunder."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__")) and name.strip("_") != ""


def privates_of(sources: Mapping[str, PythonFile], findings: Mapping[str, FileFindings]) -> Privates:
    """The private members of the symbols' classes, from the files that were read."""
    defined: dict[str, frozenset[str]] = {}
    others: set[str] = set()
    for path, source in sources.items():
        mentions = findings[path].mentions
        own = [each for each in mentions if each.role == model.DEFINITION and len(each.resolution.chain) == 1]
        bases = {(each.start, each.end) for each in mentions if each.role == model.SUBCLASS}
        for node in source.names.classes:
            first, last = source.span(node)
            symbol = next((each.resolution.symbol for each in own if first <= each.start < last), None)
            if symbol:
                defined[symbol] = private_names(node) | defined.get(symbol, frozenset())
            elif bases.isdisjoint(source.span(base) for base in node.bases):
                others |= private_names(node)
    distinctive = {
        name: symbol for symbol in sorted(defined) for name in defined[symbol] - others if len(name.strip("_")) > 3
    }
    return Privates(defined, distinctive)


def less_distinctive(privates: Privates, contents: Iterable[bytes]) -> Privates:
    """The same without the names that some other class defines, or sets on itself, in one of these files' bytes."""
    names = dict(privates.distinctive)
    for content in contents:
        if not names:
            break
        pattern = re.compile(
            rb"(?:\bdef[ \t]+|\bself\.)(%s)\b(?=[ \t]*(?:\(|=[^=]|:))" % "|".join(sorted(names)).encode()
        )
        for found in pattern.finditer(content):
            if found[0].startswith(b"def") or (found[0].startswith(b"self") and content[found.end() :][:1] != b"("):
                names.pop(found[1].decode(), None)
    return replace(privates, distinctive=names)


def find_private_members(source: PythonFile, findings: FileFindings, privates: Privates) -> FileFindings:
    """Uses of private members in one file, from its references (`findings`) and what is known of the symbols' classes."""
    return _Tracker(source, findings, privates).run()


class _Tracker:
    def __init__(self, source: PythonFile, findings: FileFindings, privates: Privates) -> None:
        self.source = source
        self.names = source.names
        self.privates = privates
        self.found = FileFindings()
        self._objects: dict[Key, Resolution] = {}
        self._by_span = {(each.start, each.end): each for each in findings.mentions}
        self._subclasses: dict[str, Resolution] = {}
        self._own = [each for each in findings.mentions if each.role == model.DEFINITION]

    def run(self) -> FileFindings:
        self._find_subclasses()
        self._annotated()
        for _ in range(3):  # `a = X(); self.b = a; c = self.b`: each round follows one more hand-over
            size = len(self._objects)
            self._assigned()
            if len(self._objects) == size:
                break
        for node, scope in self.names.attributes:
            if is_private(node.attr):
                self._attribute(node, scope)
        for definition, scope in self.names.definitions:
            self._overridden(definition, scope)
        for call, scope in self.names.calls:
            self._patched(call, scope)
        return self.found

    # -- which objects are instances -------------------------------------------------------------------------------

    def _find_subclasses(self) -> None:
        for node in self.names.classes:
            for base in node.bases:
                if found := self._symbol(base) or self._subclasses.get(dotted(base)):
                    self._subclasses[node.name] = found

    def _symbol(self, node: ast.expr) -> Resolution | None:
        mention = self._by_span.get(self.source.span(node))
        return mention.resolution if mention and not mention.resolution.members else None

    def _annotated(self) -> None:
        scopes = {scope.owner: scope for scope in self._scopes()}
        for child in self.names.parents:
            if isinstance(child, ast.arg) and child.annotation is not None:
                function = self.names.parents[self.names.parents[child]]
                if (found := self._in_annotation(child.annotation)) and (scope := scopes.get(function)):
                    self._objects[id(scope), child.arg] = found
            elif isinstance(child, ast.AnnAssign) and (found := self._in_annotation(child.annotation)):
                self._record(child.target, found, self._scope_of(child, scopes))

    def _scopes(self) -> list[Scope]:
        every = (*self.names.names, *self.names.attributes, *self.names.definitions)
        return list({id(scope): scope for _, scope in every}.values())

    def _scope_of(self, node: ast.AST, scopes: dict[ast.AST | None, Scope]) -> Scope:
        for parent in self.names.ancestors(node):
            if parent in scopes:
                return scopes[parent]
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
        return self._symbol(node) or self._subclasses.get(dotted(node))

    def _assigned(self) -> None:
        scopes = {scope.owner: scope for scope in self._scopes()}
        for node in list(self.names.parents):
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
            scope = self._scope_of(node, scopes)
            for target, value in pairs:
                if found := self._instance(value, scope):
                    self._record(target, found, scope)

    def _record(self, target: ast.expr, found: Resolution, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            home = scope.home(target.id) or scope
            self._objects.setdefault((id(home), target.id), found)
        elif isinstance(target, ast.Attribute) and dotted(target.value) in ("self", "cls"):
            owner = scope.enclosing_class()
            if owner is not None:
                self._objects.setdefault((id(owner), target.attr), found)

    def _instance(self, node: ast.expr, scope: Scope) -> Resolution | None:
        """The symbol of which an expression is an instance, if any is in sight."""
        match node:
            case ast.Call(func=func):
                return self._symbol(func) or self._subclasses.get(dotted(func))
            case ast.Await(value=value):
                return self._instance(value, scope)
            case ast.BoolOp(values=values):
                return next((found for value in values if (found := self._instance(value, scope))), None)
            case ast.IfExp(body=body, orelse=orelse):
                return self._instance(body, scope) or self._instance(orelse, scope)
            case ast.Name(id=name):
                home = scope.home(name)
                return self._objects.get((id(home), name)) if home else None
            case ast.Attribute(attr=attr, value=ast.Name(id="self" | "cls")):
                owner = scope.enclosing_class()
                return self._objects.get((id(owner), attr)) if owner else None
        return None

    # -- uses ------------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        owner = scope.enclosing_class()
        receiver = dotted(node.value)
        _, end = self.source.span(node)
        start = end - len(node.attr.encode())
        if self._is_inside(start):
            return
        if receiver in ("self", "cls", "super") or _is_super(node.value):
            found = self._subclasses.get(owner.owner.name) if owner and isinstance(owner.owner, ast.ClassDef) else None
            if found and node.attr in self.privates.defined.get(found.symbol, ()):
                self._add(start, end, found, scope, "a subclass relies on a private member")
            return
        found = self._instance(node.value, scope)
        if found is not None:
            self._add(start, end, found, scope, "")
        elif symbol := self.privates.distinctive.get(node.attr):
            maybe = Resolution(symbol, (), (f"{receiver or '…'}.{node.attr}", symbol), certain=False)
            reason = f"may depend: {node.attr} is a private member of the symbol, and no other class seen defines it"
            self._add(start, end, maybe, scope, reason)

    def _overridden(self, node: Definition, scope: Scope) -> None:
        """A subclass that defines a private member again."""
        owner = scope.owner
        found = self._subclasses.get(owner.name) if isinstance(owner, ast.ClassDef) else None
        if found and node.name in self.privates.defined.get(found.symbol, ()):
            self._add(*self.source.name_span(node), found, scope, "a subclass overrides a private member")

    def _is_inside(self, start: int) -> bool:
        for node in self.names.classes:
            first, last = self.source.span(node)
            if first <= start < last and any(first <= each.start < last for each in self._own):
                return True
        return False

    def _patched(self, call: ast.Call, scope: Scope) -> None:
        """`patch.object(x, "_y")`, `monkeypatch.setattr(x, "_y", …)`, `getattr(x, "_y")`."""
        if last_name(call.func) not in ("object", "setattr", "getattr", "delattr", "hasattr") or len(call.args) < 2:
            return
        name = call.args[1]
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str) and is_private(name.value)):
            return
        found = self._instance(call.args[0], scope) or self._symbol(call.args[0])
        found = found or self._subclasses.get(dotted(call.args[0]))
        reason = ""
        if found is None and (symbol := self.privates.distinctive.get(name.value)):
            found = Resolution(symbol, (), (name.value, symbol), certain=False)
            reason = "may depend: the string equals a private member that no other class seen defines"
        if found:
            start, end = self.source.span(name)
            self._add(start, end, found, scope, reason)

    def _add(self, start: int, end: int, found: Resolution, scope: Scope, reason: str) -> None:
        context = context_of(self.source.file.path, model.PRIVATE_MEMBER)
        self.found.mentions.append(
            Mention(start, end, model.PRIVATE_MEMBER, found, context, scope.qualname, reason=reason, flag=bool(reason))
        )


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "super"

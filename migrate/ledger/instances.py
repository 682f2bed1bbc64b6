"""Private members of a legacy symbol, used from outside it: through an instance, a subclass, or `patch.object`.

`objects` says what is an instance. A private member's name that no other class defines counts too, as "may depend",
whatever it is asked of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from . import model
from .bindings import Definition, dotted, last_name
from .contexts import context_of
from .documents import other_code
from .mention import FileFindings, Mention
from .objects import Objects
from .python import PythonFile
from .resolve import Resolution
from .scopes import Scope
from .text import TextFile, is_config
from .vocabulary import is_distinctive, whole_words

if TYPE_CHECKING:
    from .givers import Givers


TAKING = frozenset(
    {"object", "setattr", "getattr", "delattr", "hasattr", "__getattribute__", "__setattr__", "__delattr__"}
)


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
    others: list[bytes] = []
    for path, source in sources.items():
        bases = {(each.start, each.end) for each in findings[path].mentions if each.role == model.SUBCLASS}
        for node in source.names.classes:
            if resolution := source.own_definitions.get(node):
                defined[resolution.symbol] = private_names(node) | defined.get(resolution.symbol, frozenset())
            elif bases.isdisjoint(source.span(base) for base in node.bases):
                others.append(source.file.text[slice(*source.span(node))])
    distinctive = {name: symbol for symbol in sorted(defined) for name in defined[symbol] if len(name.strip("_")) > 3}
    return less_distinctive(Privates(defined, distinctive), others)


def less_distinctive(privates: Privates, contents: Iterable[bytes]) -> Privates:
    """The same without the names that some other class defines, or sets on itself, in one of these files' bytes."""
    names = dict(privates.distinctive)
    if names:
        choice = "|".join(sorted(names)).encode()
        pattern = re.compile(rb"\bdef[ \t]+(%s)\b|\bself\.(%s)\b(?=[ \t]*(?:=[^=]|:))" % (choice, choice))
        for content in contents:
            for found in pattern.finditer(content):
                names.pop((found[1] or found[2]).decode(), None)
    return replace(privates, distinctive=names)


def find_in_text(file: TextFile, privates: Privates) -> FileFindings:
    """Private members named in a file that is no Python, where the name is of several words and no document's."""
    found = FileFindings()
    names = {name for name in privates.distinctive if is_distinctive(name)}
    if not names or not (is_config(file.path) or other_code(file) or file.path.endswith(".ipynb")):
        return found
    for hit in whole_words(names).finditer(file.text):
        name = hit.group().decode()
        reason = f"may depend: {name} is a private member of the symbol, and no other class seen defines it"
        chain = Resolution(privates.distinctive[name], (), (name, privates.distinctive[name]), certain=False)
        context = context_of(file.path, model.PRIVATE_MEMBER)
        found.mentions.append(Mention(*hit.span(), model.PRIVATE_MEMBER, chain, context, reason=reason, flag=True))
    return found


def find_private_members(
    source: PythonFile, findings: FileFindings, privates: Privates, givers: Givers | None = None
) -> FileFindings:
    """Uses of private members in one file, from its references (`findings`) and what is known of the symbols' classes.

    `givers` is what hands instances out to it.
    """
    return _Tracker(source, findings, privates, givers).run()


class _Tracker:
    def __init__(self, source: PythonFile, findings: FileFindings, privates: Privates, givers: Givers | None) -> None:
        self.source = source
        self.names = source.names
        self.privates = privates
        self.objects = Objects(source, findings, givers=givers)
        self.found = FileFindings()

    def run(self) -> FileFindings:
        for node, scope in self.names.attributes:
            if is_private(node.attr):
                self._attribute(node, scope)
        for definition, scope in self.names.definitions:
            self._overridden(definition, scope)
        for string, scope in self.names.strings:
            if isinstance(string, ast.Constant) and isinstance(string.value, str):
                self._named(string, string.value, scope)
        return self.found

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        owner = scope.enclosing_class()
        receiver = dotted(node.value)
        _, end = self.source.span(node)
        start = end - len(node.attr.encode())
        if self._is_inside(start):
            return
        if receiver in ("self", "cls", "super") or _is_super(node.value):
            found = (
                self.objects.subclasses.get(owner.owner.name)
                if owner and isinstance(owner.owner, ast.ClassDef)
                else None
            )
            if found and node.attr in self.privates.defined.get(found.symbol, ()):
                self._add(start, end, found, scope, "a subclass relies on a private member")
            return
        found = self._known(self.objects.instance(node.value, scope), node.attr)
        if found is not None:
            self._add(start, end, found, scope, _why(found))
        elif symbol := self.privates.distinctive.get(node.attr):
            maybe = Resolution(symbol, (), (f"{receiver or '…'}.{node.attr}", symbol), certain=False)
            reason = f"may depend: {node.attr} is a private member of the symbol, and no other class seen defines it"
            self._add(start, end, maybe, scope, reason)

    def _known(self, found: Resolution | None, member: str) -> Resolution | None:
        """An instance; one that only may be where the member is one of the symbol's."""
        if found is None or found.certain:
            return found
        return found if member in self.privates.defined.get(found.symbol, ()) else None

    def _overridden(self, node: Definition, scope: Scope) -> None:
        """A subclass that defines a private member again."""
        owner = scope.owner
        found = self.objects.subclasses.get(owner.name) if isinstance(owner, ast.ClassDef) else None
        if found and node.name in self.privates.defined.get(found.symbol, ()):
            self._add(*self.source.name_span(node), found, scope, "a subclass overrides a private member")

    def _is_inside(self, start: int) -> bool:
        """Whether a place stands in the class of a symbol itself."""
        own = (self.source.span(node) for node in self.source.own_definitions if isinstance(node, ast.ClassDef))
        return any(first <= start < last for first, last in own)

    def _named(self, node: ast.Constant, value: str, scope: Scope) -> None:
        """`patch.object(x, "_y")`, `getattr(x, "_y")`, `vars(x)["_y"]`, `methodcaller("_y")`: a string that is the name."""
        name = value.rpartition(".")[2]
        if not is_private(name) or not name.isidentifier() or isinstance(self.names.parents.get(node), ast.Expr):
            return
        if self.source.resolver.resolve(value.replace(":", ".")):
            return  # a path of the symbol is a reference of its own
        start, end = self.source.span(node)
        receiver = asked_of(self.names.parents, node)
        found, reason = None, ""
        if receiver is not None:
            found = self._known(self.objects.instance(receiver, scope), name) or self.objects.symbol(receiver)
            found = found or self.objects.subclasses.get(dotted(receiver))
            reason = _why(found) if found else ""
        if found is None and not self._is_inside(start) and (symbol := self.privates.distinctive.get(name)):
            found = Resolution(symbol, (), (name, symbol), certain=False)
            reason = "may depend: the string equals a private member that no other class seen defines"
        if found:
            self._add(start, end, found, scope, reason)

    def _add(self, start: int, end: int, found: Resolution, scope: Scope, reason: str) -> None:
        context = context_of(self.source.file.path, model.PRIVATE_MEMBER)
        self.found.mentions.append(
            Mention(start, end, model.PRIVATE_MEMBER, found, context, scope.qualname, reason=reason, flag=bool(reason))
        )


def asked_of(parents: Mapping[ast.AST, ast.AST], name: ast.expr) -> ast.expr | None:
    """The object of which a string asks a member: by a function, by its `__dict__`, by a getter that is called at once."""
    parent = parents.get(name)
    match parent:
        case ast.Call(func=ast.Attribute(value=owner, attr="__getattribute__" | "__getattr__"), args=[only]) if (
            only is name
        ):
            return owner
        case ast.Call(func=func, args=[owner, second, *_]) if second is name and last_name(func) in TAKING:
            return owner
        case ast.Call(func=func) if last_name(func) in ("methodcaller", "attrgetter"):
            called = parents.get(parent)
            at_once = isinstance(called, ast.Call) and called.func is parent and called.args
            return called.args[0] if isinstance(called, ast.Call) and at_once else None
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get" | "pop" | "setdefault")):
            return _whose(table)
    return None


def _whose(table: ast.expr) -> ast.expr | None:
    """The object whose members a mapping holds: `vars(x)`, `x.__dict__`."""
    match table:
        case ast.Attribute(value=owner, attr="__dict__"):
            return owner
        case ast.Call(func=func, args=[owner]) if last_name(func) == "vars":
            return owner
    return None


def _why(found: Resolution) -> str:
    return "" if found.certain else f"may depend: {found.chain[0]} gives an instance of the symbol"


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "super"

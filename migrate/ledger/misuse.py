"""Places that cannot work with the symbol as it is: wrong arguments, members that it or its results do not have.

A migration must not carry such a place over unseen. Said only where the definition is in sight and complete: a class with
other bases, a `__getattr__` or a decorator that may add to it says nothing about its members.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from . import model
from .bindings import Function, dotted, last_name
from .contexts import context_of
from .exports import flat
from .mention import FileFindings, Mention
from .objects import Objects
from .python import PythonFile
from .resolve import Resolution
from .scopes import Scope
from .signatures import PLAIN_BASES, SeenClass, Signature, of_class, of_function
from .text import UnreadableError

if TYPE_CHECKING:
    from .search import Search

HARMLESS = frozenset({"dataclass", "final", "runtime_checkable", "total_ordering"})


@dataclass(frozen=True)
class Shape:
    """A symbol's definition: its signature, its members, and the members of what its methods return; None if unknown."""

    signature: Signature | None = None
    members: frozenset[str] | None = None
    results: Mapping[str, tuple[str, frozenset[str]]] = field(default_factory=dict)


def shapes_of(search: Search, sources: Iterable[PythonFile]) -> dict[str, Shape]:
    """The shapes of the symbols that are defined in these files; bases of theirs are looked for in others too."""
    found: dict[str, Shape] = {}
    for source in sources:
        if source.file.path.endswith(".pyi"):
            continue
        classes = {node.name: node for node in source.tree.body if isinstance(node, ast.ClassDef)}
        for node, resolution in source.own_definitions.items():
            if isinstance(node, ast.ClassDef):
                found[resolution.symbol] = _class_shape(SeenClass(node, partial(_seen_from, search, source)), classes)
            elif isinstance(node, Function) and not node.decorator_list:
                found[resolution.symbol] = Shape(of_function(node))
    return found


def _seen_from(
    search: Search, source: PythonFile, name: str, passed: frozenset[tuple[str, str]] = frozenset()
) -> SeenClass | None:
    """The class that a name at the top of a file means: one of its own, or one that it imports from the code base.

    `passed` are the files and names on the way to it: modules may import one name from each other in a circle.
    """
    own = next((node for node in source.tree.body if isinstance(node, ast.ClassDef) and node.name == name), None)
    if own is not None:
        return SeenClass(own, partial(_seen_from, search, source))
    root, _, rest = name.partition(".")
    bindings = source.names.module.bindings.get(root, [])
    if len(bindings) != 1 or bindings[0].kind != "import":
        return None
    module, _, last = ".".join(part for part in (bindings[0].target, rest) if part).rpartition(".")
    path = search.files.layout.file(module)
    if path is None or (path, last) in passed:
        return None
    try:
        return _seen_from(search, search.python(path), last, passed | {(path, last)})
    except UnreadableError:
        return None


def _class_shape(seen: SeenClass, classes: Mapping[str, ast.ClassDef]) -> Shape:
    node = seen.node
    methods = {each.name: each for each in node.body if isinstance(each, Function)}
    results: dict[str, tuple[str, frozenset[str]]] = {}
    for name, method in methods.items():
        returned = classes.get(_returned(method))
        members = _members(returned) if returned is not None else None
        if returned is not None and members is not None:
            results[name] = (returned.name, members)
    return Shape(of_class(seen), _members(node), results)


def _returned(method: Function) -> str:
    if isinstance(method.returns, ast.Constant) and isinstance(method.returns.value, str):
        return method.returns.value
    return dotted(method.returns) if method.returns is not None else ""


def _members(node: ast.ClassDef) -> frozenset[str] | None:
    """The names that an instance has; None where the class's body does not say it all."""
    bases = {last_name(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases}
    decorators = {last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
    if not bases <= PLAIN_BASES or not decorators <= HARMLESS or node.keywords:
        return None
    found: set[str] = set()
    for statement in flat(node.body):
        found.update(_bound(statement))
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store) and dotted(child.value) == "self":
            found.add(child.attr)
        elif (isinstance(child, ast.Call) and last_name(child.func) in ("setattr", "vars")) or (
            isinstance(child, ast.Attribute) and child.attr == "__dict__"
        ):
            return None
    return None if found & {"__getattr__", "__getattribute__"} else frozenset(found)


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (child.id for target in targets for child in ast.walk(target) if isinstance(child, ast.Name))
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name for alias in names)


def find_misuses(source: PythonFile, found: FileFindings, shapes: Mapping[str, Shape]) -> None:
    """Mark calls in `found` that cannot work, and add members that are asked for and do not exist."""
    finder = _Misuses(source, found, shapes)
    finder.calls()
    finder.members()


class _Misuses:
    def __init__(self, source: PythonFile, found: FileFindings, shapes: Mapping[str, Shape]) -> None:
        self.source = source
        self.names = source.names
        self.found = found
        self.shapes = shapes
        self.objects = Objects(source, found, subclasses=False)
        self._stored = {node.attr for node, _ in self.names.attributes if not isinstance(node.ctx, ast.Load)}

    def calls(self) -> None:
        for call, _ in self.names.calls:
            mention = self.objects.mention(call.func)
            if mention is None or mention.role != model.CALL or not mention.certain or mention.resolution.members:
                continue
            signature = self.shapes.get(mention.resolution.symbol, Shape()).signature
            if signature and (problem := signature.problem(call)):
                index = self.found.mentions.index(mention)
                reason = f"cannot work as it is: {problem}"
                self.found.mentions[index] = replace(mention, reason=reason, flag=True)

    def members(self) -> None:
        results = self._results()
        for node, scope in self.names.attributes:
            if node.attr in self._stored or node.attr.startswith("__"):
                continue
            found = self.objects.instance(node.value, scope)
            shape = self.shapes.get(found.symbol) if found else None
            if found and shape and shape.members is not None and node.attr not in shape.members:
                self._add(node, found, scope, f"cannot work as it is: the symbol has no member {node.attr!r}")
            elif returned := self._result(node.value, scope, results):
                resolution, name, members = returned
                if node.attr not in members:
                    self._add(node, resolution, scope, f"cannot work as it is: {name} has no member {node.attr!r}")

    def _results(self) -> dict[tuple[int, str], tuple[Resolution, str, frozenset[str]]]:
        """Names that are bound once, to what a method of an instance returned."""
        found: dict[tuple[int, str], tuple[Resolution, str, frozenset[str]]] = {}
        for node in self.source.giving:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name, scope = node.targets[0].id, self.objects.scope_of(node)
                home = scope.home(name)
                returned = self._result(node.value, scope, {})
                if returned and home and len(home.bindings[name]) == 1:
                    found[id(home), name] = returned
        return found

    def _result(
        self, node: ast.expr, scope: Scope, results: Mapping[tuple[int, str], tuple[Resolution, str, frozenset[str]]]
    ) -> tuple[Resolution, str, frozenset[str]] | None:
        match node:
            case ast.Await(value=value):
                return self._result(value, scope, results)
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                found = self.objects.instance(owner, scope)
                returned = self.shapes.get(found.symbol, Shape()).results.get(method) if found else None
                return (found, *returned) if found and returned else None
            case ast.Name(id=name):
                home = scope.home(name)
                return results.get((id(home), name)) if home else None
        return None

    def _add(self, node: ast.Attribute, found: Resolution, scope: Scope, reason: str) -> None:
        _, end = self.source.span(node)
        start = end - len(node.attr.encode())
        if self.source.is_inside_own(found.symbol, start) or any(each.start == start for each in self.found.mentions):
            return
        context = context_of(self.source.file.path, model.MISSING_MEMBER)
        self.found.mentions.append(
            Mention(start, end, model.MISSING_MEMBER, found, context, scope.qualname, reason=reason, flag=True)
        )

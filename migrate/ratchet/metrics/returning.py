"""Is a deleted class or function back behind its old name? Follows what the name leads to. Reads, never imports.

Only what the symbol became may stand there: the `target` on record in `[[retired]]`, else what its `[[symbol]]` table says.
A name of which neither is known counts as back where it leads to a class or function of that very name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ....adapters.errors import ConfigurationError
from ...ledger.bindings import dotted, last_name
from ...ledger.exports import Exports, exports_of
from ...ledger.layout import Layout
from ...ledger.resolve import Resolver
from ..book import Book, parse_book
from ..trees import Tree
from .symbols import defined, module_file, module_files

Place = tuple[str, int]


def returned(tree: Tree, name: str) -> Place | None:
    """Where what stands behind `name` is, as (path, line); None where nothing does, or what the symbol became."""
    module = name.rpartition(".")[0]
    if "/" in name or not module:
        return None
    homes, ends = module_files(tree, module), allowed(tree, name)
    return next((place for home in homes for place in _Trail(tree, name, ends, home).places()), None)


def allowed(tree: Tree, name: str) -> frozenset[str]:
    """What may stand behind the old name. The record counts before the configuration, which is easier to change."""
    if recorded := _book(tree).became(name):
        return recorded
    symbols = (symbol for symbol in tree.base.settings.symbol if symbol.legacy == name)
    targets = {target for s in symbols for target in (s.call_target, s.type_target, s.alias_target)}
    return frozenset(target for target in targets if target)


def _book(tree: Tree) -> Book:
    rules = tree.base.settings.ratchet.rules
    try:
        return parse_book(tree.text(rules) or "", rules)
    except ConfigurationError:
        return Book()  # whoever judges by the rules says what is wrong with them


@dataclass
class _Trail:
    """What one old name leads to in one tree; `home` is the file of its module."""

    tree: Tree
    name: str
    allowed: frozenset[str]
    home: str
    _read: dict[str, Exports | None] = field(default_factory=dict)

    @cached_property
    def own(self) -> str:
        return self.name.rpartition(".")[2]

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.tree.paths, [root.rstrip("/") for root in self.tree.import_roots])

    @cached_property
    def resolver(self) -> Resolver:
        return Resolver(self.allowed, self.layout, self.exports)

    def exports(self, module: str, names: Sequence[str] = ()) -> Exports | None:
        """What a module of the tree exposes; None where there is none, or nobody can read it."""
        del names
        path = self.file(module)
        if path is None:
            return None
        if module not in self._read:
            body = self.body(path)
            self._read[module] = exports_of(body, module, self.layout.package(path)) if body else None
        return self._read[module]

    def file(self, module: str) -> str | None:
        """The file of a module of the tree."""
        if module == self.name.rpartition(".")[0]:
            return self.home
        return module_file(self.tree, module) or self.layout.file(module)

    def body(self, path: str) -> ast.Module | None:
        try:
            return ast.parse(self.tree.read(path))
        except (SyntaxError, ValueError, RecursionError):
            return None

    def places(self) -> Iterator[Place]:
        """Every place that the name leads to and may not."""
        yield from self._behind(self.name)
        home, path = self.name.rpartition(".")[0], self.home
        body = self.body(path)
        if body is None or not self.allowed:
            return
        exports = self.exports(home)
        yield from ((path, line) for line in _set_by_string(body, self.own))
        if exports and self.own not in exports.names and self.own not in exports.lazy:
            for asked, line in _handed_over(body):
                if not asked or self.resolver.resolve(f"{home}.{asked}.{self.own}") is None:
                    yield from self._behind(f"{home}.{asked}.{self.own}") if asked else [(path, line)]

    def _behind(self, name: str) -> Iterator[Place]:
        for reached in self.resolver.behind(name):
            if self.resolver.configured(reached) is None and (place := self._wrong(reached)):
                yield place

    def _wrong(self, reached: str) -> Place | None:
        """The place of one name on the way, if it is an end of the wrong kind."""
        module, _, last = reached.rpartition(".")
        path = self.file(module)
        if path is None:
            return self._foreign(reached)
        line = defined(self.tree.read(path), [last])
        if line:
            return (path, line) if self.allowed or last == self.own else None
        body = self.body(path) if self.allowed else None
        return next(((path, line) for line in self._made(body, module, last)), None) if body else None

    def _foreign(self, reached: str) -> Place | None:
        """Another package's name: it is wrong where it is known what may stand there, and this is not it."""
        top = reached.partition(".")[0]
        if not self.allowed or reached == self.name or self.layout.is_module(top):
            return None
        return self.home, 1

    def _made(self, body: ast.Module, module: str, name: str) -> Iterator[int]:
        """Lines that bind a name to the outcome of an expression in which no name leads to what is allowed."""
        for node in ast.walk(body):
            match node:
                case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name and not dotted(value):
                    if not any(self.resolver.resolve(f"{module}.{text}") for text in _names(value)):
                        yield node.lineno


def _names(value: ast.expr) -> Iterator[str]:
    return (text for node in ast.walk(value) if isinstance(node, (ast.Name, ast.Attribute)) and (text := dotted(node)))


def _set_by_string(body: ast.Module, name: str) -> Iterator[int]:
    """Lines that bind a module's name by a string, or put another module in its place: nobody can follow those."""
    for node in ast.walk(body):
        match node:
            case ast.Subscript(value=table, slice=key, ctx=ast.Store()):
                is_own = isinstance(key, ast.Constant) and key.value == name
                if (is_own and _is_namespace(table)) or dotted(table) in ("sys.modules", "modules"):
                    yield node.lineno
            case ast.Call(func=func, args=[_, ast.Constant(value=str(key)), *_]):
                if key == name and last_name(func) in ("setattr", "__setattr__"):
                    yield node.lineno
            case ast.Call(func=ast.Name(id="exec"), args=[ast.Constant(value=str(text)), *_]):
                if name in text:
                    yield node.lineno


def _is_namespace(table: ast.expr) -> bool:
    called = isinstance(table, ast.Call) and last_name(table.func) in ("globals", "vars", "locals")
    return called or last_name(table) == "__dict__"


def _handed_over(body: ast.Module) -> Iterator[tuple[str, int]]:
    """Where a module's `__getattr__` asks another for whatever name it got: the other ("" where it cannot be told), the line."""
    for hook in body.body:
        if isinstance(hook, ast.FunctionDef) and hook.name == "__getattr__" and hook.args.args:
            asked = hook.args.args[0].arg
            for node in ast.walk(hook):
                match node:
                    case ast.Call(func=ast.Name(id="getattr"), args=[other, ast.Name(id=text), *_]) if text == asked:
                        yield dotted(other), node.lineno

"""One Python file under analysis: what its names lead to, by scope and then across files.

The finders (`names`, `strings`, `imports`, `prose`, `instances`) ask it; it reports nothing itself.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cached_property

from .bindings import Binding, Definition
from .contexts import is_shim
from .layout import absolute
from .resolve import Resolution, Resolver
from .scopes import Names, Scope
from .text import TextFile
from .vocabulary import Vocabulary

Answers = dict[tuple[int, str, tuple[str, ...]], Resolution | None]


@dataclass(eq=False)
class PythonFile:
    """One Python file under analysis: its text, tree and names, and what they are resolved with."""

    file: TextFile
    tree: ast.Module
    names: Names
    module: str
    package: str
    resolver: Resolver
    vocabulary: Vocabulary

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node starts and ends in the text."""
        place: ast.expr = node  # type: ignore[assignment]  # every node that is asked for has a place
        last_line, last_column = place.end_lineno or place.lineno, place.end_col_offset or 0
        return self.file.offset(place.lineno, place.col_offset), self.file.offset(last_line, last_column)

    def name_span(self, node: Definition) -> tuple[int, int]:
        """Where the name stands in a definition."""
        start, end = self.span(node)
        name = node.name.encode()
        head = re.compile(rb"(?:async[ \t\f\\\r\n]+def|def|class)[ \t\f\\\r\n]+").match(self.file.text, start, end)
        start = head.end() if head else self.file.text.index(name, start, end)
        return start, start + len(name)

    @cached_property
    def stars(self) -> list[str]:
        """The modules that the file imports everything from."""
        return [
            absolute(node.module, node.level, self.package)
            for node, _ in self.names.imports
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        ]

    @cached_property
    def giving(self) -> list[ast.AST]:
        """The nodes that give a name a value or a type: few of all, and asked for several times."""
        kinds = (ast.arg, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.withitem)
        return [node for node in self.names.parents if isinstance(node, kinds)]

    @cached_property
    def own_definitions(self) -> dict[ast.AST, Resolution]:
        """The classes and functions of this file that are legacy symbols themselves."""
        found: dict[ast.AST, Resolution] = {}
        for node, scope in self.names.definitions:
            if node.name in self.vocabulary.names and scope.kind != "function":
                resolution = self.resolver.resolve(self.qualified(scope, node.name))
                if resolution and not resolution.members and len(resolution.chain) == 1:
                    found[node] = resolution
        return found

    def is_inside_own(self, symbol: str, offset: int) -> bool:
        """Whether a place stands in the definition of `symbol`."""
        for node, resolution in self.own_definitions.items():
            start, end = self.span(node)
            if resolution.symbol == symbol and start <= offset < end:
                return True
        return False

    def qualified(self, scope: Scope, name: str) -> str:
        """The absolute dotted name of `name` in `scope`."""
        return ".".join(part for part in (self.module, scope.qualname, name) if part)

    def scope_at(self, line: int) -> Scope:
        """The scope of a line: the innermost function or class whose body holds it; a definition's head is outside."""
        found = self.names.module
        for node, scope in (*self.names.functions.items(), *self.names.classes.items()):
            deeper = found.owner is None or node.lineno > found.owner.lineno  # type: ignore[attr-defined]
            if node.body[0].lineno <= line <= (node.end_lineno or line) and deeper:
                found = scope
        return found

    @cached_property
    def is_shim(self) -> bool:
        """Whether the module only passes names on."""
        return is_shim(self.tree)

    @cached_property
    def leading(self) -> frozenset[str]:
        """The local names that may lead to a symbol, in whatever scope."""
        known = set(self.vocabulary.names)
        edges = [(name, each) for name, each in self._bindings() if each.leads]
        growing = True
        while growing:
            size = len(known)
            known |= {name for name, each in edges if not known.isdisjoint(each.target.split("."))}
            growing = len(known) > size
        return frozenset(known)

    def _bindings(self) -> list[tuple[str, Binding]]:
        scopes = {id(scope): scope for _, scope in (*self.names.names, *self.names.imports, *self.names.definitions)}
        scopes[id(self.names.module)] = self.names.module
        return [
            (name, each) for scope in scopes.values() for name, bindings in scope.bindings.items() for each in bindings
        ]

    def lookup(self, parts: list[str], scope: Scope) -> Resolution | None:
        """What a dotted expression leads to, seen from `scope`."""
        return self._lookup(parts, scope, frozenset(), {})

    def _lookup(
        self, parts: list[str], scope: Scope, seen: frozenset[tuple[int, str]], asked: Answers
    ) -> Resolution | None:
        """`seen` are the names on the way here; `asked` is what this question found out, so that no name is asked twice."""
        name, rest = parts[0], parts[1:]
        home = scope.home(name)
        if home is None:
            found = [self.resolver.resolve(".".join([star, *parts])) for star in self.stars]
            return next((each for each in found if each), None)
        while home is not None and (id(home), name) in seen and home.kind == "class":
            # `X = X` in a class's body: before it is bound there, the name is the one outside.
            home = home.parent.home(name) if home.parent else None
        if home is None or (id(home), name) in seen:
            return None
        key = (id(home), name, tuple(rest))
        if key not in asked:
            asked[key] = self._bound(name, rest, home, seen | {(id(home), name)}, asked)
        return asked[key]

    def _bound(
        self, name: str, rest: list[str], home: Scope, seen: frozenset[tuple[int, str]], asked: Answers
    ) -> Resolution | None:
        bindings = home.bindings[name]
        results = [self._through(each, name, rest, home, seen, asked) for each in bindings]
        leading = [each for each in results if each]
        if not leading:
            return None
        symbols = {each.symbol for each in leading}
        same = len(leading) == len([each for each in bindings if each.kind != "alias" or each.target != name])
        return leading[0] if same and len(symbols) == 1 else replace(leading[0], certain=False)

    def _through(
        self,
        binding: Binding,
        name: str,
        rest: list[str],
        home: Scope,
        seen: frozenset[tuple[int, str]],
        asked: Answers,
    ) -> Resolution | None:
        here = self.qualified(home, name)
        if binding.kind == "import":
            found = self.resolver.resolve(".".join([binding.target, *rest]))
        elif binding.kind == "alias" and (own := self.resolver.configured(".".join([here, *rest]))):
            # A symbol that is defined by an assignment (`Walker = make_walker`), or an alias that took its place.
            return own
        elif binding.kind == "alias":
            found = self._lookup([*binding.target.split("."), *rest], home, seen, asked)
        elif binding.kind == "parameter" or home.kind not in ("module", "class"):
            return None
        elif binding.kind == "class" and rest:
            return self.resolver.resolve(".".join([here, *rest]))
        else:
            # The name's other bindings (an import that this one stands in for) are looked at by themselves.
            return self.resolver.configured(".".join([here, *rest]))
        return found.through(".".join([here, *rest])) if found else None

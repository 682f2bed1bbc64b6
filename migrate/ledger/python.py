"""References in one Python file: every name, attribute and import, resolved by scope and then across files.

Strings and comments are the business of `strings` and `prose`, private members that of `instances`; they work on the
`PythonFile` that is made here.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cached_property

from . import model
from .bindings import Binding, Definition, dotted
from .contexts import context_of, is_guard, is_shim, is_type_checking
from .layout import absolute
from .mention import CallShape, Explained, FileFindings, Mention
from .resolve import Resolution, Resolver
from .roles import call_shape, role_of
from .scopes import Names, Scope
from .text import TextFile
from .vocabulary import Vocabulary

_MODULE = re.compile(rb"from[ \t\f\\\r\n]+([.\w\x80-\xff]+(?:[ \t]*\.[ \t]*[\w\x80-\xff]+)*)")


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

    def lookup(
        self, parts: list[str], scope: Scope, seen: frozenset[tuple[int, str]] = frozenset()
    ) -> Resolution | None:
        """What a dotted expression leads to, seen from `scope`."""
        name, rest = parts[0], parts[1:]
        home = scope.home(name)
        if home is None:
            found = [self.resolver.resolve(".".join([star, *parts])) for star in self.stars]
            return next((each for each in found if each), None)
        if (id(home), name) in seen:
            return None
        seen |= {(id(home), name)}
        bindings = home.bindings[name]
        results = [self._through(each, name, rest, home, seen) for each in bindings]
        leading = [each for each in results if each]
        if not leading:
            return None
        symbols = {each.symbol for each in leading}
        same = len(leading) == len([each for each in bindings if each.kind != "alias" or each.target != name])
        return leading[0] if same and len(symbols) == 1 else replace(leading[0], certain=False)

    def _through(
        self, binding: Binding, name: str, rest: list[str], home: Scope, seen: frozenset[tuple[int, str]]
    ) -> Resolution | None:
        here = ".".join(part for part in (self.module, home.qualname, name) if part)
        if binding.kind == "import":
            found = self.resolver.resolve(".".join([binding.target, *rest]))
        elif binding.kind == "alias":
            found = self.lookup([*binding.target.split("."), *rest], home, seen)
        elif binding.kind == "parameter" or home.kind not in ("module", "class"):
            return None
        elif binding.kind == "class" and rest:
            return self.resolver.resolve(".".join([here, *rest]))
        else:
            # The name's other bindings (an import that this one stands in for) are looked at by themselves.
            return self.resolver.configured(".".join([here, *rest]))
        return found.through(".".join([here, *rest])) if found else None


def find_names(source: PythonFile) -> FileFindings:
    """References by name, attribute, import and definition; what reads alike and is something else is explained."""
    return _NameFinder(source).run()


class _NameFinder:
    def __init__(self, source: PythonFile) -> None:
        self.source = source
        self.names = source.names
        self.found = FileFindings()
        self.vocabulary = source.vocabulary
        self._taken: set[ast.AST] = set()
        self._own: list[tuple[int, int, str]] = []

    def run(self) -> FileFindings:
        self._definitions()
        rooted = self._roots()
        for name, scope in self.names.names:
            if name.id in self.source.leading or name in rooted:
                self._chain(name, scope)
        self._leftover_attributes()
        self._leftover_names()
        self._imports()
        self._words()
        return self.found

    # -- references ------------------------------------------------------------------------------------------------

    def _definitions(self) -> None:
        for node, scope in self.names.definitions:
            if node.name not in self.vocabulary.names:
                continue
            qualname = ".".join(part for part in (self.source.module, scope.qualname, node.name) if part)
            start, end = self.source.name_span(node)
            found = self.source.resolver.resolve(qualname)
            if found and not found.members and len(found.chain) == 1 and scope.kind != "function":
                whole = self.source.span(node)
                self._own.append((*whole, found.symbol))
                self._add(node, start, end, model.DEFINITION, found, scope, local=node.name)
            else:
                what = "class" if isinstance(node, ast.ClassDef) else "function"
                self.found.explained.append(Explained(start, end, f"another {what} of this name: {qualname}"))

    def _roots(self) -> set[ast.AST]:
        """The first names of the chains of attributes in which a name to look for stands."""
        found: set[ast.AST] = set()
        for attribute, _ in self.names.attributes:
            if attribute.attr in self.vocabulary.names:
                node: ast.expr = attribute
                while isinstance(node, ast.Attribute):
                    node = node.value
                found.add(node)
        return found

    def _chain(self, name: ast.Name, scope: Scope) -> None:
        chain: list[ast.expr] = [name]
        parts = [name.id]
        while isinstance(parent := self.names.parents.get(chain[-1]), ast.Attribute) and parent.value is chain[-1]:
            chain.append(parent)
            parts.append(parent.attr)
        found = self.source.lookup(parts, scope)
        if found is None:
            return
        index = len(chain) - 1 - len(found.members)
        if index < 0:
            # The name stands for a member of the symbol; where it was taken from the symbol is the reference.
            return
        node = chain[index]
        self._taken.add(node)
        start, end = self.source.span(node)
        role = role_of(self.names, node)
        self._add(node, start, end, role, found, scope, local=name.id)

    def _add(
        self, node: ast.AST, start: int, end: int, role: str, found: Resolution, scope: Scope, *, local: str,
        container: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        names, path = self.names, self.source.file.path
        top_alias = scope.kind == "module" and (
            role == model.ALIAS or (role == model.DEFINITION and len(found.chain) != 1 and found.certain)
        )
        context = context_of(
            path,
            role,
            guard=is_guard(names, node),
            shim=self.source.is_shim or top_alias or (role == model.STAR_IMPORT and path.endswith("__init__.py")),
            types=is_type_checking(names, node),
        )
        inside = role != model.DEFINITION and any(
            first <= start < last and symbol == found.symbol for first, last, symbol in self._own
        )
        shape = (
            call_shape(names, node)
            if role in (model.CALL, model.PARTIAL) and isinstance(node, ast.expr)
            else CallShape()
        )
        self.found.mentions.append(
            Mention(start, end, role, found, context, scope.qualname, local, container, inside=inside, call=shape)
        )

    # -- what is no reference --------------------------------------------------------------------------------------

    def _leftover_attributes(self) -> None:
        for node, scope in self.names.attributes:
            if node.attr in self.vocabulary.names and node not in self._taken:
                _, end = self.source.span(node)
                self._explain_attribute(node, scope, end - len(node.attr.encode()), end)

    def _explain_attribute(self, node: ast.Attribute, scope: Scope, start: int, end: int) -> None:
        text = dotted(node)
        root, _, rest = text.partition(".")
        owner = scope.enclosing_class()
        if root in ("self", "cls") and owner is not None and "." not in rest:
            found = self.source.lookup([node.attr], owner) if node.attr in owner.bindings else None
            if found:
                whole, _ = self.source.span(node)
                return self._add(node, whole, end, role_of(self.names, node), found, scope, local=root)
        if text and (home := scope.home(root)):
            targets = [each.target for each in home.bindings[root] if each.kind == "import"]
            if len(targets) == len(home.bindings[root]):
                return self._explain_target(f"{targets[0]}.{rest}", node, scope, start, end)
        symbol = self.vocabulary.symbol_named(node.attr)
        if (
            symbol
            and node.attr in self.vocabulary.words
            and self._is_distinctive(node.attr)
            and not owner_defines(scope, root, node.attr)
        ):
            reason = "attribute of an object that cannot be followed; it may be the symbol"
            return self._maybe(node, symbol, reason, scope)
        self.found.explained.append(
            Explained(start, end, f"an attribute of another object: {text or '….' + node.attr}")
        )
        return None

    def _is_distinctive(self, name: str) -> bool:
        return name != name.lower() or "_" in name.strip("_")

    def _maybe(self, node: ast.expr, symbol: str, reason: str, scope: Scope) -> None:
        start, end = self.source.span(node)
        role = role_of(self.names, node)
        found = Resolution(symbol, (), (dotted(node) or self.source.file.slice(start, end),), certain=False)
        self._add(node, start, end, role, found, scope, local=dotted(node).partition(".")[0])
        self.found.mentions[-1] = replace(self.found.mentions[-1], reason=reason, flag=True)

    def _explain_target(self, target: str, node: ast.expr | ast.alias, scope: Scope, start: int, end: int) -> None:
        """Say what an import that leads to no symbol names: another object, or something that cannot be seen."""
        module = target.rpartition(".")[0]
        exports = self.source.resolver.exports(module)
        name = target.rpartition(".")[2]
        if exports is not None and name not in exports.names and not exports.stars and name in self.vocabulary.names:
            self.found.doubts[start] = f"{module} defines no {name}"
            return
        symbol = self.vocabulary.symbol_named(name)
        unseen = exports is None and not self.source.resolver.is_module(module)
        if symbol and unseen and target.partition(".")[0] == symbol.partition(".")[0]:
            found = Resolution(symbol, (), (target,), certain=False)
            role = model.IMPORT if isinstance(node, ast.alias) else role_of(self.names, node)
            container = self.source.span(self.names.parents[node]) if isinstance(node, ast.alias) else None
            self._add(node, *self.source.span(node), role, found, scope, local=name, container=container)
            reason = f"{module} is not in the source folders; it may re-export the symbol"
            self.found.mentions[-1] = replace(self.found.mentions[-1], reason=reason, flag=True)
            return
        self.found.explained.append(Explained(start, end, f"another object: {target}"))

    def _leftover_names(self) -> None:
        for node, scope in self.names.names:
            if node.id not in self.vocabulary.names or node in self._taken:
                continue
            start, end = self.source.span(node)
            home = scope.home(node.id)
            if home is None:
                self.found.doubts[start] = "the name is not bound in this file"
                continue
            bindings = home.bindings[node.id]
            targets = [each.target for each in bindings if each.kind == "import"]
            if targets and len(targets) == len(bindings):
                self._explain_target(targets[0], node, scope, start, end)
                continue
            kinds = {"parameter": "a parameter", "class": "another class of this name"}
            kinds |= {"function": "another function of this name"}
            what = kinds.get(bindings[0].kind, f"a {'module' if home.kind == 'module' else 'local'} variable")
            self.found.explained.append(Explained(start, end, what))

    def _words(self) -> None:
        for node, word, what in self.names.words:
            if word not in self.vocabulary.names:
                continue
            start, end = self.source.span(node)
            for hit in self.vocabulary.pattern.finditer(self.source.file.text, start, end):
                if hit.group().decode() == word:
                    self.found.explained.append(Explained(*hit.span(), what))
                    break

    # -- imports ---------------------------------------------------------------------------------------------------

    def _imports(self) -> None:
        for node, scope in self.names.imports:
            if isinstance(node, ast.ImportFrom) and node.module:
                self._origin(node, scope)
            for alias in node.names:
                if alias.name == "*":
                    self._star(node, alias, scope)
                else:
                    self._import(node, alias, scope)

    def _origin(self, node: ast.ImportFrom, scope: Scope) -> None:
        """The module that a `from` names: a reference where the module itself is a symbol."""
        start, end = self.source.span(node)
        place = _MODULE.match(self.source.file.text, start, end)
        if place is None:
            return
        found = self.source.resolver.resolve(absolute(node.module, node.level, self.source.package))
        if found and self.source.resolver.is_module(found.symbol):
            self._add(node, *place.span(1), model.MODULE_IMPORT, found, scope, local="", container=(start, end))
            return
        for hit in self.vocabulary.pattern.finditer(self.source.file.text, *place.span(1)):
            self.found.explained.append(Explained(*hit.span(), "a part of a module's name"))

    def _star(self, node: ast.Import | ast.ImportFrom, alias: ast.alias, scope: Scope) -> None:
        assert isinstance(node, ast.ImportFrom)
        module = absolute(node.module, node.level, self.source.package)
        exposed = self.source.resolver.exposes(module, sorted(self.vocabulary.names))
        by_symbol: dict[str, tuple[str, Resolution]] = {}
        for name in exposed:
            if found := self.source.resolver.resolve(f"{module}.{name}"):
                by_symbol.setdefault(found.symbol, (name, found))
        for _, (name, found) in sorted(by_symbol.items()):
            start, end = self.source.span(alias)
            self._add(alias, start, end, model.STAR_IMPORT, found, scope, local=name, container=self.source.span(node))

    def _import(self, node: ast.Import | ast.ImportFrom, alias: ast.alias, scope: Scope) -> None:
        start, end = self.source.span(alias)
        target = alias.name
        if isinstance(node, ast.ImportFrom):
            module = absolute(node.module, node.level, self.source.package)
            target = f"{module}.{alias.name}" if module else alias.name
        found = self.source.resolver.resolve(target)
        container = self.source.span(node)
        local = alias.asname or alias.name
        origin = target.rpartition(".")[0] if isinstance(node, ast.ImportFrom) else ""
        if found and found.members and self.source.resolver.resolve(origin) is not None:
            return None  # the module before `import` is the reference
        if found and (isinstance(node, ast.ImportFrom) or not found.members or self.source.resolver.is_module(target)):
            role = model.MODULE_IMPORT if self.source.resolver.is_module(target) else model.IMPORT
            return self._add(alias, start, end, role, found, scope, local=local, container=container)
        if reached := self._reached_through(target, local, isinstance(node, ast.Import) and not alias.asname):
            return self._add(alias, start, end, model.MODULE_IMPORT, reached, scope, local=local, container=container)
        for part in {alias.name.rpartition(".")[2], alias.asname or ""} & self.vocabulary.names:
            if part == alias.asname or isinstance(node, ast.Import):
                for hit in self.vocabulary.pattern.finditer(self.source.file.text, start, end):
                    self.found.explained.append(Explained(*hit.span(), f"another object: {target}"))
            else:
                self._explain_target(target, alias, scope, start, end)
        return None

    def _reached_through(self, target: str, local: str, plain: bool) -> Resolution | None:
        """The symbol that this file reaches through the module `target`."""
        for mention in self.found.mentions:
            same = mention.local == (local.partition(".")[0] if plain else local)
            if same and any(name.startswith(f"{target}.") for name in mention.resolution.chain):
                return Resolution(mention.resolution.symbol, (), (target, mention.resolution.symbol))
        return None


def owner_defines(scope: Scope, root: str, name: str) -> bool:
    """Whether `root` is an instance's own name (`self`) and its class binds `name`."""
    owner = scope.enclosing_class()
    return root in ("self", "cls") and owner is not None and name in owner.bindings

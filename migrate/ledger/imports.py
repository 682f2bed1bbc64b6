"""References in import statements: the last step in a file, since what a module is imported for shows in its uses."""

from __future__ import annotations

import ast
import re

from . import model
from .layout import absolute
from .mention import Explained, FileFindings
from .notes import Notes
from .python import PythonFile
from .resolve import Resolution
from .scopes import Scope

_MODULE = re.compile(rb"from[ \t\f\\\r\n]+([.\w\x80-\xff]+(?:[ \t]*\.[ \t]*[\w\x80-\xff]+)*)")


def find_imports(source: PythonFile, found: FileFindings) -> None:
    """Add the references in the import statements of a file to `found`, which holds its other references."""
    finder = _ImportFinder(source, found)
    for node, scope in source.names.imports:
        finder.statement(node, scope)


class _ImportFinder:
    def __init__(self, source: PythonFile, found: FileFindings) -> None:
        self.source = source
        self.found = found
        self.notes = Notes(source, found)
        self.vocabulary = source.vocabulary

    def statement(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.ImportFrom) and node.module:
            self._origin(node, scope)
        for alias in node.names:
            if isinstance(node, ast.ImportFrom) and alias.name == "*":
                self._star(node, alias, scope)
            else:
                self._import(node, alias, scope)

    def _origin(self, node: ast.ImportFrom, scope: Scope) -> None:
        """The module that a `from` names: a reference where the module itself is a symbol."""
        start, end = self.source.span(node)
        place = _MODULE.match(self.source.file.text, start, end)
        if place is None:
            return
        module = absolute(node.module, node.level, self.source.package)
        found = self.source.resolver.resolve(module) if self.vocabulary.may_mention(module) else None
        if found and self.source.resolver.is_module(found.symbol):
            self.notes.add(node, *place.span(1), model.MODULE_IMPORT, found, scope, local="", container=(start, end))
            return
        for hit in self.vocabulary.pattern.finditer(self.source.file.text, *place.span(1)):
            self.found.explained.append(Explained(*hit.span(), "a part of a module's name"))

    def _star(self, node: ast.ImportFrom, alias: ast.alias, scope: Scope) -> None:
        module = absolute(node.module, node.level, self.source.package)
        exposed = self.source.resolver.exposes(module, sorted(self.vocabulary.names))
        by_symbol: dict[str, tuple[str, Resolution]] = {}
        for name in exposed:
            if found := self.source.resolver.resolve(f"{module}.{name}"):
                by_symbol.setdefault(found.symbol, (name, found))
        for _, (name, found) in sorted(by_symbol.items()):
            start, end = self.source.span(alias)
            self.notes.add(
                alias, start, end, model.STAR_IMPORT, found, scope, local=name, container=self.source.span(node)
            )

    def _import(self, node: ast.Import | ast.ImportFrom, alias: ast.alias, scope: Scope) -> None:
        start, end = self.source.span(alias)
        target = alias.name
        if isinstance(node, ast.ImportFrom):
            module = absolute(node.module, node.level, self.source.package)
            target = f"{module}.{alias.name}" if module else alias.name
        found = self.source.resolver.resolve(target) if self.vocabulary.may_mention(target) else None
        container = self.source.span(node)
        local = alias.asname or alias.name
        origin = target.rpartition(".")[0] if isinstance(node, ast.ImportFrom) else ""
        if found and found.members and self.source.resolver.resolve(origin) is not None:
            return None  # the module before `import` is the reference
        if found and (isinstance(node, ast.ImportFrom) or not found.members or self.source.resolver.is_module(target)):
            role = model.MODULE_IMPORT if self.source.resolver.is_module(target) else model.IMPORT
            return self.notes.add(alias, start, end, role, found, scope, local=local, container=container)
        if reached := self._reached_through(target, local, isinstance(node, ast.Import) and not alias.asname):
            return self.notes.add(
                alias, start, end, model.MODULE_IMPORT, reached, scope, local=local, container=container
            )
        for part in {alias.name.rpartition(".")[2], alias.asname or ""} & self.vocabulary.names:
            if part == alias.asname or isinstance(node, ast.Import):
                for hit in self.vocabulary.pattern.finditer(self.source.file.text, start, end):
                    self.found.explained.append(Explained(*hit.span(), f"another object: {target}"))
            else:
                self.notes.explain_target(target, alias, scope, start, end)
        return None

    def _reached_through(self, target: str, local: str, plain: bool) -> Resolution | None:
        """The symbol that this file reaches through the module `target`."""
        for mention in self.found.mentions:
            same = mention.local == (local.partition(".")[0] if plain else local)
            if same and any(name.startswith(f"{target}.") for name in mention.resolution.chain):
                return Resolution(mention.resolution.symbol, (), (target, mention.resolution.symbol))
        return None

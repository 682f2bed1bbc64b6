"""Builds the ledger: reads the files, finds the aliases, asks the finders, checks them, decides fates.

The only place that knows every finder. It parses the files that hold a name, and those on the way to one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from . import model
from .analysis import find_in_python, join, python_file
from .crosscheck import longer_names, unexplained
from .documents import find_in_document
from .exports import Exports, exports_of
from .fates import IMPORTS, Decision, decide, decide_import
from .files import Files
from .instances import Privates, find_private_members, private_names
from .mention import FileFindings, Mention
from .notebooks import find_in_notebook
from .parsing import deeply, parse
from .python import PythonFile
from .resolve import Resolver
from .text import PYTHON, TextFile, UnreadableError
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ...plugins.project import Project

KEPT_TREES = 8 << 20
# Patching a name where it is used does not make it an export.
PATCHED = frozenset({model.STRING_TARGET, model.STRING_TARGET_MEMBER, model.STRING_TARGET_DYNAMIC})


def build(project: Project) -> model.Ledger:
    """The ledger of a project. Raises `ConfigurationError` where no symbol is configured."""
    settings = project.require_symbols()
    return _Builder(Files(project), settings.symbol).run()


class _Builder:
    def __init__(self, files: Files, symbols: Iterable[Symbol]) -> None:
        self.files = files
        self.symbols = {symbol.legacy: symbol for symbol in symbols}
        self.vocabulary = Vocabulary(tuple(sorted(self.symbols)))
        self.unreadable: dict[str, model.Unreadable] = {}
        self._trees: dict[str, ast.Module] = {}
        self._size = 0
        self._exports: dict[str, Exports | None] = {}
        self._texts: dict[str, TextFile] = {}
        self.resolver = Resolver(self.symbols, files.layout, self.exports)
        self.analysed: dict[str, PythonFile] = {}
        self.findings: dict[str, FileFindings] = {}

    def run(self) -> model.Ledger:
        self._find_aliases()
        paths = sorted(self.files.holding(self.vocabulary.names) if self.vocabulary.names else ())
        stars = [path for path in self._star_files() if path not in paths]
        for path in sorted([*paths, *stars]):
            self._guarded(path, self._read_python if path.endswith(PYTHON) else self._read_document)
        self._find_private_members()
        return self._ledger()

    # -- reading ---------------------------------------------------------------------------------------------------

    def text(self, path: str) -> TextFile:
        if path not in self._texts:
            self._texts[path] = TextFile(path, self.files.content(path))
        return self._texts[path]

    def tree(self, path: str) -> ast.Module:
        if path in self._trees:
            return self._trees[path]
        text = self.text(path).text
        tree = deeply(partial(parse, text))
        if self._size < KEPT_TREES:
            self._size += len(text)
            self._trees[path] = tree
        return tree

    def exports(self, module: str) -> Exports | None:
        """What a module exposes; None for one without a file, or one that cannot be parsed."""
        path = self.files.layout.file(module)
        if path is None:
            return None
        if path not in self._exports:
            own, package = self.files.layout.module(path), self.files.layout.package(path)
            try:
                tree = self.tree(path)
                self._exports[path] = deeply(lambda: exports_of(tree, own, package))
            except UnreadableError as error:
                self._exports[path] = None
                self.unreadable[path] = model.Unreadable(path, error.line, str(error))
        return self._exports[path]

    def _guarded(self, path: str, read: object) -> None:
        try:
            read(path)  # type: ignore[operator]
        except UnreadableError as error:
            self.unreadable[path] = model.Unreadable(path, error.line, str(error))

    # -- aliases ---------------------------------------------------------------------------------------------------

    def _find_aliases(self) -> None:
        """Names that lead to a symbol under another name; each makes further files worth reading."""
        searched: set[str] = set()
        fresh = set(self.vocabulary.names)
        while fresh:
            searched |= fresh
            for path in list(self.files.holding(fresh)):
                if path.endswith(PYTHON):
                    self._guarded(path, self._aliases_in)
            fresh = set(self.vocabulary.names) - searched

    def _aliases_in(self, path: str) -> None:
        module = self.files.layout.module(path)
        exports = self.exports(module) if module and self.files.layout.file(module) == path else None
        if exports is None:
            return
        aliases = dict(self.vocabulary.aliases)
        names = [name for name, bindings in exports.names.items() if any(each.leads for each in bindings)]
        for name in (*names, *exports.lazy):
            last = name.rpartition(".")[2]
            found = self.resolver.resolve(f"{module}.{name}")
            if found and not found.members and last not in self.vocabulary.names and not last.startswith("__"):
                aliases[last] = found.symbol
        if len(aliases) != len(self.vocabulary.aliases):
            self.vocabulary = replace(self.vocabulary, aliases=aliases)

    def _star_files(self) -> list[str]:
        """Files with a star import, which can pass a name on without writing it."""
        return [path for path in self.files.holding(["import *"]) if path.endswith(PYTHON)]

    # -- finders ---------------------------------------------------------------------------------------------------

    def _python_file(self, path: str) -> PythonFile:
        if path not in self.analysed:
            self.analysed[path] = python_file(
                self.text(path), self.files.layout, self.resolver, self.vocabulary, self.tree(path)
            )
        return self.analysed[path]

    def _read_python(self, path: str) -> None:
        self.findings[path] = deeply(partial(find_in_python, self._python_file(path)))

    def _read_document(self, path: str) -> None:
        file = self.text(path)
        if path.endswith(".ipynb"):
            self.findings[path] = find_in_notebook(file, self.resolver, self.vocabulary, self._read_cells)
        else:
            self.findings[path] = find_in_document(file, self.resolver, self.vocabulary)

    def _read_cells(self, file: TextFile) -> FileFindings:
        return find_in_python(python_file(file, self.files.layout, self.resolver, self.vocabulary))

    def _find_private_members(self) -> None:
        privates = self._privates()
        if not any(privates.defined.values()):
            return
        extra = [path for path in self.files.holding(privates.distinctive) if path.endswith(PYTHON)]
        for path in sorted({*extra, *self.analysed}):
            self._guarded(path, lambda path: self._private_members_in(path, privates))

    def _private_members_in(self, path: str, privates: Privates) -> None:
        found = self.findings.setdefault(path, FileFindings())
        join(found, find_private_members(self._python_file(path), found, privates))

    def _privates(self) -> Privates:
        defined: dict[str, frozenset[str]] = {}
        others: set[str] = set()
        for path, source in self.analysed.items():
            own = {
                (each.start, each.resolution.symbol)
                for each in self.findings[path].mentions
                if each.role == model.DEFINITION and len(each.resolution.chain) == 1
            }
            for node in source.names.classes:
                first, last = source.span(node)
                symbol = next((symbol for start, symbol in own if first <= start < last), None)
                if symbol:
                    defined[symbol] = private_names(node)
                elif not self._is_subclass(source, node):
                    others |= private_names(node)
        distinctive = {
            name: symbol for symbol in sorted(defined) for name in defined[symbol] - others if len(name.strip("_")) > 3
        }
        return Privates(defined, distinctive)

    def _is_subclass(self, source: PythonFile, node: ast.ClassDef) -> bool:
        places = {source.span(base) for base in node.bases}
        mentions = self.findings[source.file.path].mentions
        return any((each.start, each.end) in places for each in mentions)

    # -- the ledger ------------------------------------------------------------------------------------------------

    def _ledger(self) -> model.Ledger:
        self._mark_re_exports()
        references: list[model.Reference] = []
        missing: list[model.Occurrence] = []
        lookalikes: list[model.Lookalike] = []
        for path, found in sorted(self.findings.items()):
            file = self.text(path)
            references.extend(self._references(file, found.mentions))
            for start, end in unexplained(file, self.vocabulary, found):
                place = file.place(start, end)
                missing.append(
                    model.Occurrence(
                        path, place.line, place.column, place.start, place.end, file.slice(start, end),
                        found.doubts.get(start, "nothing that graphlift reads explains this place"),
                    )
                )  # fmt: skip
            for each in {*found.explained, *longer_names(file, self.vocabulary, found)}:
                place = file.place(each.start, each.end)
                lookalikes.append(
                    model.Lookalike(
                        path, place.line, place.column, place.start, place.end,
                        file.slice(each.start, each.end), each.reason,
                    )
                )  # fmt: skip
        unread = [model.Unreadable(path, 1, reason) for path, reason in self.files.errors.items()]
        return model.Ledger(
            tuple(sorted(set(references), key=_order)),
            tuple(sorted(missing)),
            tuple(sorted(lookalikes)),
            tuple(sorted([*self.unreadable.values(), *unread])),
        )

    def _mark_re_exports(self) -> None:
        """An import is a re-export where its name is there for others; only now it is known who imports from where."""
        wanted = {
            name
            for path, found in self.findings.items()
            for each in found.mentions
            if each.role not in PATCHED
            for name in each.resolution.chain[:-1]
            if not name.startswith(f"{self.files.layout.module(path)}.")
        }
        for path, source in self.analysed.items():
            found = self.findings.get(path, FileFindings())
            used = {
                each.local for each in found.mentions if each.role not in IMPORTS and each.role != model.NAME_STRING
            }
            for index, each in enumerate(found.mentions):
                if each.role == model.IMPORT and self._is_re_export(source, each, used, wanted):
                    context: model.Context = each.context if each.context in ("test", "guard") else "shim"
                    found.mentions[index] = replace(each, role=model.RE_EXPORT, context=context)

    def _is_re_export(self, source: PythonFile, each: Mention, used: set[str], wanted: set[str]) -> bool:
        if each.function or (each.context in ("type-only", "guard") and not source.file.path.endswith(".pyi")):
            return False
        exports = self.exports(source.module)
        listed = exports is not None and exports.listed is not None and each.local in exports.listed
        text = source.file.slice(each.start, each.end).split()
        same = len(text) == 3 and text[0] == text[2]
        if listed or same or f"{source.module}.{each.local}" in wanted:
            return True
        if each.local in used:
            return False
        return source.file.path.endswith("__init__.py") or each.context != "test"

    def _references(self, file: TextFile, mentions: list[Mention]) -> list[model.Reference]:
        uses: dict[str, list[tuple[Mention, Decision]]] = {}
        decided: list[tuple[Mention, Decision | None]] = []
        for each in mentions:
            if each.role in IMPORTS:
                decided.append((each, None))
                continue
            decision = decide(each, self.symbols[each.resolution.symbol])
            decided.append((each, decision))
            if each.local and each.role != model.NAME_STRING:
                uses.setdefault(each.local, []).append((each, decision))
        return [self._reference(file, each, decision or self._decide_import(each, uses)) for each, decision in decided]

    def _decide_import(self, each: Mention, uses: dict[str, list[tuple[Mention, Decision]]]) -> Decision:
        symbol = self.symbols[each.resolution.symbol]
        return decide_import(each, symbol, uses.get(each.local.partition(".")[0], []))

    def _reference(self, file: TextFile, each: Mention, decision: Decision) -> model.Reference:
        place = file.place(each.start, each.end)
        container = file.place(*each.container) if each.container else None
        return model.Reference(
            file.path, place.line, place.column, place.start, place.end, each.resolution.symbol, each.role,
            each.context, decision.fate, decision.reason, each.resolution.chain, each.function,
            file.slice(each.start, each.end), each.local,
            (container.start, container.end) if container else None, each.certain, each.inside,
        )  # fmt: skip


def _order(reference: model.Reference) -> tuple[object, ...]:
    return (reference.file, reference.start, reference.end, reference.role, reference.symbol)

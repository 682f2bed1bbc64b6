"""Builds the ledger: asks the finders, compares files, checks the result against a plain search, decides fates.

What is read and resolved is the business of `search`; this is the only place that knows of all files at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...adapters.errors import ConfigurationError
from ..collecting import no_collections
from . import instances, model
from .crosscheck import longer_names, unexplained
from .dynamic import find_dynamic, homes_of, may_ask
from .fates import IMPORTS, Decision, decide, decide_import
from .files import Files
from .finders import built_in
from .givers import givers_of
from .instances import find_private_members, less_distinctive, privates_of
from .mention import FileFindings, Mention
from .misuse import Shape, find_misuses, shapes_of
from .modules import Modules, find_in_strings, find_in_text
from .parsing import deeply
from .search import Search
from .signatures import Signature
from .targets import Targets
from .text import PYTHON, TextFile

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from .finders import ReferenceFinder
    from .python import PythonFile

Signatures = Mapping[str, Signature | None]
Uses = dict[str, list[tuple[Mention, Decision]]]


@no_collections()
def build(
    project: Project, finders: Sequence[ReferenceFinder] | None = None, files: Files | None = None
) -> model.Ledger:
    """The ledger of a project, read through `files`.

    Raises `ConfigurationError` where no symbol is configured, or no file of Python is left to look at.
    """
    settings = project.require_symbols()
    symbols = {symbol.legacy: symbol for symbol in settings.symbol}
    files = files or Files(project)
    _require_files(project, files)
    search = Search(files, symbols)
    search.find_aliases()
    findings = _find(search, built_in() if finders is None else finders)
    _find_private_members(search, findings)
    shapes = _find_misuses(search, findings)
    _mark_re_exports(search, findings)
    _find_dynamic(search, findings)
    Targets(search, symbols).mark(findings)
    return _ledger(search, findings, symbols, {name: shape.signature for name, shape in shapes.items()})


def _require_files(project: Project, files: Files) -> None:
    """Where nothing is looked at nothing is found, and that would read as a migration that is done."""
    restricted = bool(project.settings.exclude) or not files.paths
    if restricted and not any(path.endswith(PYTHON) for path in files.paths):
        raise ConfigurationError(
            "`source` and `exclude` leave no Python file to look at",
            where=project.config_file.name if project.config_file else None,
            mend="correct `source` and `exclude`",
        )


def _find(search: Search, finders: Sequence[ReferenceFinder]) -> dict[str, FileFindings]:
    findings: dict[str, FileFindings] = {}

    def read(path: str) -> None:
        # A script without a suffix is read as what it is.
        named = f"{path}.py" if not path.endswith(PYTHON) and search.is_python(path) else path.lower()
        asked = [finder for finder in finders if named.endswith(finder.suffixes or ("\0",))]
        found = FileFindings(is_read=True)
        findings[path] = found
        try:
            for finder in asked or [finder for finder in finders if not finder.suffixes]:
                found.join(deeply(partial(finder.find, search.text(path), search)))
        except ValueError:
            # A file that cannot be read is reported as such, not as full of unexplained places.
            del findings[path]
            raise

    def look(path: str) -> None:
        search.text(path)
        findings[path] = FileFindings()

    full, near = search.paths()
    for path in full:
        search.guarded(path, read)
    for path in near:
        search.guarded(path, look)
    return findings


# -- what only a look at all files shows -----------------------------------------------------------------------------


def _find_private_members(search: Search, findings: dict[str, FileFindings]) -> None:
    read = {path: search.python(path) for path, found in findings.items() if found.is_read and search.is_python(path)}
    privates = privates_of(read, findings)
    if not privates.defined:
        return
    givers = givers_of(read, findings)
    names = {symbol.rpartition(".")[0].rpartition(".")[2] for symbol in search.vocabulary.symbols} - {""}
    search.files.holding({*privates.distinctive, *names, *givers.words})  # all that is asked for later on in one pass
    every = search.files.holding(privates.distinctive)
    holding = [path for path in every if search.is_python(path)]
    contents = {path: search.files.content(path) for path in holding if path not in read}
    privates = less_distinctive(privates, contents.values())
    left = [name.encode() for name in privates.distinctive]
    extra = [path for path, content in contents.items() if any(name in content for name in left)]
    given = _holding_both(search, givers.words, {name for names in privates.defined.values() for name in names})
    wanted = {*extra, *given, *read} - set(search.unreadable)

    def look(path: str) -> None:
        found = findings.setdefault(path, FileFindings())
        found.join(deeply(lambda: find_private_members(search.python(path), found, privates, givers)))

    for path in sorted(wanted):
        search.guarded(path, look)

    def look_in_text(path: str) -> None:
        found = instances.find_in_text(search.text(path), privates)
        if found.mentions:
            findings.setdefault(path, FileFindings()).join(found)

    for path in sorted({*every} - {*holding} - set(search.unreadable)):
        search.guarded(path, look_in_text)


def _holding_both(search: Search, words: Iterable[str], members: Collection[str]) -> Iterator[str]:
    """The Python files in which one of `words` stands, and one of `members` is asked of something."""
    asked = re.compile(rb"(?:\.[ \t]*|['\"])(?:%s)\b" % "|".join(sorted(members)).encode())
    for path in search.files.holding(words) if members else ():
        if search.is_python(path) and asked.search(search.files.content(path)):
            yield path


def _find_misuses(search: Search, findings: dict[str, FileFindings]) -> dict[str, Shape]:
    read = {path: search.python(path) for path, found in findings.items() if found.mentions and search.is_python(path)}
    shapes = shapes_of(search, read.values())
    for path, source in read.items() if shapes else ():
        deeply(partial(find_misuses, source, findings[path], shapes))
    return shapes


def _find_dynamic(search: Search, findings: dict[str, FileFindings]) -> None:
    homes = homes_of(search, findings)
    _find_modules(search, findings, Modules.of(search, homes))
    for path in search.files.holding({module.rpartition(".")[2] for module in homes}):
        if path not in search.unreadable and search.is_python(path) and may_ask(search.files.content(path), homes):
            search.guarded(path, partial(_look_for_dynamic, search, findings, homes))


def _look_for_dynamic(search: Search, findings: dict[str, FileFindings], homes: Mapping[str, str], path: str) -> None:
    found = deeply(lambda: find_dynamic(search.python(path), homes))
    if found.mentions:
        findings.setdefault(path, FileFindings()).join(found)


def _find_modules(search: Search, findings: dict[str, FileFindings], modules: Modules) -> None:
    """Look for strings and texts that name a symbol's module, in the files that hold the module's last name."""

    def look(path: str) -> None:
        if not search.is_python(path):
            found = find_in_text(search.text(path), modules)
        else:
            found = deeply(partial(find_in_strings, search.python(path), modules))
        if found.mentions:
            findings.setdefault(path, FileFindings()).join(found)

    for path in search.files.holding(modules.words):
        if path not in search.unreadable and modules.may_be_in(search.files.content(path)):
            search.guarded(path, look)


def _mark_re_exports(search: Search, findings: dict[str, FileFindings]) -> None:
    """An import is a re-export where its name is there for others; only now it is known who imports from where."""
    wanted = {
        name
        for path, found in findings.items()
        for each in found.mentions
        if each.role not in model.PATCHED
        for name in each.resolution.chain[:-1]
        if not name.startswith(f"{search.files.layout.module(path)}.")
    }
    for path, found in findings.items():
        if not found.mentions or not search.is_python(path):
            continue
        source = search.python(path)
        used = {each.local for each in found.mentions if each.role not in IMPORTS and each.role != model.NAME_STRING}
        for index, each in enumerate(found.mentions):
            if each.role == model.IMPORT and _is_re_export(search, source, each, used, wanted):
                context: model.Context = each.context if each.context in ("test", "type-only") else "shim"
                found.mentions[index] = replace(each, role=model.RE_EXPORT, context=context)


def _is_re_export(search: Search, source: PythonFile, each: Mention, used: set[str], wanted: set[str]) -> bool:
    stub = source.file.path.endswith(".pyi")
    if each.function or (each.context in ("type-only", "guard") and not stub):
        return False
    exports = search.exports(source.module, [each.local])
    listed = exports is not None and exports.listed is not None and each.local in exports.listed
    words = source.file.slice(each.start, each.end).split()
    same = len(words) == 3 and words[0] == words[2]
    if listed or same or f"{source.module}.{each.local}" in wanted:
        return True
    if each.local in used or stub:
        return False
    return source.file.path.endswith("__init__.py") or each.context != "test"


# -- the ledger ------------------------------------------------------------------------------------------------------


def _ledger(
    search: Search, findings: dict[str, FileFindings], symbols: Mapping[str, Symbol], signatures: Signatures
) -> model.Ledger:
    references: list[model.Reference] = []
    missing: list[model.Occurrence] = []
    lookalikes: list[model.Lookalike] = []
    for path, found in sorted(findings.items()):
        file = search.text(path)
        references.extend(_references(file, found.mentions, symbols, signatures))
        for start, end in unexplained(file, search.vocabulary, found) if found.is_read else ():
            reason = found.doubts.get(start, "nothing that graphlift reads explains this place")
            missing.append(model.Occurrence(*_placed(file, start, end), reason))
        notes = {*found.explained, *longer_names(file, search.vocabulary, found)}
        lookalikes.extend(model.Lookalike(*_placed(file, each.start, each.end), each.reason) for each in notes)
    unread = [model.Unreadable(path, 1, reason) for path, reason in search.files.errors.items()]
    return model.Ledger(
        tuple(sorted(set(references), key=_order)),
        tuple(sorted(missing)),
        tuple(sorted(lookalikes)),
        tuple(sorted([*search.unreadable.values(), *unread])),
        {name: signature for name, signature in sorted(signatures.items()) if signature},
    )


def _placed(file: TextFile, start: int, end: int) -> tuple[str, int, int, int, int, str]:
    place = file.place(start, end)
    return file.path, place.line, place.column, place.start, place.end, file.slice(start, end)


def _references(
    file: TextFile, mentions: Sequence[Mention], symbols: Mapping[str, Symbol], signatures: Signatures
) -> list[model.Reference]:
    uses: Uses = {}
    decided: list[tuple[Mention, Decision | None]] = []
    for each in mentions:
        symbol = each.resolution.symbol
        decision = None if each.role in IMPORTS else decide(each, symbols[symbol], signatures.get(symbol))
        decided.append((each, decision))
        if decision and each.local and each.role != model.NAME_STRING:
            uses.setdefault(each.local, []).append((each, decision))
    return [_reference(file, each, decision or _of_import(each, symbols, uses)) for each, decision in decided]


def _of_import(each: Mention, symbols: Mapping[str, Symbol], uses: Uses) -> Decision:
    return decide_import(each, symbols[each.resolution.symbol], uses.get(each.local.partition(".")[0], []))


def _reference(file: TextFile, each: Mention, decision: Decision) -> model.Reference:
    path, line, column, start, end, text = _placed(file, each.start, each.end)
    container = file.place(*each.container) if each.container else None
    return model.Reference(
        path, line, column, start, end, each.resolution.symbol, each.role, each.context, decision.fate,
        decision.reason, each.resolution.chain, each.function, text, each.local,
        (container.start, container.end) if container else None, each.certain, each.inside, each.own_target,
    )  # fmt: skip


def _order(reference: model.Reference) -> tuple[object, ...]:
    return (reference.file, reference.start, reference.end, reference.role, reference.symbol)

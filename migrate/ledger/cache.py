"""The ledger of the last run, given again where nothing that it depends on has changed.

It depends on the settings, graphlift's own code, the Python version, which files there are, which of them hold the words
that were asked for, and the bytes of those that were read into (`files` sees to that). A file whose size, times and inode
are as they were is not read again, unless it was written so shortly before the last look that a later change could show the
same time (as in git's index: "racy"). Of others the content decides. Plugins' finders may read anything: with one of them,
nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import NOTHING, Facts, Files, Remembered, State, digest, paths_of, read, roots_of
from .finders import BUILT_IN
from .model import Ledger
from .shelf import Draft, Shelf
from .signatures import Signature

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from ...plugins.project import Project
    from .finders import ReferenceFinder

FORMAT = 1
SLACK = 2 * 10**9
"""Nanoseconds before the look in which a file's times say nothing: the coarsest file systems count in two seconds."""
PACKAGE = Path(__file__).parents[2]
SOURCES = ("migrate/ledger", "plugins")
"""The folders whose code makes a ledger from files and settings."""


@dataclass
class Memory:
    """What is kept: the ledger as JSON, and all that it depends on. A state is None where it says nothing."""

    paths: list[str]
    roots: list[str]
    words: list[str]
    states: list[State | None]
    facts: dict[str, Facts]
    digests: dict[str, str]
    ledger: bytes
    differing: list[str] = field(default_factory=list)
    """The paths whose state is another one, or says nothing; found by `look`."""

    def look(self, root: str, other: frozenset[str] = frozenset()) -> None:
        """Ask the file system for every file's state, but for those in `other`, which it knows nothing of."""
        self.differing = [
            path
            for path, state in zip(self.paths, self.states, strict=True)
            if state is None or path in other or not _is(root, path, state)
        ]

    def verify(self, root: str, view: View) -> None:
        """Read the differing files; those that say the same to the ledger get their new state, and differ no more."""
        index = {path: number for number, path in enumerate(self.paths)}
        left: list[str] = []
        for path in self.differing:
            try:
                state: State | None
                content, state = (view.read(path), None) if path in view.other else read(f"{root}/{path}")
            except OSError:
                left.append(path)
                continue
            same_facts = Facts.of(path, content, self.words) == self.facts.get(path, NOTHING)
            if same_facts and self.digests.get(path) in (None, digest(content)):
                self.states[index[path]] = state
            else:
                left.append(path)
        self.differing = left

    def remembered(self) -> Remembered:
        """The facts of the files that do not differ."""
        changed = set(self.differing)
        return Remembered(
            self.words, {path: self.facts.get(path, NOTHING) for path in self.paths if path not in changed}
        )


class View:
    """A state of the project that is kept by itself: here, what is on disk.

    Another one that is mostly on disk, such as git's index, has a name, and says in `other` which files are not as they are
    on disk; `read` gives their bytes.
    """

    name = ""
    other: frozenset[str] = frozenset()

    def __init__(self, project: Project) -> None:
        self.project = project

    def listing(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The paths, and the folders that imports start from."""
        return paths_of(self.project), roots_of(self.project)

    def read(self, path: str) -> bytes:
        """A file's bytes; asked for those in `other` only."""
        raise LookupError(path)

    def files(self, remembered: Remembered | None) -> Files:
        """The files to read a ledger from."""
        return Files(self.project, remembered)


def cached(project: Project, finders: Sequence[ReferenceFinder] | None, view: View | None = None) -> Ledger:
    """What `build` gives, or gave the last time if nothing has changed since; of another `view` than the disk, if given.

    With a finder of a plugin, and where `.graphlift` is no plain folder, it is always built.
    """

    def build(files: Files) -> Ledger:
        from .build import build as build_now

        return build_now(project, finders, files)

    view = view or View(project)
    if not (finders is None or all(type(finder) in BUILT_IN for finder in finders)) or not _code():
        return build(view.files(None))
    shelf, key = Shelf(project.root), key_of(project) + view.name
    memory = _parsed(shelf.read(key), key)
    paths, roots = view.listing()
    if memory is not None:
        memory.look(os.fspath(project.root), view.other)
        same = memory.paths == list(paths) and memory.roots == list(roots)
        if same and not memory.differing and (known := _ledger(memory)):
            return known
    draft = shelf.draft()
    if draft is None:
        return build(view.files(None))
    try:
        ledger, kept = _again(view, memory, build, (paths, roots))
        if kept is not None:
            shelf.write(draft, key, _packed(kept, key, draft))
        return ledger
    finally:
        shelf.drop(draft)


def _again(
    view: View,
    memory: Memory | None,
    build: Callable[[Files], Ledger],
    listing: tuple[tuple[str, ...], tuple[str, ...]],
) -> tuple[Ledger, Memory | None]:
    """The ledger, and what to keep; None where a file could not be read, which says nothing about the next time."""
    if memory is not None:
        memory.verify(os.fspath(view.project.root), view)
        same = memory.paths == list(listing[0]) and memory.roots == list(listing[1])
        if same and not memory.differing and (known := _ledger(memory)):
            return known, memory
    files = view.files(memory.remembered() if memory else None)
    ledger = build(files)
    return ledger, None if files.errors else _memory(files, memory, ledger, view.other)


def _memory(files: Files, before: Memory | None, ledger: Ledger, other: frozenset[str]) -> Memory | None:
    try:
        text = _adapter().dump_json(ledger)
    except ValueError:
        return None  # a file's name that is no Unicode
    known = dict(zip(before.paths, before.states, strict=True)) if before else {}
    states = [None if path in other else files.states.get(path) or known.get(path) for path in files.paths]
    return Memory(
        list(files.paths), list(files.roots), sorted(files.words), states, files.facts(), files.consumed, text,
    )  # fmt: skip


def _is(root: str, path: str, state: State) -> bool:
    try:
        return State.of(os.stat(f"{root}/{path}")) == state  # noqa: PTH116  (thousands of them)
    except OSError:
        return False


# -- what a ledger hangs on besides files ----------------------------------------------------------------------------


def key_of(project: Project) -> str:
    """The name that a ledger is kept under: of the settings, graphlift's code and the Python that runs it."""
    config = project.config_file.name if project.config_file else ""
    parts = (str(FORMAT), sys.version, sys.implementation.name, _code(), config, project.settings.model_dump_json())
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    """A digest of graphlift's own sources, so that no other version's answer is taken; "" where they cannot be read."""
    found = hashlib.sha256()
    sources = [sorted((PACKAGE / folder).glob("*.py")) for folder in SOURCES]
    try:
        for source in (source for each in sources for source in each):
            found.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    except OSError:
        return ""
    return found.hexdigest() if all(sources) else ""


# -- as bytes --------------------------------------------------------------------------------------------------------


def _packed(memory: Memory, key: str, draft: Draft) -> bytes:
    numbers = {path: number for number, path in enumerate(memory.paths)}
    trusted = draft.clock - SLACK
    body = {
        "paths": memory.paths,
        "roots": memory.roots,
        "words": memory.words,
        "states": [
            _row(state) if state and max(state.mtime, state.ctime) < trusted else None for state in memory.states
        ],
        "facts": [[numbers[path], sorted(f.held), f.wide, f.binary] for path, f in sorted(memory.facts.items())],
        "digests": [[numbers[path], text] for path, text in sorted(memory.digests.items())],
    }
    content = json.dumps(body, separators=(",", ":")).encode() + b"\n" + memory.ledger
    return f"graphlift {key} {digest(content)}\n".encode() + content


def _row(state: State) -> list[int]:
    return [state.size, state.mtime, state.ctime, state.inode]


def _parsed(content: bytes | None, key: str) -> Memory | None:
    """What was kept; None for anything that is not whole, or not of this key."""
    head, _, rest = (content or b"").partition(b"\n")
    if head != f"graphlift {key} {digest(rest)}".encode():
        return None
    body, _, ledger = rest.partition(b"\n")
    try:
        found: dict[str, Any] = json.loads(body)
        paths: list[str] = found["paths"]
        facts = {paths[number]: Facts(frozenset(held), wide, binary) for number, held, wide, binary in found["facts"]}
        digests = {paths[number]: text for number, text in found["digests"]}
        states = [State(*row) if row else None for row in found["states"]]
        return Memory(paths, found["roots"], found["words"], states, facts, digests, ledger)
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _ledger(memory: Memory) -> Ledger | None:
    try:
        return _adapter().validate_json(memory.ledger)
    except ValueError:
        return None


@cache
def _adapter() -> TypeAdapter[Ledger]:
    from pydantic import TypeAdapter

    adapter = TypeAdapter(Ledger)
    # The ledger's own module names it for type checkers only.
    adapter.rebuild(_types_namespace={"Signature": Signature})
    return adapter

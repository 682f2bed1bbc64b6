"""The files of a code base: which belong to it, their bytes read once, and which of them hold a word.

The search is a plain one over bytes; parsing is for the few files that it leaves. Whoever reads a ledger through this class
alone depends on nothing but `paths`, the answers of `holding` and the bytes of `consumed`, which is what the cache relies on.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .layout import Layout
from .text import PYTHON, is_binary, is_wide

if TYPE_CHECKING:
    from ...plugins.project import Project

KEPT_BYTES = 64 << 20
ROOT_SUFFIXES = (".cfg", ".ini", ".md", ".rst", ".toml", ".txt", ".yaml", ".yml", ".json")


@dataclass(frozen=True)
class State:
    """What says, without reading it, that a file is as it was: size, times of content and of inode, inode."""

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> State:
        """The state that a call of `stat` gives."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


@dataclass(frozen=True)
class Facts:
    """What a search needs to know of a file that it does not read: which of the words asked for it holds.

    `wide`: its encoding hides words, so that it counts as holding each; `binary`: it is no text, and never counts.
    """

    held: frozenset[str] = frozenset()
    wide: bool = False
    binary: bool = False

    @classmethod
    def of(cls, path: str, content: bytes, words: Iterable[str]) -> Facts:
        """The facts of a file's bytes."""
        held = frozenset(word for word in words if word.encode() in content)
        wide = is_wide(content)
        return cls(held, wide, (bool(held) or wide) and not path.endswith(PYTHON) and is_binary(content))


NOTHING = Facts()


class Remembered:
    """The facts of files that have not changed since they were found, for the words that were asked for then."""

    def __init__(self, words: Iterable[str] = (), facts: dict[str, Facts] | None = None) -> None:
        self.words = frozenset(words)
        self.facts = facts or {}


class Files:
    """Paths (relative, sorted) and contents of a project's files, and of the configuration at its root."""

    def __init__(self, project: Project, remembered: Remembered | None = None) -> None:
        """`remembered` saves reading files that hold nothing. `consumed` has the digests of those whose bytes were asked for."""
        self._root = os.fspath(project.root)
        self.paths = paths_of(project)
        self.roots = roots_of(project)
        self.errors: dict[str, str] = {}
        self.states: dict[str, State] = {}
        self.consumed: dict[str, str] = {}
        self._remembered = remembered or Remembered()
        self._kept: dict[str, bytes] = {}
        self._size = 0
        self._holders: dict[str, set[str]] = {}
        self._wide: set[str] = set()
        self._binary: set[str] = set()

    @cached_property
    def layout(self) -> Layout:
        """Which module each path is."""
        return Layout(self.paths, self.roots)

    def content(self, path: str) -> bytes:
        """A file's bytes; b"" for one that cannot be read, which `errors` then names."""
        content = self._content(path)
        if path not in self.consumed:
            self.consumed[path] = digest(content)
        return content

    def _content(self, path: str) -> bytes:
        if path in self._kept:
            return self._kept[path]
        try:
            content, self.states[path] = read(f"{self._root}/{path}")
        except OSError as error:
            self.errors[path] = f"cannot be read: {error.strerror}"
            return b""
        if self._size < KEPT_BYTES:
            self._size += len(content)
            self._kept[path] = content
        return content

    def holding(self, words: Iterable[str]) -> Sequence[str]:
        """The files in whose bytes one of `words` stands, and those in a wide encoding, whose bytes say nothing."""
        wanted = set(words)
        if new := wanted - self._holders.keys():
            self._scan(new)
        found = self._wide.union(*(self._holders[word] for word in wanted)) - self._binary
        return [path for path in self.paths if path in found]

    def _scan(self, words: set[str]) -> None:
        """Find the files that hold each of `words`, all in one pass over the files."""
        needles = [(word.encode(), word) for word in sorted(words)]
        for word in words:
            self._holders[word] = set()
        known = self._remembered.facts if words <= self._remembered.words else {}
        for path in self.paths:
            if (facts := known.get(path)) is not None:
                held = facts.held & words
            else:
                content = self._content(path)
                held = frozenset(word for needle, word in needles if needle in content)
                facts = Facts.of(path, content, ()) if not content.isascii() else NOTHING
                if held or facts.wide:
                    facts = Facts(held, facts.wide, not path.endswith(PYTHON) and is_binary(content))
            self._note(path, held, facts)

    def _note(self, path: str, held: frozenset[str], facts: Facts) -> None:
        for word in held:
            self._holders[word].add(path)
        if facts.wide:
            self._wide.add(path)
        if facts.binary:
            self._binary.add(path)

    # -- for the cache ---------------------------------------------------------------------------------------------

    @property
    def words(self) -> frozenset[str]:
        """The words that were asked for."""
        return frozenset(self._holders)

    def facts(self) -> dict[str, Facts]:
        """What was found in each file that holds a word, or whose bytes say nothing; the others have none."""
        held: dict[str, set[str]] = {path: set() for path in self._wide}
        for word, paths in self._holders.items():
            for path in paths:
                held.setdefault(path, set()).add(word)
        return {path: Facts(frozenset(words), path in self._wide, path in self._binary) for path, words in held.items()}


def digest(content: bytes) -> str:
    """What tells contents apart."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def read(path: str) -> tuple[bytes, State]:
    """A file's bytes and the state it was in before they were read. Raises OSError."""
    # A stream of Python's costs more than reading a small file does.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(21, "Is a directory")
        parts = [os.read(handle, found.st_size + 1)]
        while len(parts[-1]) and (len(parts) > 1 or len(parts[0]) != found.st_size):
            parts.append(os.read(handle, 1 << 20))
    finally:
        os.close(handle)
    return parts[0] if len(parts) == 1 else b"".join(parts), State.of(found)


def paths_of(project: Project) -> tuple[str, ...]:
    """The files that belong to the code base, and the configuration and documents at its root."""
    source = project.files()
    beside = [
        entry.name
        for entry in project.root.iterdir()
        if entry.suffix in ROOT_SUFFIXES and entry.is_file() and not entry.is_symlink()
    ]
    # Entry points and documents at the root name symbols too, whatever `source` says.
    return tuple(sorted({*source, *(name for name in beside if not project.excludes(name))}))


def roots_of(project: Project) -> tuple[str, ...]:
    """The folders that imports start from: the source folders, and `src` and `lib` where they are no packages."""
    named = [name for name in project.settings.source if (project.root / name).is_dir()]
    usual = [name for name in ("src", "lib") if (project.root / name).is_dir()]
    relative = [Path(name).as_posix() for name in (*named, *usual)]
    return tuple("" if name == "." else name for name in relative)

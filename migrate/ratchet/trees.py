"""The states of a code base that are measured: the work tree, the index, a commit, and any of them with changes laid over.

A tree lists regular files (what git tracks or could track, wherever `source` and `exclude` point) and reads them. Nothing
is written, except that `project()` of a tree that is not on disk puts one into a temporary folder.
"""

from __future__ import annotations

import os
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...adapters.errors import EnvironmentProblem
from ...plugins.configuration import Settings
from ...plugins.project import Project
from ..git import Entry, Git


class Tree(ABC):
    """One state of the code base. Paths are relative to the project's root, with forward slashes."""

    base: Project

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every regular file."""
        return self._list()

    @abstractmethod
    def _list(self) -> frozenset[str]: ...

    @abstractmethod
    def read(self, path: str) -> bytes:
        """The content of a file that `paths` holds."""

    def preload(self, paths: Iterable[str]) -> None:
        """Say which files will be read, so that a tree that must ask git asks once; nothing to do where files are at hand."""
        del paths

    def text(self, path: str) -> str | None:
        """A file's text, or None where the tree has no such file."""
        return self.read(path).decode("utf-8-sig", "replace") if path in self.paths else None

    @cached_property
    def import_roots(self) -> tuple[str, ...]:
        """The folders that modules are imported from, as prefixes of paths ("" or "src/")."""
        relative = (root.relative_to(self.base.root).as_posix() for root in self.base.source_roots)
        return tuple("" if name == "." else f"{name}/" for name in relative)

    @contextmanager
    def project(self) -> Iterator[Project]:
        """This state as a project on disk, for what can only read files; with this state's own configuration."""
        with tempfile.TemporaryDirectory(prefix="graphlift-") as folder:
            root = Path(folder).resolve()
            self.preload(self.paths)
            for path in self.paths:
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.read(path))
            (root / ".git").mkdir(exist_ok=True)  # ends the search for a configuration above
            yield Project.open(root)


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@dataclass
class WorkTree(Tree):
    """What is on disk now. Symbolic links are no files of their own."""

    base: Project
    git: Git | None

    def _list(self) -> frozenset[str]:
        """Every regular file that git tracks or could track; without git, everything but tool folders."""
        listed = self.git.files() if self.git else Project(self.base.root, None, Settings()).files()
        root = os.fspath(self.base.root) + os.sep
        return frozenset(path for path in listed if _is_regular(root + path))

    def read(self, path: str) -> bytes:
        """The content on disk."""
        try:
            # Thousands of files: pathlib alone would take longer than reading them.
            with open(os.fspath(self.base.root) + os.sep + path, "rb") as file:  # noqa: PTH123
                return file.read()
        except OSError as error:
            raise EnvironmentProblem(f"cannot be read: {error.strerror}", where=path, mend="make it readable") from None

    @contextmanager
    def project(self) -> Iterator[Project]:
        """The project itself."""
        yield self.base


@dataclass
class StoredTree(Tree):
    """A commit, or the index (`revision` is "")."""

    base: Project
    git: Git
    revision: str
    _content: dict[str, bytes] = field(default_factory=dict)

    @cached_property
    def _blobs(self) -> dict[str, str]:
        entries: tuple[Entry, ...] = self.git.tree(self.revision) if self.revision else self.git.staged()
        return {entry.path: entry.blob for entry in entries}

    def _list(self) -> frozenset[str]:
        """Every regular file of the commit or the index."""
        return frozenset(self._blobs)

    def read(self, path: str) -> bytes:
        """The stored content; attributes such as `eol` are not applied."""
        if path not in self._content:
            self.preload((path,))
        return self._content[path]

    def preload(self, paths: Iterable[str]) -> None:
        """Ask git for the contents in one go."""
        wanted = {path: self._blobs[path] for path in paths if path in self._blobs and path not in self._content}
        found = self.git.blobs(wanted.values())
        self._content.update({path: found[blob] for path, blob in wanted.items()})

    @contextmanager
    def project(self) -> Iterator[Project]:
        """The project itself where the index is what is on disk; otherwise a copy in a temporary folder."""
        if self.revision == "" and self.git.is_like_index():
            yield self.base
            return
        with super().project() as copied:
            yield copied


@dataclass
class Overlay(Tree):
    """Another tree with some files replaced or added; nothing is written to the code base."""

    under: Tree
    changes: Mapping[str, bytes]

    def __post_init__(self) -> None:
        self.base = self.under.base

    def _list(self) -> frozenset[str]:
        """The files of the tree below, and the added ones."""
        return self.under.paths | frozenset(self.changes)

    def read(self, path: str) -> bytes:
        """The replaced content, else that of the tree below."""
        return self.changes[path] if path in self.changes else self.under.read(path)

    def preload(self, paths: Iterable[str]) -> None:
        """Pass it on."""
        self.under.preload(path for path in paths if path not in self.changes)

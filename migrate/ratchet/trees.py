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
from ...plugins.configuration import CONFIG_NAMES, Settings
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

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Links and submodules: what is listed, but is no regular file and is not looked into."""
        return frozenset()

    def is_opaque(self, path: str) -> bool:
        """Whether a path is a link or a submodule, or inside of one."""
        parts = path.split("/")
        return any("/".join(parts[:length]) in self.opaque for length in range(1, len(parts) + 1))

    def preload(self, paths: Iterable[str]) -> None:
        """Say which files will be read, so that a tree that must ask git asks once; nothing to do where files are at hand."""
        del paths

    def text(self, path: str) -> str | None:
        """A file's text, or None where the tree has no such file."""
        return _text(self.read(path)) if path in self.paths else None

    @cached_property
    def is_on_disk(self) -> bool:
        """Whether the project's folder holds exactly this state."""
        return False

    @cached_property
    def has_same_settings(self) -> bool:
        """Whether the configuration of this state is the one that the project was opened with."""
        config = self.base.config_file
        return config is not None and self.text(config.name) == _text(config.read_bytes()) and self._names_no_other()

    def _names_no_other(self) -> bool:
        return (
            self.base.config_file is None
            or self.base.config_file.name == CONFIG_NAMES[0]
            or (CONFIG_NAMES[0] not in self.paths)
        )

    @cached_property
    def import_roots(self) -> tuple[str, ...]:
        """The folders that modules are imported from, as prefixes of paths ("" or "src/")."""
        relative = (root.relative_to(self.base.root).as_posix() for root in self.base.source_roots)
        return tuple("" if name == "." else f"{name}/" for name in relative)

    @contextmanager
    def project(self) -> Iterator[Project]:
        """This state as a project on disk, for what can only read files; with this state's own configuration.

        The project itself where it holds just that; otherwise a copy in a temporary folder.
        """
        if self.is_on_disk:
            yield self.base
            return
        with tempfile.TemporaryDirectory(prefix="graphlift-") as folder:
            root = Path(folder).resolve()
            self.preload(self.paths)
            for path in self.paths:
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.read(path))
            (root / ".git").mkdir(exist_ok=True)  # ends the search for a configuration above
            yield Project.open(root)


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _read(root: Path, path: str) -> bytes:
    try:
        # Thousands of files: pathlib alone would take longer than reading them.
        with open(os.fspath(root) + os.sep + path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise EnvironmentProblem(f"cannot be read: {error.strerror}", where=path, mend="make it readable") from None


def _mode(path: str) -> int:
    """What kind of thing is at a path, as in `stat`; 0 for nothing."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except OSError:
        return 0


@dataclass
class WorkTree(Tree):
    """What is on disk now. Symbolic links are no files of their own."""

    base: Project
    git: Git | None

    def _list(self) -> frozenset[str]:
        """Every regular file that git tracks or could track; without git, everything but tool folders."""
        return frozenset(path for path, mode in self._modes.items() if mode == stat.S_IFREG)

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Links and the folders of submodules."""
        return frozenset(path.rstrip("/") for path, mode in self._modes.items() if mode in (stat.S_IFLNK, stat.S_IFDIR))

    @cached_property
    def _modes(self) -> dict[str, int]:
        listed = self.git.files() if self.git else Project(self.base.root, None, Settings()).files()
        root = os.fspath(self.base.root) + os.sep
        return {path: _mode(root + path) for path in listed}

    def read(self, path: str) -> bytes:
        """The content on disk."""
        return _read(self.base.root, path)

    @cached_property
    def is_on_disk(self) -> bool:
        """By definition."""
        return True


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

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Links and submodules of the commit or the index."""
        return self.git.opaque(self.revision)

    @cached_property
    def is_on_disk(self) -> bool:
        """Whether this is the index, and the work tree holds just that."""
        return self.revision == "" and self.git.is_like_index()

    @property
    def is_index(self) -> bool:
        """Whether this is the index."""
        return self.revision == ""

    @cached_property
    def unstaged(self) -> frozenset[str]:
        """The paths that are not on disk as they are in the index."""
        return self.git.unstaged()

    def read(self, path: str) -> bytes:
        """The stored content; attributes such as `eol` are not applied, save where the index is read from disk."""
        if path not in self._content:
            self.preload((path,))
        return self._content[path]

    def preload(self, paths: Iterable[str]) -> None:
        """Ask git for the contents in one go."""
        wanted = {path: self._blobs[path] for path in paths if path in self._blobs and path not in self._content}
        if self.revision == "" and len(wanted) > 1:
            same = [path for path in wanted if path not in self.unstaged]
            self._content.update({path: _read(self.base.root, path) for path in same})
            wanted = {path: wanted[path] for path in wanted.keys() & self.unstaged}
        found = self.git.blobs(wanted.values())
        self._content.update({path: found[blob] for path, blob in wanted.items()})


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

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Those of the tree below."""
        return self.under.opaque - frozenset(self.changes)

    def read(self, path: str) -> bytes:
        """The replaced content, else that of the tree below."""
        return self.changes[path] if path in self.changes else self.under.read(path)

    def preload(self, paths: Iterable[str]) -> None:
        """Pass it on."""
        self.under.preload(path for path in paths if path not in self.changes)

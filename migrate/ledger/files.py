"""The files of a code base: which belong to it, their bytes read once, and which of them hold a word.

The search is a plain one over bytes; parsing is for the few files that it leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .layout import Layout
from .text import PYTHON, is_binary, is_wide

if TYPE_CHECKING:
    from ...plugins.project import Project

KEPT_BYTES = 96 << 20
ROOT_SUFFIXES = (".cfg", ".ini", ".md", ".rst", ".toml", ".txt", ".yaml", ".yml", ".json")


class Files:
    """Paths (relative, sorted) and contents of a project's files, and of the configuration at its root."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        source = project.files()
        beside = [
            entry.name
            for entry in project.root.iterdir()
            if entry.suffix in ROOT_SUFFIXES and entry.is_file() and not entry.is_symlink()
        ]
        # Entry points and documents at the root name symbols too, whatever `source` says.
        self.paths: tuple[str, ...] = tuple(sorted({*source, *(name for name in beside if not project.excludes(name))}))
        self.errors: dict[str, str] = {}
        self._kept: dict[str, bytes] = {}
        self._size = 0
        self.layout = Layout(self.paths, _roots(project))

    def content(self, path: str) -> bytes:
        """A file's bytes; b"" for one that cannot be read, which `errors` then names."""
        if path in self._kept:
            return self._kept[path]
        try:
            with open(f"{self._root}/{path}", "rb") as stream:  # noqa: PTH123  (a Path a file costs as much as reading)
                content = stream.read()
        except OSError as error:
            self.errors[path] = f"cannot be read: {error.strerror}"
            return b""
        if self._size < KEPT_BYTES:
            self._size += len(content)
            self._kept[path] = content
        return content

    def holding(self, words: Iterable[str]) -> Iterator[str]:
        """The files in whose bytes one of `words` stands, and those in a wide encoding, whose bytes say nothing."""
        needles = [word.encode() for word in words]
        for path in self.paths:
            content = self.content(path)
            held = any(needle in content for needle in needles) or is_wide(content)
            if held and (path.endswith(PYTHON) or not is_binary(content)):
                yield path


def _roots(project: Project) -> list[str]:
    """The folders that imports start from: the source folders, and `src` and `lib` where they are no packages."""
    named = [name for name in project.settings.source if (project.root / name).is_dir()]
    usual = [name for name in ("src", "lib") if (project.root / name).is_dir()]
    relative = [Path(name).as_posix() for name in (*named, *usual)]
    return ["" if name == "." else name for name in relative]

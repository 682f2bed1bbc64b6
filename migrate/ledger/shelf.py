"""The folder `.graphlift/cache`: plain files that may be missing, old or wrong at any time, and are then written again.

Never outside the project, never through a link; a reader sees a whole file or none. Whatever the file system refuses costs
time and is no error. What is kept, and when it still holds, is decided by `cache`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

FOLDER = ".graphlift/cache"
KEPT = 4
"""How many files stay: one for each configuration, Python and version of graphlift that was used last."""
ABANDONED = 3600 * 10**9
"""Nanoseconds after which a draft belongs to a process that was killed."""
SUFFIX, DRAFT = ".cache", ".draft"
# Neither git nor backup tools should keep it, whatever the project's own ignore file says.
MARKS = {".gitignore": b"*\n", "CACHEDIR.TAG": b"Signature: 8a477f597d28d172789f06886806bc55\n"}
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True)
class Draft:
    """A file that is about to be written. `clock` is the file system's own time, in nanoseconds, when it was made."""

    path: Path
    clock: int


class Shelf:
    """The cache folder of the project at `root`."""

    def __init__(self, root: Path) -> None:
        self._folders = (root / ".graphlift", root / FOLDER)

    def read(self, name: str) -> bytes | None:
        """What was written under `name`; None where there is nothing, or no plain file."""
        path = self._place(name)
        if self._is_linked() or not _is_plain(path):
            return None
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | _NO_LINK), "rb") as stream:
                return stream.read()
        except OSError:
            return None

    def draft(self) -> Draft | None:
        """A new file for `write`; None where nothing can be written."""
        if self._is_linked():
            return None
        folder = self._folders[-1]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in MARKS.items():
                if not os.path.lexists(folder / name):
                    with contextlib.suppress(FileExistsError):
                        _create(folder / name, content)
            path = folder / f"{secrets.token_hex(8)}{DRAFT}"
            _create(path, b"")
            return Draft(path, path.lstat().st_mtime_ns)
        except OSError:
            return None

    def write(self, draft: Draft, name: str, content: bytes) -> None:
        """Put `content` under `name`, in one step, and forget what was not used for long. Nothing where it cannot be."""
        try:
            with os.fdopen(os.open(draft.path, os.O_WRONLY | _NO_LINK), "wb") as stream:
                stream.write(content)
            if self._is_linked() or _is_other(self._place(name)):
                self.drop(draft)
                return
            draft.path.replace(self._place(name))
            self._prune(draft.clock)
        except OSError:
            self.drop(draft)

    def drop(self, draft: Draft) -> None:
        """Take back a draft that is not needed."""
        with contextlib.suppress(OSError):
            draft.path.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self._folders[-1] / f"{name}{SUFFIX}"

    def _is_linked(self) -> bool:
        return any(folder.is_symlink() or (folder.exists() and not folder.is_dir()) for folder in self._folders)

    def _prune(self, now: int) -> None:
        found: list[tuple[int, Path]] = []
        for path in self._folders[-1].iterdir():
            with contextlib.suppress(OSError):  # another process may have taken it away
                if path.suffix in (SUFFIX, DRAFT) and _is_plain(path):
                    found.append((path.lstat().st_mtime_ns, path))
        kept = [path for _, path in sorted(found) if path.suffix == SUFFIX]
        abandoned = [path for time, path in found if path.suffix == DRAFT and time < now - ABANDONED]
        for path in (*abandoned, *kept[:-KEPT]):
            with contextlib.suppress(OSError):
                path.unlink()


def _create(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o666), "wb") as stream:
        stream.write(content)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_other(path: Path) -> bool:
    return os.path.lexists(path) and not _is_plain(path)

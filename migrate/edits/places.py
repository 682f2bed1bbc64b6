"""Where graphlift may write: regular files inside the project's root, never through a symbolic link.

One function answers why a place is refused, in words for a report, the other reads. What is written is decided elsewhere.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def refusal(root: Path, path: str) -> str | None:
    """Why `path` (relative, forward slashes) may not be written, or None. Looks at the file system, changes nothing."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path or Path(path).drive:
        return "is not a path inside the project"
    folder = root
    for part in parts[:-1]:
        folder /= part
        if folder.is_symlink():
            return "lies behind a symbolic link"
        if folder.exists() and not folder.is_dir():
            return "lies below something that is not a folder"
    return _file_refusal(folder / parts[-1], folder)


def _file_refusal(file: Path, folder: Path) -> str | None:
    try:
        mode = file.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return "is a symbolic link"
    if not stat.S_ISREG(mode):
        return "is not a regular file"
    # The mode is asked as well as the system: to the superuser, every file is writable.
    if not mode & WRITABLE or not os.access(file, os.W_OK):
        return "is read-only"
    return None if os.access(folder, os.W_OK) else "is in a read-only folder"


def read(root: Path, path: str) -> bytes | None:
    """What the regular file at `path` holds; None where there is none."""
    file = root / path
    return file.read_bytes() if file.is_file() else None

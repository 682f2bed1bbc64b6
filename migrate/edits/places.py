"""Where graphlift may write: regular files inside the project's root, never through a symbolic link.

One function answers why a place is refused, in words for a report; the others are the smallest file operations that the
rest of this folder needs. What is written is decided elsewhere.
"""

from __future__ import annotations

import os
import shutil
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


def write_atomically(file: Path, content: bytes, temporary: Path) -> None:
    """Replace `file` by one that holds `content`, with its permissions; a reader sees the old or the new, never a part.

    `temporary` is a path in the same folder; it is gone afterwards, whatever happens short of the process being killed.
    """
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            shutil.copystat(file, temporary)
            _keep_owner(file, temporary)
            os.utime(temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _keep_owner(file: Path, temporary: Path) -> None:
    status, mine = file.stat(), temporary.stat()
    if (status.st_uid, status.st_gid) == (mine.st_uid, mine.st_gid):
        return
    try:
        os.chown(temporary, status.st_uid, status.st_gid)
    except OSError:
        # Only the superuser may give files away; the file then belongs to who ran the command, as with any editor.
        return

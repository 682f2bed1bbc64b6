"""Writing a file in one step: whoever reads it sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write the text as UTF-8, line ends as they are; a lone surrogate is written as its escape. Permissions stay."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    Path(temporary).chmod(0o644)
    write_atomically(path, text.encode("utf-8", "backslashreplace"), Path(temporary))


def write_atomically(file: Path, content: bytes, temporary: Path) -> None:
    """Replace `file` by one that holds `content`, with its permissions and its owner, where that is allowed.

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

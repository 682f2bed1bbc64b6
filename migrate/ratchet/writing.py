"""Write the ratchet's two files, inside the project and never through a symbolic link; and only where they change."""

from __future__ import annotations

import os
from pathlib import Path

from ...adapters.errors import EnvironmentProblem
from ...parity.writing import write_atomically
from ..edits import places
from .lock import Lock, render_lock


def write(root: Path, path: str, content: bytes) -> bool:
    """Write a file of the project atomically; whether it changed. Raises `EnvironmentProblem` where it may not be written."""
    if places.read(root, path) == content:
        return False
    if reason := places.refusal(root, path):
        raise EnvironmentProblem(f"cannot be written: it {reason}", where=path, mend="make room for it")
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content, file.with_name(f".{file.name}.{os.getpid()}"))
    return True


def write_lock(root: Path, path: str, rows: Lock) -> bool:
    """Write the lock; a checkout that only has other newlines counts as unchanged."""
    content = render_lock(rows).encode()
    before = places.read(root, path)
    if before is not None and before.replace(b"\r\n", b"\n") == content:
        return False
    return write(root, path, content)

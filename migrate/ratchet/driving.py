"""`graphlift ratchet merge-driver`: what git calls with three files, the result of which goes into the second."""

from __future__ import annotations

from pathlib import Path

from ...adapters.errors import UsageError
from ..git import merge_texts
from .lock import merge_locks, parse_lock, render_lock
from .merging import merge_rules


def drive_lock(base: Path, ours: Path, theirs: Path) -> None:
    """Merge three locks into `ours`. Raises `UsageError` for one that cannot be read."""
    old, left, right = (parse_lock(text, path.name) for path, text in _read(base, ours, theirs))
    ours.write_bytes(render_lock(merge_locks(old, left, right)).encode())


def drive_rules(base: Path, ours: Path, theirs: Path) -> bool:
    """Merge three files of rules into `ours`, with git's marks where they contradict each other; whether they do not."""
    merged = merge_rules(*(text for _, text in _read(base, ours, theirs)))
    if merged is None:
        return not merge_texts(ours, base, theirs)
    ours.write_bytes(merged.encode())
    return True


def _read(*paths: Path) -> list[tuple[Path, str]]:
    try:
        return [(path, path.read_bytes().decode("utf-8-sig")) for path in paths]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"a file cannot be read: {error}", mend="git gives the three files: %O %A %B") from None

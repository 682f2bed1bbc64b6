"""What git's index says of a work tree, read without git: the paths, which are left out on disk, and which are submodules.

See "index-format" in git's documentation: versions 2, 3 and 4 (where a path is told by what it shares with the one before).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUBMODULE = 0o160000
FOLDER = 0o040000
_SKIPPED, _EXTENDED = 0x4000, 0x4000


@dataclass(frozen=True)
class Entry:
    """A path of the index. `skipped`: a sparse checkout leaves it out; a `FOLDER` stands for all that is in it."""

    path: str
    mode: int
    skipped: bool = False


def index_of(top: Path) -> Path | None:
    """The index of a work tree whose top is `top`; of a linked work tree or a submodule, `.git` is a file that says where."""
    place = top / ".git"
    try:
        if place.is_file():
            kind, _, folder = place.read_text(encoding="utf-8", errors="surrogateescape").strip().partition(": ")
            place = top / folder if kind == "gitdir" else place
    except OSError:
        return None
    index = place / "index"
    return index if index.is_file() else None


def read_index(index: Path) -> list[Entry] | None:
    """The entries; None for an index that cannot be read: another version, one that is split, or a broken one."""
    try:
        data = index.read_bytes()
        version = int.from_bytes(data[4:8], "big")
        if data[:4] != b"DIRC" or version not in (2, 3, 4):
            return None
        found = list(_entries(data, version, _id_size(index)))
        end = found[-1][1] if found else 12
        # A split index keeps most of its entries in another file.
        return None if data[end : end + 4] == b"link" else [entry for entry, _ in found]
    except (OSError, ValueError, IndexError):
        return None


def index_paths(index: Path) -> Iterator[str]:
    """The paths in an index; none of one that cannot be read."""
    yield from (entry.path for entry in read_index(index) or ())


def _entries(data: bytes, version: int, id_size: int) -> Iterator[tuple[Entry, int]]:
    """Each entry and where the next begins: ten numbers of 32 bits, an object id, flags, the path."""
    at, before = 12, b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        mode, flags = int.from_bytes(data[at + 24 : at + 28], "big"), at + 40 + id_size
        extended = bool(int.from_bytes(data[flags : flags + 2], "big") & _EXTENDED)
        start = flags + (4 if extended else 2)
        skipped = extended and bool(int.from_bytes(data[flags + 2 : flags + 4], "big") & _SKIPPED)
        if version == 4:
            cut, start = _varint(data, start)
            before = before[: len(before) - cut]
        end = data.index(b"\0", start)
        path = (before if version == 4 else b"") + data[start:end]
        at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8
        before = path
        yield Entry(path.decode("utf-8", "surrogateescape").rstrip("/"), mode, skipped), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as git writes the offsets in a pack, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _id_size(index: Path) -> int:
    """The bytes of an object id: 20, or 32 in a repository of SHA-256."""
    common = index.parent / "commondir"
    home = index.parent / common.read_text(encoding="utf-8").strip() if common.is_file() else index.parent
    config = home / "config"
    text = config.read_text(encoding="utf-8", errors="replace").lower() if config.is_file() else ""
    return 32 if "objectformat = sha256" in text.replace("objectformat=", "objectformat = ") else 20

"""The journal of applied plans under `.graphlift/journal`, by which a change of many files survives a kill.

    lock         held by the process that is at work
    pending/     the transaction that is being written: `content`, `manifest.json`; exists from before the first file is
                 touched until after the last. `settled.json`: the paths that passed the verification and stay
    done/0001/   a finished transaction, for `undo`; the newest has the greatest number. `0001.old` while it is replaced

A transaction's folder appears by one rename, complete or not at all. Nothing here writes a file of the code base.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...adapters.errors import EnvironmentProblem
from .model import FileChange, digest

FOLDER = ".graphlift/journal"
KEPT = 20
# The journal holds copies of sources; neither git nor a reviewer should see them.
IGNORE = b"*\n"


@dataclass(frozen=True)
class Transaction:
    """Changes that belong together, under the name by which they can be undone.

    With `undo`, the changes take back (some of) those of the finished transaction of that name. With `verify`, they stay
    only once they are verified.
    """

    name: str
    changes: tuple[FileChange, ...]
    undo: bool = False
    verify: bool = False


@dataclass(frozen=True)
class _Entry:
    path: str
    before: int | None
    after: int | None
    before_hash: str | None
    after_hash: str | None


class Journal:
    """The journal of the project at `root`. Its folder is made when the first transaction is written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER
        self._pending = self.folder / "pending"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the project's lock; the system gives it back when the process ends, however it ends.

        Raises `EnvironmentProblem` where another process holds it, or where the folder cannot be written.
        """
        self._make()
        with (self.folder / "lock").open("ab") as stream:
            _lock(stream.fileno())
            yield

    def _make(self) -> None:
        for folder in (self.root / ".graphlift", self.folder):
            if folder.is_symlink():
                raise EnvironmentProblem(
                    "is a symbolic link; graphlift writes inside the project only",
                    where=folder.relative_to(self.root).as_posix(),
                    mend="replace it by a folder",
                )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / ".gitignore").exists():
                (self.folder / ".gitignore").write_bytes(IGNORE)
        except OSError as error:
            raise EnvironmentProblem(
                f"cannot be written: {error.strerror}", where=FOLDER, mend="make the project's folder writable"
            ) from None

    def begin(self, changes: tuple[FileChange, ...], undoes: str = "", *, verify: bool = False) -> None:
        """Record what is about to be written. After this returns, the transaction can be completed or rolled back."""
        self._clear()
        self._store(Transaction(undoes or self._next_name(), changes, bool(undoes), verify), self._pending)

    def settle(self, stay: Collection[str]) -> None:
        """Record which of the written files passed the verification; the others are about to be put back."""
        draft = self.folder / f"draft-{os.getpid()}-settled"
        draft.mkdir()
        _write(draft / "paths", json.dumps(sorted(stay)).encode())
        (draft / "paths").rename(self._pending / "settled.json")
        _sync_folder(self._pending)
        draft.rmdir()

    def settled(self) -> frozenset[str] | None:
        """What `settle` recorded for the pending transaction; None before that."""
        file = self._pending / "settled.json"
        return frozenset(json.loads(file.read_bytes())) if file.is_file() else None

    def pending(self) -> Transaction | None:
        """The transaction that was begun and not finished, or None."""
        return _load(self._pending) if self._pending.is_dir() else None

    def finish(self, written: Collection[str]) -> None:
        """End the pending transaction, of which the files `written` were changed; the others are as they were before.

        May be killed and called again: what can be undone afterwards depends on the arguments alone.
        """
        self._clear()
        pending = _load(self._pending)
        done = self.folder / "done" / pending.name
        if pending.undo:
            rest = tuple(c for c in self.load(pending.name).changes if c.path not in written) if done.is_dir() else ()
        else:
            rest = tuple(c for c in pending.changes if c.path in written)
        if rest:
            self._store(Transaction(pending.name, rest), done)
        else:
            self._drop(done)
        for old in self.names()[:-KEPT]:
            self._drop(self.folder / "done" / old)
        self._drop(self._pending)

    def names(self) -> list[str]:
        """The finished transactions, oldest first."""
        done = self.folder / "done"
        return sorted(entry.name for entry in done.iterdir() if entry.name.isdigit()) if done.is_dir() else []

    def load(self, name: str) -> Transaction:
        """A finished transaction. Raises `EnvironmentProblem` where it cannot be read."""
        return _load(self.folder / "done" / name)

    def _next_name(self) -> str:
        names = self.names()
        return f"{int(names[-1]) + 1 if names else 1:04d}"

    def _store(self, transaction: Transaction, place: Path) -> None:
        """Write a transaction's folder elsewhere first, so that `place` is complete or absent."""
        draft = self.folder / f"draft-{os.getpid()}"
        draft.mkdir()
        entries, content = _packed(transaction.changes)
        _write(draft / "content", content)
        manifest = {
            "name": transaction.name,
            "undo": transaction.undo,
            "verify": transaction.verify,
            "files": [asdict(entry) for entry in entries],
            "content_hash": digest(content),
        }
        _write(draft / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True).encode())
        place.parent.mkdir(exist_ok=True)
        old = _old(place)
        if place.is_dir():
            # Until the new one is there, the old one must not be lost: `_clear` brings it back.
            place.rename(old)
        draft.rename(place)
        _sync_folder(place.parent)
        self._drop(old)

    def _clear(self) -> None:
        """Remove drafts of processes that were killed; we hold the lock, so none belongs to a living one.

        In a container the next process often has the same id, so that a draft that stays would be in its way.
        """
        for draft in self.folder.glob("draft-*"):
            shutil.rmtree(draft)
        for old in self.folder.glob("done/*.old"):
            place = old.with_suffix("")
            if place.is_dir():
                self._drop(old)
            else:
                old.rename(place)

    def _drop(self, place: Path) -> None:
        """Remove a transaction's folder; by a rename first, so that half of one is never read."""
        if place.is_dir():
            gone = self.folder / f"draft-{os.getpid()}-gone"
            place.rename(gone)
            shutil.rmtree(gone)


def _old(place: Path) -> Path:
    return place.with_name(f"{place.name}.old")


def temporary_path(file: Path) -> Path:
    """The name under which a new content of `file` is written first. It is fixed, so that recovery can clear it away."""
    return file.with_name(f".{file.name}.graphlift-new")


def _packed(changes: tuple[FileChange, ...]) -> tuple[list[_Entry], bytes]:
    """All contents in one file, so that one write makes them safe: each is its length in 8 bytes, then its bytes."""
    parts: list[bytes] = []
    size = 0

    def place(content: bytes | None) -> int | None:
        nonlocal size
        if content is None:
            return None
        framed = len(content).to_bytes(8, "big") + content
        parts.append(framed)
        size += len(framed)
        return size - len(framed)

    entries = [_Entry(c.path, place(c.before), place(c.after), c.before_hash, c.after_hash) for c in changes]
    return entries, b"".join(parts)


def _load(folder: Path) -> Transaction:
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
        content = (folder / "content").read_bytes()
        if digest(content) != manifest["content_hash"]:
            raise ValueError("its content does not have the digest that was recorded")
        changes = tuple(_change(_Entry(**item), content) for item in manifest["files"])
        return Transaction(manifest["name"], changes, manifest["undo"], manifest.get("verify", False))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvironmentProblem(
            f"the journal cannot be read: {error}",
            where=f"{FOLDER}/{folder.name}",
            mend="look at the work tree with git, then delete this folder",
        ) from None


def _change(entry: _Entry, content: bytes) -> FileChange:
    return FileChange(entry.path, _unpacked(content, entry.before), _unpacked(content, entry.after))


def _unpacked(content: bytes, offset: int | None) -> bytes | None:
    if offset is None:
        return None
    size = int.from_bytes(content[offset : offset + 8], "big")
    return content[offset + 8 : offset + 8 + size]


def _write(file: Path, content: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover (Windows: hashes still guard every write)
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise EnvironmentProblem(
            "another graphlift is changing this project", where=f"{FOLDER}/lock", mend="wait until it has ended"
        ) from None

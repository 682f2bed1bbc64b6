"""What a change to a code base is, before it happens: edits of bytes, changed files, flags, and the plan that holds them.

A plan is data: it can be compared, printed as a patch (`diff.py`), sent as JSON and applied (`apply.py`). Nothing here
reads or writes a file, except `Plan.from_dict`, which asks its `read` argument for the bytes that a plan was made from.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...adapters.errors import UsageError

SCHEMA = 1


def digest(content: bytes) -> str:
    """The SHA-256 of `content`, in hexadecimal: how a plan and the journal name what a file held."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the bytes `start:end` of a file by `new`; `start == end` inserts. Offsets count bytes from 0."""

    start: int
    end: int
    new: bytes

    def to_dict(self) -> dict[str, Any]:
        """The edit as JSON data: `new` as text where it is UTF-8, else `new_base64`."""
        try:
            return {"start": self.start, "end": self.end, "new": self.new.decode("utf-8")}
        except UnicodeDecodeError:
            return {"start": self.start, "end": self.end, "new_base64": base64.b64encode(self.new).decode("ascii")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Edit:
        """Read what `to_dict` wrote."""
        new = base64.b64decode(data["new_base64"]) if "new_base64" in data else data["new"].encode("utf-8")
        return cls(data["start"], data["end"], new)


class OverlapError(ValueError):
    """Two edits of one file touch the same bytes; a plan with both would depend on their order."""


def splice(before: bytes, edits: Iterable[Edit]) -> bytes:
    """`before` with all `edits` made; every byte outside them stays as it is.

    Insertions at one place are made in the order given. Raises `OverlapError` for edits that share bytes and
    ValueError for one that reaches outside the file.
    """
    parts: list[bytes] = []
    position = 0
    # Sorting by both ends is stable, so insertions at one place keep their order and come before a replacement there.
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not 0 <= edit.start <= edit.end <= len(before):
            raise ValueError(f"edit {edit.start}:{edit.end} is outside of a file of {len(before)} bytes")
        if edit.start < position:
            raise OverlapError(f"two edits touch byte {edit.start}")
        parts += [before[position : edit.start], edit.new]
        position = edit.end
    return b"".join([*parts, before[position:]])


def difference(before: bytes, after: bytes) -> tuple[Edit, ...]:
    """One edit that turns `before` into `after`: what is left between their common beginning and end; () when equal."""
    if before == after:
        return ()
    short = min(len(before), len(after))
    head = next((i for i in range(short) if before[i] != after[i]), short)
    rest = short - head
    tail = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    return (Edit(head, len(before) - tail, after[head : len(after) - tail]),)


@dataclass(frozen=True)
class FileChange:
    """One file, before and after. `path` is relative to the project's root, with forward slashes.

    `before` is None for a file that the plan creates, `after` is None for one that it deletes.
    """

    path: str
    before: bytes | None
    after: bytes | None

    @classmethod
    def edited(cls, path: str, before: bytes, edits: Iterable[Edit]) -> FileChange:
        """The change that `edits` make to a file that holds `before`. Raises like `splice`."""
        return cls(path, before, splice(before, edits))

    @property
    def before_hash(self) -> str | None:
        """The digest that the file must still have when the plan is applied; None where it must not exist."""
        return None if self.before is None else digest(self.before)

    @property
    def after_hash(self) -> str | None:
        """The digest of the file once the plan is applied; None where it is gone."""
        return None if self.after is None else digest(self.after)

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON data; the edits are relative to bytes with the digest `before_hash`."""
        edits = () if self.after is None else difference(self.before or b"", self.after)
        return {
            "path": self.path,
            "before_hash": self.before_hash,
            "after_hash": self.after_hash,
            "edits": [edit.to_dict() for edit in edits],
        }


@dataclass(frozen=True, order=True)
class Flag:
    """Something that a person must look at: the bytes there stay. `kind` is stable, `reason` is a sentence.

    `column` counts characters from 1; 0 stands for the line, or the file, as a whole.
    """

    file: str
    line: int
    kind: str
    reason: str
    symbol: str = ""
    column: int = 0

    @property
    def place(self) -> str:
        """`file:line:column`, or `file:line`."""
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.place} {self.kind}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """The flag as JSON data."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "kind": self.kind,
            "reason": self.reason,
            "symbol": self.symbol,
        }


def _order(flag: Flag) -> tuple[object, ...]:
    return (flag.file, flag.line, flag.column, flag)


@dataclass(frozen=True)
class Plan:
    """Changed files (sorted by path, each once), flags (sorted), and how many rewrites each author of it made."""

    changes: tuple[FileChange, ...] = ()
    flags: tuple[Flag, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(
        cls,
        changes: Iterable[FileChange],
        flags: Iterable[Flag] = (),
        counts: Iterable[tuple[str, int]] = (),
    ) -> Plan:
        """A plan in its canonical order, without changes that change nothing. Raises ValueError for a path twice."""
        real = sorted((c for c in changes if c.before != c.after), key=lambda change: change.path)
        paths = [change.path for change in real]
        if len(set(paths)) != len(paths):
            raise ValueError(f"a plan changes a file twice: {sorted({p for p in paths if paths.count(p) > 1})}")
        return cls(tuple(real), tuple(sorted(set(flags), key=_order)), tuple(sorted(counts)))

    def __bool__(self) -> bool:
        return bool(self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON data; `from_dict` reads it back."""
        return {
            "schema": SCHEMA,
            "changes": [change.to_dict() for change in self.changes],
            "flags": [flag.to_dict() for flag in self.flags],
            "counts": dict(self.counts),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], read: Callable[[str], bytes]) -> Plan:
        """A plan from its JSON data; `read(path)` gives what a file holds.

        Raises `UsageError` where a file no longer holds what the plan was made from.
        """
        changes = [_change_from_dict(item, read) for item in data["changes"]]
        return cls.of(changes, (Flag(**flag) for flag in data["flags"]), data["counts"].items())


def _change_from_dict(data: dict[str, Any], read: Callable[[str], bytes]) -> FileChange:
    path = data["path"]
    before = None if data["before_hash"] is None else read(path)
    if before is not None and digest(before) != data["before_hash"]:
        raise UsageError("the file changed since the plan was made", where=path, mend="make the plan again")
    if data["after_hash"] is None:
        return FileChange(path, before, None)
    after = splice(before or b"", map(Edit.from_dict, data["edits"]))
    if digest(after) != data["after_hash"]:
        raise UsageError("the plan's edits do not give what it says they give", where=path, mend="make the plan again")
    return FileChange(path, before, after)

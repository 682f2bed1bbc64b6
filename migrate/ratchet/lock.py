"""The lock: the caps that the tool keeps, as a text that merges well.

One row a key, sorted, `CAP KEY`, with an empty line between rows: git treats changes of neighbouring lines as a conflict,
and two branches that lower two caps must not conflict. No totals, no dates, LF.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...adapters.errors import ConfigurationError
from .keys import Key

HEAD = "# The caps of `graphlift ratchet`, which writes this file; people edit the rules and their raises.\n"
_ROW = re.compile(r"(?P<cap>\d+) (?P<key>\S.*)")

Lock = Mapping[Key, int]


def parse_lock(text: str, where: str) -> dict[Key, int]:
    """Read a lock; any kind of newline, any order. Of two rows for one key (a union merge), the stricter counts.

    Raises `ConfigurationError` with the line for anything else, conflict markers included.
    """
    rows: dict[Key, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), start=1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        key, cap = _row(line, f"{where}:{number}")
        rows[key] = min(cap, rows.get(key, cap))
    return rows


def _row(line: str, where: str) -> tuple[Key, int]:
    if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")):
        mend = "keep the lower cap of each key, or let `graphlift ratchet init --merge-driver` do it from now on"
        raise ConfigurationError("an unresolved merge conflict", where=where, mend=mend)
    try:
        if not (found := _ROW.fullmatch(line)):
            raise ValueError(f"{line!r} is not `CAP KEY`")
        return Key.parse(found["key"]), int(found["cap"])
    except ValueError as error:
        mend = "restore the file from git; only `graphlift ratchet` writes it"
        raise ConfigurationError(str(error), where=where, mend=mend) from None


def render_lock(rows: Lock) -> str:
    """The lock's text; the same rows always give the same text."""
    return HEAD + "".join(f"\n{rows[key]} {key}\n" for key in sorted(rows))


def merge_locks(base: Lock, ours: Lock, theirs: Lock) -> dict[Key, int]:
    """Three locks as one: a change on one side is taken; of two changes, the stricter one.

    A row that one side dropped and the other left as it was is dropped; one that the other changed is kept, since the
    key lives on there.
    """
    merged: dict[Key, int] = {}
    for key in {*ours, *theirs}:
        before, left, right = base.get(key), ours.get(key), theirs.get(key)
        if left == before:
            cap = right
        elif right == before:
            cap = left
        else:
            cap = min(value for value in (left, right) if value is not None)
        if cap is not None:
            merged[key] = cap
    return merged

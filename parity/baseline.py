"""Known divergences: a TOML file that people read and review, one table each, with reason, owner and expiry.

An entry that has expired, that matches nothing any more, or that matches more often than it says fails the gate: a list of
exceptions that nobody prunes hides the next difference. Edits keep comments and order.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..adapters.errors import ConfigurationError
from .model import Divergence

TABLE = "divergence"


class Known(BaseModel):
    """One known divergence. `case` and `node` are globs; `node` absent matches every node and the run itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    case: str
    node: str | None = None
    reason: Annotated[str, Field(min_length=1)]
    owner: Annotated[str, Field(min_length=1)]
    verdict: Literal["legacy bug", "engine limit", "intended"] = "intended"
    expires: dt.date
    at_most: Annotated[int, Field(ge=1)] = 1

    def matches(self, found: Divergence) -> bool:
        """Whether the entry is about this divergence."""
        node = self.node is None or fnmatchcase(found.node or "", self.node)
        return self.rule == found.rule and fnmatchcase(found.case, self.case) and node


@dataclass(frozen=True)
class Problem:
    """An entry that fails the gate by itself: "expired", "unmatched" or "exceeded", and in words why."""

    kind: Literal["expired", "unmatched", "exceeded"]
    entry: Known
    text: str


@dataclass(frozen=True)
class Judged:
    """The divergences with the entry that knows each (or None), and what is wrong with the entries."""

    divergences: tuple[tuple[Divergence, Known | None], ...]
    problems: tuple[Problem, ...]


def read_baseline(path: Path, shown: str) -> tuple[Known, ...]:
    """The entries of the file; none where there is no file. Raises `ConfigurationError` with file, line and mend."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot be read: {error}", where=shown) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"is not valid TOML: {error}", where=shown, mend="mend the TOML there") from None
    unknown = sorted(set(data) - {TABLE})
    if unknown:
        raise ConfigurationError(f"unknown key {unknown[0]!r}", where=shown, mend=f"entries are [[{TABLE}]] tables")
    return tuple(_entry(number, table, text, shown) for number, table in enumerate(data.get(TABLE, [])))


def _entry(number: int, table: object, text: str, shown: str) -> Known:
    try:
        return Known.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or TABLE
        where = f"{shown}:{_line_of_entry(text, number)}"
        raise ConfigurationError(
            f"{TABLE} {number + 1}: {key}: {first['msg']}", where=where, mend=f"correct `{key}`"
        ) from None


def _line_of_entry(text: str, number: int) -> int:
    heads = [line for line, content in enumerate(text.splitlines(), 1) if content.strip().startswith(f"[[{TABLE}]]")]
    return heads[number] if number < len(heads) else 1


def judge(found: Iterable[Divergence], known: Iterable[Known], today: dt.date, cases: frozenset[str]) -> Judged:
    """Match divergences with entries, first entry first.

    `cases` are the cases that ran: an entry for a case that did not run is not called unmatched.
    """
    entries = tuple(known)
    counts: dict[int, int] = {}
    judged: list[tuple[Divergence, Known | None]] = []
    for divergence in found:
        place = next((at for at, entry in enumerate(entries) if entry.matches(divergence)), None)
        if place is not None:
            counts[place] = counts.get(place, 0) + 1
        alive = place is not None and entries[place].expires >= today and counts[place] <= entries[place].at_most
        judged.append((divergence, entries[place] if place is not None and alive else None))
    problems = [
        problem for at, entry in enumerate(entries) if (problem := _problem(entry, counts.get(at, 0), today, cases))
    ]
    return Judged(tuple(judged), tuple(problems))


def _problem(entry: Known, count: int, today: dt.date, cases: frozenset[str]) -> Problem | None:
    what = f"{entry.rule} in {entry.case}{f' at {entry.node}' if entry.node else ''}"
    if entry.expires < today:
        return Problem(
            "expired", entry, f"{what} expired on {entry.expires}: mend the divergence, or renew with a reason"
        )
    if count > entry.at_most:
        return Problem("exceeded", entry, f"{what} was found {count} times, at most {entry.at_most} are listed")
    if count == 0 and any(fnmatchcase(case, entry.case) for case in cases):
        return Problem("unmatched", entry, f"{what} does not happen any more: delete the entry")
    if count == 0 and not cases:
        return Problem("unmatched", entry, f"{what} matches no case")
    return None


def accept(path: Path, entry: Known) -> None:
    """Append an entry to the file; comments and the order of what is there stay. The write is atomic."""
    import os
    import tempfile

    import tomlkit

    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    if not path.exists():
        document.add(
            tomlkit.comment("Known divergences between the engines. An entry that is not needed fails the gate.")
        )
    tables = document.get(TABLE)
    if tables is None:
        tables = tomlkit.aot()
        document.add(TABLE, tables)
    table = tomlkit.table()
    for key, value in entry.model_dump(exclude_none=True).items():
        table.add(key, value)
    tables.append(table)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(tomlkit.dumps(document))
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)

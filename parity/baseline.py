"""Known divergences: a TOML file that people read and review, one table each, with reason, owner and expiry.

An entry that has expired, that matches nothing any more, or that matches more often than it says fails the gate: a list of
exceptions that nobody prunes hides the next difference. Edits keep comments and order.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..adapters.errors import ConfigurationError
from .divergence import Divergence
from .globs import matches
from .writing import replace_file

TABLE = "divergence"
HEAD = "# Known divergences between the engines. An entry that is not needed any more fails the gate.\n"
_LINE = re.compile(r"at line (\d+)")


class Known(BaseModel):
    """One known divergence. `case` and `node` are patterns (`*` and `?`); no `node` matches every node and the run itself.

    `at` are the places at which values may differ (keys of the final state or of what a node saw, say); without it, any.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    case: str
    node: str | None = None
    at: tuple[str, ...] | None = None
    reason: Annotated[str, Field(min_length=1)]
    owner: Annotated[str, Field(min_length=1)]
    verdict: Literal["legacy bug", "engine limit", "intended"] = "intended"
    expires: dt.date
    at_most: Annotated[int, Field(ge=1)] = 1

    def matches(self, found: Divergence) -> bool:
        """Whether the entry is about this divergence."""
        node = self.node is None or matches(self.node, found.node or "")
        at = self.at is None or set(places(found)) <= set(self.at)
        return self.rule == found.rule and matches(self.case, found.case) and node and at


def places(found: Divergence) -> tuple[str, ...]:
    """Where the values of a divergence differ: its paths, else what it is about besides its node."""
    return found.paths or ((found.subject,) if found.subject else ())


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
        line = _LINE.search(str(error))
        where = f"{shown}:{line[1]}" if line else shown
        raise ConfigurationError(f"is not valid TOML: {error}", where=where, mend="mend the TOML there") from None
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


def judge(
    found: Iterable[Divergence], known: Iterable[Known], today: dt.date, ran: frozenset[str] | None = None
) -> Judged:
    """Match divergences with entries: the first that has not expired and has room left, else the first that matches.

    `ran` are the cases that ran, where some did not: an entry that is about none of them is not called unmatched.
    """
    entries = tuple(known)
    counts = [0] * len(entries)
    judged: list[tuple[Divergence, Known | None]] = []
    for divergence in found:
        places = [at for at, entry in enumerate(entries) if entry.matches(divergence)]
        free = next((at for at in places if entries[at].expires >= today and counts[at] < entries[at].at_most), None)
        if places:
            counts[places[0] if free is None else free] += 1
        judged.append((divergence, None if free is None else entries[free]))
    problems = [_problem(entry, count, today, ran) for entry, count in zip(entries, counts, strict=True)]
    return Judged(tuple(judged), tuple(problem for problem in problems if problem))


def _problem(entry: Known, count: int, today: dt.date, ran: frozenset[str] | None) -> Problem | None:
    what = f"{entry.rule} in {entry.case}{f' at {entry.node}' if entry.node else ''}"
    if entry.expires < today:
        text = f"{what} expired on {entry.expires}: mend the divergence, or renew with a reason"
        return Problem("expired", entry, text)
    if count > entry.at_most:
        return Problem("exceeded", entry, f"{what} was found {count} times, at most {entry.at_most} are listed")
    if count == 0 and (ran is None or any(matches(entry.case, case) for case in ran)):
        return Problem("unmatched", entry, f"{what} does not happen (any more): delete the entry")
    return None


def accept(path: Path, entries: Sequence[Known], shown: str) -> tuple[bool, ...]:
    """Write entries to the file; comments and the order of what is there stay. The write is atomic, for all of them.

    An entry with the same rule, case and node is renewed in its place; the answer says of each whether there was one. Raises
    `ConfigurationError` where the file is not valid as it is.
    """
    import tomlkit

    selectors = [_selector(one) for one in read_baseline(path, shown)]
    text = path.read_bytes().decode("utf-8") if path.exists() else HEAD
    document = tomlkit.parse(text)
    tables: Any = document.setdefault(TABLE, tomlkit.aot())
    renewed = []
    for entry in entries:
        renewed.append(_selector(entry) in selectors)
        table = tables[selectors.index(_selector(entry))] if renewed[-1] else tomlkit.table()
        for key, value in entry.model_dump(mode="python", exclude_none=True).items():
            table[key] = value
        if not renewed[-1]:
            tables.append(table)
            selectors.append(_selector(entry))
    written = tomlkit.dumps(document)
    replace_file(path, written.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else written)
    return tuple(renewed)


def _selector(entry: Known) -> tuple[str, str, str | None]:
    return (entry.rule, entry.case, entry.node)

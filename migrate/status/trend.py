"""The figures over time: how the ratchet's caps fell, by day, from git. What cannot be told is said, and fails nothing."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...adapters.errors import GraphliftError
from ..git import Git
from ..ratchet.book import parse_book
from ..ratchet.history import Series, burndown, read_history

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..ratchet.measuring import Registry

MOST = 60
Day = tuple[datetime.date, int]


@dataclass(frozen=True)
class Trend:
    """A series for each rule that ever had a cap; `note` says why there is none, or what is missing."""

    series: tuple[Series, ...] = ()
    note: str = ""


def read_trend(project: Project, registry: Registry) -> Trend:
    """The trend of a project. It never raises for a ratchet or a repository that is not in order: the note says so."""
    rules, lock = project.settings.ratchet.rules, project.settings.ratchet.lock
    file = project.root / rules
    git = Git.find(project.root)
    if not file.is_file():
        return Trend(note="there are no rules: `graphlift ratchet init` begins the record")
    if git is None:
        return Trend(note="this folder is not in a git work tree, so there is no history")
    try:
        book = parse_book(file.read_bytes().decode("utf-8-sig", "replace"), rules)
        series = burndown(registry, read_history(git, lock), book.rule)
        cut = git.is_shallow
    except GraphliftError as error:
        return Trend(note=str(error).splitlines()[0])
    if not series:
        return Trend(note=f"{lock} has no history yet: commit it")
    return Trend(series, "this clone is shallow, so the beginning is missing: `git fetch --unshallow`" if cut else "")


def condensed(series: Series, most: int = MOST) -> tuple[Day, ...]:
    """The total after each commit; where these are too many, at each day's end, and then of the days as many as asked for.

    The last is always among them, and the first, or the end of its day.
    """
    every = tuple((day, total) for day, _, total in series.points)
    days = every if len(every) <= most else tuple(dict(every).items())
    if len(days) <= most:
        return days
    return tuple(days[round(at * (len(days) - 1) / (most - 1))] for at in range(most))


def as_data(trend: Trend) -> dict[str, Any]:
    """For programs: days are those of the commits, so the same history gives the same data."""
    return {"rules": [_series(item) for item in trend.series], "note": trend.note or None}


def _series(item: Series) -> dict[str, Any]:
    return {
        "rule": item.rule,
        "metric": item.metric,
        "points": [{"day": day.isoformat(), "total": total} for day, total in condensed(item)],
        "goal": item.goal,
        "by": _day(item.by),
        "forecast": _day(item.forecast),
        "late": item.is_late,
    }


def _day(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()


def tell(item: Series) -> str:
    """Where a rule's caps stand against its goal, in a sentence."""
    now, start = item.points[-1][2], item.points[0][2]
    told = f"{start} on {item.points[0][0]}, {now} on {item.points[-1][0]}" if len(item.points) > 1 else f"{now} now"
    if item.goal is None:
        return f"{told}; no goal is set"
    aim = f"goal {item.goal}{f' by {item.by}' if item.by else ''}"
    if now <= item.goal:
        return f"{told}; {aim}: met on {item.forecast}"
    pace = f"at this pace on {item.forecast}" if item.forecast else "not at this pace"
    return f"{told}; {aim}: {pace}{', too late' if item.is_late else ''}"


def newest_first(series: Series, most: int = MOST) -> Sequence[Day]:
    """The days for a table."""
    return tuple(reversed(condensed(series, most)))

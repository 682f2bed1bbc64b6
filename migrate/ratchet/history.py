"""How the caps fell over time, read from git: the lock at every commit that changed it, and when a goal will be met.

The forecast is the straight line of least squares through the days; it promises nothing, and says nothing before there
are two days. Drawing is in `burndown.py`.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from ..git import Git
from .book import Rule
from .keys import Key
from .lock import Lock, parse_lock
from .measuring import ARMED, Registry, covering


@dataclass(frozen=True)
class Point:
    """The caps after one commit."""

    day: datetime.date
    commit: str
    subject: str
    caps: Lock


@dataclass(frozen=True)
class Series:
    """One line of the burn-down: the sum of a rule's caps by commit, its goal, and the day the line meets it."""

    rule: str
    metric: str
    points: tuple[tuple[datetime.date, str, int], ...]
    goal: int | None = None
    by: datetime.date | None = None
    forecast: datetime.date | None = None

    @property
    def is_late(self) -> bool | None:
        """Whether the forecast misses the goal's day; None where that cannot be told."""
        if self.goal is None or self.by is None or len(self.points) < 2 or self.points[-1][2] <= self.goal:
            return None
        return self.forecast is None or self.forecast > self.by


def read_history(git: Git, lock_name: str) -> tuple[Point, ...]:
    """The lock's history on the first-parent line, oldest first. Raises `ConfigurationError` for a lock that is broken."""
    points = []
    for commit in git.log(lock_name):
        content = git.show(commit.id, lock_name)
        text = content.decode("utf-8-sig", "replace") if content is not None else ""
        caps = parse_lock(text, f"{lock_name} at {commit.id[:10]}")
        points.append(Point(datetime.date.fromisoformat(commit.date), commit.id, commit.subject, caps))
    return tuple(points)


def burndown(registry: Registry, points: Sequence[Point], rules: Sequence[Rule]) -> tuple[Series, ...]:
    """A series for each rule that ever had a cap, by id. Keys are counted under today's rules."""
    found = []
    for rule in sorted(rules, key=lambda rule: rule.id):
        sums = tuple((point.day, point.commit, _total(registry, rule, point.caps)) for point in points)
        if any(total for _, _, total in sums):
            first = next(index for index, (_, _, total) in enumerate(sums) if total)
            line = sums[first:]
            found.append(Series(rule.id, rule.metric, line, rule.goal, rule.by, forecast(line, rule.goal)))
    return tuple(found)


def _total(registry: Registry, rule: Rule, caps: Lock) -> int:
    return sum(cap for key, cap in caps.items() if key.metric != ARMED and _is_of(registry, rule, key))


def _is_of(registry: Registry, rule: Rule, key: Key) -> bool:
    return bool(covering(registry, (rule,), key))


def forecast(points: Sequence[tuple[datetime.date, str, int]], goal: int | None) -> datetime.date | None:
    """The day on which the line through `points` comes down to `goal`; None where it does not fall, or is one day long."""
    days = [day.toordinal() for day, _, _ in points]
    if goal is None or not points:
        return None
    if points[-1][2] <= goal:
        return next(day for day, _, total in points if total <= goal)
    values = [total for _, _, total in points]
    middle, level = sum(days) / len(days), sum(values) / len(values)
    spread = sum((day - middle) ** 2 for day in days)
    if not spread:
        return None
    slope = sum((day - middle) * (value - level) for day, value in zip(days, values, strict=True)) / spread
    if slope >= 0:
        return None
    ahead = middle + (goal - level) / slope
    # A line that is already below the goal while the number is not says nothing about the future.
    return datetime.date.fromordinal(round(ahead)) if days[-1] < ahead < datetime.date.max.toordinal() else None

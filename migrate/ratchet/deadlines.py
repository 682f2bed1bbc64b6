"""Goals and raises with a day: a warning fourteen days ahead; after it, a failure of changes that touch the place only.

A build that has nothing to do with it never breaks because a day has passed.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator

from .book import Book, Raise, Rule
from .findings import Finding
from .keys import Key
from .measuring import Measured, Measurement

AHEAD = datetime.timedelta(days=14)
FAR = datetime.timedelta(days=366)
"""Beyond this, a day is as good as none: nobody who agreed to it will look at it again."""


def far_off(day: datetime.date, today: datetime.date) -> str | None:
    """What is wrong with a day that is more than a year away; None for any other."""
    return f"{day} is more than a year away, which is as good as never" if day - today > FAR else None


def total(measurement: Measurement, rule: Rule) -> int:
    """What the keys of a rule come to."""
    return sum(measured.value for _, measured in of_rule(measurement, rule))


def of_rule(measurement: Measurement, rule: Rule) -> list[tuple[Key, Measured]]:
    """The keys of a rule with their numbers, sorted."""
    return sorted((key, m) for key, m in measurement.values.items() if any(r.id == rule.id for r in m.rules))


def deadlines(
    book: Book, measurement: Measurement, changed: Collection[str] | None, today: datetime.date
) -> list[Finding]:
    """Findings about days; `changed` are the paths that the change touches, None where that is not known."""
    touched = changed or ()
    return [*_goals(book, measurement, touched, today), *_raises(book, measurement, touched, today)]


def _goals(book: Book, measurement: Measurement, touched: Collection[str], today: datetime.date) -> Iterator[Finding]:
    for rule in book.rule:
        if rule.goal is None or rule.by is None or today + AHEAD < rule.by:
            continue
        value = total(measurement, rule)
        if value <= rule.goal:
            continue
        owner = f" (owner: {rule.owner})" if rule.owner else ""
        told = f"rule {rule.id!r} is at {value}; its goal is {rule.goal} by {rule.by}{owner}"
        if rule.by >= today:
            yield Finding("due-soon", "warning", f"rule:{rule.id}", told)
            continue
        files = [m.reading for _, m in of_rule(measurement, rule) if m.value and m.reading.file in touched]
        mend = f"bring it to {rule.goal} with this change, or agree on another day with the owner"
        if files:
            place = files[0]
            yield Finding("overdue", "error", f"rule:{rule.id}", told, mend, place.file, place.line)
        else:
            yield Finding("overdue", "warning", f"rule:{rule.id}", told)


def _raises(book: Book, measurement: Measurement, touched: Collection[str], today: datetime.date) -> Iterator[Finding]:
    for item in book.raises:
        if item.expires is None:
            continue
        if told := far_off(item.expires, today):
            mend = "agree on a day within a year, or take `expires` out where it is for good"
            yield Finding("far-off", "warning", item.key, f"a raise until {told} ({item.reason})", mend)
        if today + AHEAD < item.expires:
            continue
        if item.to is None:
            yield _rule_expiry(item, item.expires, today)
            continue
        # Without `from`, nobody knows what the cap was; it was at least lower.
        before = item.before if item.before is not None else item.to - 1
        measured = measurement.values.get(Key.parse(item.key))
        if measured is not None and measured.value > before:
            yield _expiry(item, item.expires, before, measured, touched, today)


def _rule_expiry(item: Raise, expires: datetime.date, today: datetime.date) -> Finding:
    told = f"a loosening was allowed until {expires} ({item.reason})"
    if expires >= today:
        return Finding("due-soon", "warning", item.key, told)
    # Whether the rule is strict again cannot be told from here, so it is said until somebody takes the entry out.
    mend = f"make the rule strict again and take the [[raise]] out, or ask {item.owner} for a new one"
    return Finding("raise-expired", "warning", item.key, told, mend)


def _expiry(
    item: Raise, expires: datetime.date, before: int, measured: Measured, touched: Collection[str], today: datetime.date
) -> Finding:
    told = f"{measured.value} was allowed until {expires} ({item.reason}); before, the cap was {before}"
    if expires >= today:
        return Finding("due-soon", "warning", item.key, told)
    level = "error" if measured.reading.file in touched else "warning"
    mend = f"bring it to {before}, or ask {item.owner} for a new raise"
    place = measured.reading
    return Finding(
        "raise-expired", "error" if level == "error" else "warning", item.key, told, mend, place.file, place.line
    )

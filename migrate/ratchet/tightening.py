"""Lower the caps to today's numbers. Pure: from rules, rows and numbers to new rows, with what changed and why.

Nothing here raises a cap: a number above its cap keeps its cap, and the check stays red.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .judge import Facts
from .keys import Key
from .measuring import ARMED, Measured, cap_of, covering


@dataclass(frozen=True)
class Change:
    """One row that changes: caps before and after, None where there is no row."""

    key: Key
    before: int | None
    after: int | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.key}: recorded at {self.after}"
        return f"{self.key}: {self.before} -> {'no row' if self.after is None else self.after}"


def tighten(facts: Facts, *, record: bool = False) -> dict[Key, int]:
    """The new rows.

    A row falls to today's number; it goes where nothing is left to cap, or where the rule's own cap is as strict; it
    follows a rename that git sees. A number without any cap is recorded. With `record`, so is one above its rule's cap,
    as `init` does for rules that are new; the check still holds such rows against the merge base.
    """
    rows: dict[Key, int] = {}
    for key, measured in facts.measurement.values.items():
        row = _row(facts, key, measured, record)
        if row is not None:
            rows[key] = row
    others = ((key, cap) for key, cap in facts.now.lock.items() if key not in facts.measurement.values)
    rows.update({key: cap for key, cap in others if _is_kept(facts, key)})
    for rule in facts.now.book.rule:
        if rule.when_absent is not None and rule.id not in facts.now.waiting:
            rows[Key(ARMED, rule.id)] = 0
    return rows


def _row(facts: Facts, key: Key, measured: Measured, record: bool) -> int | None:
    lock, registry = facts.now.lock, facts.registry
    origin = facts.origin(key)
    old = lock.get(key, lock.get(origin) if origin != key else None)
    without = cap_of(registry, key, {}, measured.rules)
    if old is None:
        if without is None or (record and measured.value > without):
            return measured.value
        return None
    row = min(old, measured.value)
    return None if without is not None and without <= old and measured.value <= without else row


def _is_kept(facts: Facts, key: Key) -> bool:
    """Whether a row stays although nothing was measured under it in this run."""
    if key.metric == ARMED:
        return facts.now.book.find(key.place) is not None
    rules = covering(facts.registry, facts.now.book.rule, key)
    # Otherwise its number is 0 now, and a row would only let it come back.
    return facts.partial or any(rule.id in facts.now.waiting for rule in rules)


def changes(before: Mapping[Key, int], after: Mapping[Key, int]) -> tuple[Change, ...]:
    """What differs between two sets of rows, sorted by key."""
    return tuple(
        Change(key, before.get(key), after.get(key))
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    )

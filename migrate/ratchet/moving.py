"""`graphlift ratchet mv`: hand a file's caps on to the files that it became. Pure; the check verifies the sum again."""

from __future__ import annotations

from ...adapters.errors import UsageError
from .book import Move
from .judge import Facts
from .keys import Key
from .moves import budgets


def move_rows(facts: Facts, move: Move) -> dict[Key, int]:
    """The rows after a move: every new file is capped at its number, and what is left over is given up.

    Raises `UsageError` where the old file has no caps, or the numbers come to more than they were.
    """
    found = budgets(facts.registry, move, facts.now.lock)
    if not found:
        mend = "name the file that the lock has; `graphlift ratchet tighten` records new ones"
        raise UsageError(f"the lock has no cap for {move.source}", mend=mend)
    gone = {move.source, *move.to}
    rows = {
        key: cap
        for key, cap in facts.now.lock.items()
        if (key.metric, key.detail) not in found or key.place not in gone
    }
    for (metric, detail), budget in found.items():
        numbers = {place: _number(facts, Key(metric, place, detail)) for place in move.to}
        total = sum(numbers.values())
        if total > budget:
            message = f"{', '.join(move.to)} come to {total}, and {move.source} was capped at {budget}"
            mend = f"bring them down by {total - budget}, or raise the cap first: `graphlift ratchet raise`"
            raise UsageError(f"{metric}: {message}", mend=mend)
        rows.update({Key(metric, place, detail): number for place, number in numbers.items() if number})
    return rows


def _number(facts: Facts, key: Key) -> int:
    measured = facts.measurement.values.get(key)
    return measured.value if measured else 0

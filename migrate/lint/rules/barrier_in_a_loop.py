"""A waiting edge with a source inside a loop that its target is outside of: a barrier is a set, not a count."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Joins of which some sources are in a loop that does not go through the target."""
    for join in analysis.wired.joins:
        looped = [
            name for name in join.sources if name in analysis.reach(name) and join.target not in _ring(analysis, name)
        ]
        if looped and len(join.sources) > 1:
            yield (
                join.place,
                f"{listed(looped)} may run several times, but {join.target} runs at the first arrival of each",
            )


def _ring(analysis: Analysis, node: str) -> frozenset[str]:
    """The nodes that are in a loop with this one."""
    return frozenset(other for other in analysis.reach(node) if node in analysis.reach(other))


RULE = Rule(
    "barrier-in-a-loop",
    "warning",
    "a waiting edge counts a looping source once",
    "The barrier is full once each source has run once; what the loop writes after that stays in it and is never consumed.",
    "let the loop leave through a node of its own, and list that node in the waiting edge",
    check,
)

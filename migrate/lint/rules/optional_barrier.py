"""A waiting edge that fires only when a router happens to pick all of its sources."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .exclusive_barrier import comes_later
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Joins that fire in one play, or in a later round of a loop, and are left holding writes in another."""
    for join in analysis.wired.joins:
        held = [play.held[join] for play in analysis.plays if join in play.held and join not in play.fired]
        for_good = [arrived for arrived in held if not comes_later(analysis, join, arrived)]
        if for_good and (len(for_good) < len(held) or any(join in play.fired for play in analysis.plays)):
            arrived = min(for_good, key=lambda names: (-len(names), sorted(names)))
            missing = frozenset(join.sources) - arrived
            yield (
                join.place,
                f"{join.target} does not run when {listed(arrived)} arrives and {listed(missing)} is not picked",
            )


RULE = Rule(
    "optional-barrier",
    "warning",
    "a waiting edge does not fire when a router leaves one of its sources out",
    "A waiting edge fires when every listed node has run. When one is left out the target is skipped without an error, and "
    "the writes that did arrive stay in the checkpoint.",
    "use an inclusive edge (graphlift.adapters.inclusive), or let the branch that is left out still run and skip itself",
    check,
)

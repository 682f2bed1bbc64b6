"""A waiting edge over branches that exclude each other: it never fires, and the run ends as if nothing were missing."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Join
from ..runs import Analysis
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Joins that some play leaves holding writes, and that fire in none."""
    for join in analysis.wired.joins:
        held = [play.held[join] for play in analysis.plays if join in play.held]
        fires = any(join in play.fired for play in analysis.plays)
        if held and not fires and not any(comes_later(analysis, join, arrived) for arrived in held):
            arrived = min(held, key=lambda names: (-len(names), sorted(names)))
            missing = frozenset(join.sources) - arrived
            yield (
                join.place,
                f"{join.target} never runs from here: when {listed(arrived)} arrives, {listed(missing)} does not",
            )


def comes_later(analysis: Analysis, join: Join, arrived: frozenset[str]) -> bool:
    """Whether a loop may still bring what is missing: a waiting edge keeps its arrivals from one round to the next."""
    missing = frozenset(join.sources) - arrived
    looping = {name for name in join.sources if name in analysis.reach(name)}
    return any(
        late in analysis.reach(name) and (late in looping or name in looping) for name in arrived for late in missing
    )


RULE = Rule(
    "exclusive-barrier",
    "error",
    "a waiting edge over branches that exclude each other never fires",
    "A waiting edge fires when every listed node has run. When a router picks one of them, the others never come, the target "
    "and all that follows are skipped, and no error is raised.",
    "use separate edges where exactly one branch runs, or an inclusive edge (graphlift.adapters.inclusive), which runs its "
    "target once with those that arrived",
    check,
)

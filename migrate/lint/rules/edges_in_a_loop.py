"""Edges added one by one in a loop over dependencies: a fan-in whose width and depths nobody sees in the source."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Calls `add_edge(<of the loop's variable>, <not of it>)` in a loop over what is not constant."""
    for place, start, end in analysis.wired.looped:
        yield place, f"edges into {end} are added one by one, from each {start}"


RULE = Rule(
    "edges-in-a-loop",
    "error",
    "edges from each dependency are added one by one in a loop",
    "With two dependencies of different depth the node runs twice; a loop hides that in whatever the definition holds.",
    "add one waiting edge, add_edge(list(dependencies), node); `graphlift codemod join-wiring` rewrites the plain cases",
    check,
)

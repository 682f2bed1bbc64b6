"""A plain edge out of a loop's body: what depends on the loop runs once an iteration."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Plain edges from a node inside a loop to one outside of it."""
    for edge in analysis.wired.edges:
        inside = edge.source in analysis.reach(edge.source)
        if inside and edge.target in analysis.wired.nodes and edge.source not in analysis.reach(edge.target):
            yield edge.place, f"{edge.target} runs once for each iteration of the loop through {edge.source}"


RULE = Rule(
    "loop-dependents",
    "warning",
    "a plain edge leaves a loop's body",
    "The edge fires each time its source finishes, so everything after it runs once an iteration, on unfinished results.",
    "leave the loop through the router that decides to end it, or through a node that only that router reaches",
    check,
)

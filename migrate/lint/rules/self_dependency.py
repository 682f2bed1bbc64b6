"""A node that waits for itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Waiting edges that list their own target, and nodes whose only way in is a plain edge from themselves."""
    for join in analysis.wired.joins:
        if join.target in join.sources:
            yield join.place, f"{join.target} waits for itself"
    for edge in analysis.wired.edges:
        if edge.source == edge.target and not _other_way_in(analysis, edge.target):
            yield edge.place, f"{edge.target} is only started by itself, so it never runs"


def _other_way_in(analysis: Analysis, node: str) -> bool:
    return any(node in targets for source, targets in analysis.successors.items() if source != node)


RULE = Rule(
    "self-dependency",
    "error",
    "a node depends on itself",
    "It can only start after it has run, so it never starts; the run ends without it and without an error.",
    "take the node out of its own dependencies; a loop needs a way in and a router that ends it",
    check,
)

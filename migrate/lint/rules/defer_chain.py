"""Deferred nodes behind deferred nodes: all of them are released by the same end of the run."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Nodes with `defer=True` that another one leads to."""
    nodes = analysis.wired.nodes
    for node in nodes.values():
        before = [other.name for other in nodes.values() if other.defer and node.name in analysis.reach(other.name)]
        before = [name for name in before if name != node.name]
        if node.defer and before:
            yield node.place, f"{node.name} is deferred and so is {listed(before)}, which leads to it"


RULE = Rule(
    "defer-chain",
    "warning",
    "a deferred node follows a deferred node",
    "When the run would end, every deferred node that holds a trigger is released at once: the later one runs beside the "
    "earlier one, and again after it.",
    "defer the last one only, or wire it with a waiting edge",
    check,
)

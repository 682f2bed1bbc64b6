"""A Send to a node that is also a waiting edge's target."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Constant Sends in routers and nodes to the target of a waiting edge."""
    targets = {join.target for join in analysis.wired.joins}
    bodies = [node.facts for node in analysis.wired.nodes.values()] + [
        router.facts for router in analysis.wired.routers
    ]
    for facts in dict.fromkeys(facts for facts in bodies if facts is not None):
        for line, name in facts.sends:
            if name in targets:
                yield Place(facts.place.file, line), f"a Send runs {name} at once, and its waiting edge runs it again"


RULE = Rule(
    "send-to-barrier",
    "warning",
    "a Send goes to a waiting edge's target",
    "A Send starts its node whatever else it waits for; it is not an arrival, so the waiting edge still fires later.",
    "send to a node of its own, and list that node in the waiting edge",
    check,
)

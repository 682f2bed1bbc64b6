"""A name that is routed or sent to and is no node of the graph."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import END, START, Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Constant targets of routers, of Command and of Send."""
    wired = analysis.wired
    if not wired.complete:
        return
    known = {*wired.nodes, START, END}
    for router in wired.routers:
        for name in sorted(router.unmapped):
            yield router.place, f"the router after {router.source} returns {name!r}, which its path map does not have"
        for name in sorted(frozenset().union(*(router.picks or ()))):
            if router.targets is None and name not in known:
                yield router.place, f"the router after {router.source} goes to {name!r}, which is no node"
    bodies = [node.facts for node in wired.nodes.values()] + [router.facts for router in wired.routers]
    for facts in dict.fromkeys(facts for facts in bodies if facts is not None):
        for line, name in (*facts.gotos, *facts.sends):
            if name not in known:
                yield Place(facts.place.file, line), f"{name!r} is no node of this graph"


RULE = Rule(
    "unknown-target",
    "error",
    "a route or a Send names no node",
    "LangGraph logs a warning for a route and goes on: the branch ends and the run reads as a success.",
    "name a node of the graph; where the name is the parent graph's, give Command(graph=Command.PARENT)",
    check,
)

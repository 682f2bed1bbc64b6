"""A router whose targets nobody can list: no path map, no Literal annotation."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Routers without a path map and without an annotation that names their targets, except those that only send."""
    for router in analysis.wired.routers:
        annotated = router.facts is not None and router.facts.literal is not None
        only_sends = (
            router.facts is not None and router.facts.picks is not None and not frozenset().union(*router.facts.picks)
        )
        if router.targets is None and not annotated and not (only_sends and router.facts and router.facts.sends):
            yield router.place, f"the router after {router.source} has no path map"


RULE = Rule(
    "open-router",
    "warning",
    "a router returns a name without a path map",
    "Without a path map a name that is no node is a logged warning and a run that ends early, green; with one it is a KeyError. "
    "The drawing of the graph shows edges to every node.",
    "give add_conditional_edges the list of its targets, or annotate the router with Literal[...]",
    check,
)

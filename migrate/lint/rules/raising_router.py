"""A router that can raise: the node's writes are kept, the branch is lost on resume."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """What is plain to see in a router's source: raise, assert, an index, a conversion, a division."""
    for router in analysis.wired.routers:
        if router.facts is not None:
            for line, what in router.facts.raises:
                yield Place(router.facts.place.file, line), f"the router after {router.source} can raise here: {what}"


RULE = Rule(
    "raising-router",
    "warning",
    "a router can raise",
    "A router runs after its node has finished. When it raises, the node's writes are already recorded and its task reads as "
    "finished, so that on resume the branch is silently lost.",
    "evaluate what can fail in the node, write the verdict to the state, and let the router only read it",
    check,
)

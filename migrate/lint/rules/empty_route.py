"""A router that can return nothing: its branch ends without a word."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Routers with a return of `[]` or None."""
    for router in analysis.wired.routers:
        for line in router.facts.nothing if router.facts is not None else ():
            yield Place(router.facts.place.file, line), f"the router after {router.source} may pick nothing"  # type: ignore[union-attr]


RULE = Rule(
    "empty-route",
    "warning",
    "a router may pick nothing",
    "An empty list ends the branch as END would, but nobody can tell whether that was meant.",
    "return END where the branch is meant to end",
    check,
)

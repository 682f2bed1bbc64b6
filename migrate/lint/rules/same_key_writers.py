"""Two nodes of one superstep that write one key without a reducer: InvalidUpdateError, when it happens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..runs import Analysis
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Pairs of nodes that some play runs in one superstep and that return the same key of a state without a reducer for it."""
    keys = analysis.wired.keys
    if keys is None:
        return
    for first, second in together(analysis):
        shared = writes(analysis, first) & writes(analysis, second)
        plain = sorted(name for name in shared if name in keys and not keys[name].reducer)
        if plain:
            place = analysis.wired.nodes[second].place
            yield place, f"{first} and {second} can write {listed(plain)} in one superstep, and it has no reducer"


def together(analysis: Analysis) -> list[tuple[str, str]]:
    """Pairs of nodes that share a superstep in some play, each once."""
    found = {pair for play in analysis.plays for nodes in play.at().values() for pair in combinations(sorted(nodes), 2)}
    return sorted(pair for pair in found if set(pair) <= set(analysis.wired.nodes))


def writes(analysis: Analysis, node: str) -> frozenset[str]:
    """The keys that a node is seen to return."""
    facts = analysis.wired.nodes[node].facts
    return facts.writes or frozenset() if facts is not None else frozenset()


RULE = Rule(
    "same-key-writers",
    "error",
    "two nodes of one superstep write a key without a reducer",
    "LangGraph raises InvalidUpdateError, even for equal values, but only on runs in which both happen to share a superstep.",
    "give the key a reducer, Annotated[T, reducer], or let the nodes write keys of their own",
    check,
)

"""Two nodes of one superstep that ask for an answer: answering one runs the other's body again."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule
from .same_key_writers import together


def check(analysis: Analysis) -> Iterator[Hit]:
    """Pairs of nodes that share a superstep and both call `interrupt`."""
    nodes = analysis.wired.nodes
    for first, second in together(analysis):
        facts = nodes[first].facts, nodes[second].facts
        if all(one is not None and one.asks for one in facts):
            yield nodes[second].place, f"{first} and {second} can both wait for an answer in one superstep"


RULE = Rule(
    "parallel-interrupts",
    "warning",
    "two nodes of one superstep call interrupt()",
    "A resume runs the body of every interrupted task again from its start, so what the other node does before its question "
    "happens once more for each answer.",
    "ask one after the other, or do nothing with an effect before the question",
    check,
)

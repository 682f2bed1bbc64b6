"""A node that changes the state it was handed instead of returning what changed."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """Assignments into the state and mutating calls on its values."""
    for node in analysis.wired.nodes.values():
        for line, what in node.facts.mutations if node.facts is not None else ():
            yield Place(node.facts.place.file, line), f"{node.name} changes the state in place: {what}"  # type: ignore[union-attr]


RULE = Rule(
    "state-mutation",
    "warning",
    "a node changes the state in place",
    "The values are shared: a change in place leaks to nodes that run beside and after, is in no checkpoint's writes, and a new "
    "key is dropped.",
    "return the changed keys; copy a value before changing it",
    check,
)

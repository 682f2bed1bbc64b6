"""Parallel writers into a reducer that keeps their order, which is the order of their names."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule
from .same_key_writers import together, writes


def check(analysis: Analysis) -> Iterator[Hit]:
    """For each ordered key the nodes that can write it in one superstep, once a key."""
    keys = analysis.wired.keys or {}
    pairs = together(analysis)
    for name, key in sorted(keys.items()):
        found = [
            pair for pair in pairs if key.ordered and name in writes(analysis, pair[0]) & writes(analysis, pair[1])
        ]
        if found:
            nodes = sorted({node for pair in found for node in pair})
            place = analysis.wired.nodes[nodes[-1]].place
            yield (
                place,
                f"the order of {name!r} is the order of the names of {', '.join(nodes)}, which share a superstep",
            )


RULE = Rule(
    "ordered-reducer",
    "warning",
    "parallel nodes add to a list in the order of their names",
    "Writes of one superstep are applied by node name, not by edge and not by completion: renaming a node changes the result.",
    "write under a key of the writer's own and merge a map, or sort where the list is read",
    check,
)

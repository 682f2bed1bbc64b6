"""A node that returns all of the state, or all of a shared map, instead of what it changed."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Place
from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """`return state`, `{**state, …}`; and `{"key": {**state["key"], …}}` for a key that merges maps."""
    keys = analysis.wired.keys or {}
    for node in analysis.wired.nodes.values():
        if node.facts is None:
            continue
        for line in node.facts.whole_state:
            yield Place(node.facts.place.file, line), f"{node.name} returns the whole state"
        for line, name in node.facts.copied_keys:
            if name in keys and keys[name].merges:
                yield Place(node.facts.place.file, line), f"{node.name} returns all of {name!r}, which is merged"


RULE = Rule(
    "full-state-return",
    "error",
    "a node returns a full copy of what others write as well",
    "A stale copy overwrites what a sibling of the same superstep wrote, and a reducer that adds counts everything twice; which "
    "one wins depends on the nodes' names.",
    "return only what the node changed",
    check,
)

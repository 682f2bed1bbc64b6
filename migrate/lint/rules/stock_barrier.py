"""Stock waiting edges with a persistent saver: a crash can lose the join."""

from __future__ import annotations

from collections.abc import Iterator

from ..runs import Analysis
from .rule import Hit, Rule


def check(analysis: Analysis) -> Iterator[Hit]:
    """A stock StateGraph with waiting edges that is compiled with a checkpointer which is not in memory."""
    wired = analysis.wired
    joins = [join for join in wired.joins if len(set(join.sources)) > 1]
    if wired.stock and wired.saved is not None and joins:
        yield wired.saved, f"{len(joins)} waiting edge(s) with a persistent saver and LangGraph's default durability"


RULE = Rule(
    "stock-barrier",
    "warning",
    "stock waiting edges are saved in the background",
    "LangGraph's barrier hands its live set to the saver. With durability='async', the default, a checkpoint can record an "
    "arrival that has not happened yet; after a hard exit and a resume the join never runs.",
    "run with durability='sync', or build the graph with graphlift's InclusiveStateGraph, whose barriers copy",
    check,
)

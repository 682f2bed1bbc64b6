"""A node that separate edges start more than once in one run, because its sources finish in different supersteps."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import START, Place
from ..runs import Analysis
from .rule import Hit, Rule, listed


def check(analysis: Analysis) -> Iterator[Hit]:
    """Nodes with several separate sources that some play runs twice, once from one source and once from another."""
    found: dict[str, dict[int, frozenset[str]]] = {}
    for play in analysis.plays:
        for node, times in play.ran.items():
            firsts: dict[int, frozenset[str]] = {}
            for step, sources in times:
                # A source that itself ran twice carries its own repetition on; only the fan-in where it began is told.
                once = frozenset(name for name in sources if len(play.ran.get(name, ())) == 1)
                if once:
                    firsts[step] = once
            if len(firsts) > 1 and len(firsts) > len(found.get(node, {})):
                found[node] = firsts
    for node, firsts in sorted(found.items()):
        waves = "; ".join(f"superstep {step} from {listed(names)}" for step, names in sorted(firsts.items()))
        yield _place(analysis, node), f"{node} runs {len(firsts)} times: {waves}"


def _place(analysis: Analysis, node: str) -> Place:
    """The last edge into the node, where the fan-in became one."""
    places = [edge.place for edge in analysis.wired.edges if edge.target == node and edge.source != START]
    places += [join.place for join in analysis.wired.joins if join.target == node]
    places += [router.place for router in analysis.wired.routers if node in frozenset().union(*(router.picks or ()))]
    return max(places, default=analysis.wired.nodes[node].place)


RULE = Rule(
    "uneven-fan-in",
    "error",
    "a fan-in by separate edges runs its node once for each depth",
    "Separate edges are separate triggers: the node runs in every superstep in which one of its sources finished, the "
    "first time without the results of the slower ones.",
    "give the sources as one list, add_edge([...], node), so that it waits for all; where a branch may not run, use an "
    "inclusive edge",
    check,
)

"""GL171: a run ended normally, and a waiting edge still holds arrivals. Fails even when both engines agree.

What GL170 tells by the case's graph is told here by the engine: also for joins that the case says nothing of, as in a subgraph.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation, RecordedWait
from ..rule import BuiltIn
from ..shape import as_text
from .liveness import stalled


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    held = {"legacy": _held(legacy), "candidate": _held(candidate)}
    for node in sorted(held["legacy"].keys() | held["candidate"].keys()):
        sides = [side for side in ("legacy", "candidate") if node in held[side]]
        edge = held[sides[0]][node]
        yield rule.found(
            node,
            legacy="holds arrivals" if "legacy" in sides else "holds nothing",
            candidate="holds arrivals" if "candidate" in sides else "holds nothing",
            cause=f"the run ended normally, and the waiting edge into {node} still holds {as_text(edge.arrived)}: "
            f"{as_text(edge.missing) or 'no one'} never came",
        )


def _held(run: Observation) -> dict[str, RecordedWait]:
    if not run.succeeded or run.outcome is None or run.outcome.interrupt or not run.outcome.waiting:
        return {}
    told = {node for node, _ in stalled(run)}
    return {edge.target: edge for edge in run.outcome.waiting if edge.target not in told}


RULE = BuiltIn(
    "GL171",
    "waiting-edge",
    "liveness",
    "a run ended normally, and a waiting edge still holds arrivals",
    """\
LangGraph ends a run normally although a waiting edge has heard from some of its sources and never released: its target never
ran. The engine itself says so, from its checkpoint (`Outcome.waiting`, filled with `adapters.scheduler.stalled_edges(graph,
config)`). A node that GL170 names already is not named again, nor is an edge whose target is scheduled.""",
    "wait only for sources that must come, or use an inclusive join",
    _check,
)

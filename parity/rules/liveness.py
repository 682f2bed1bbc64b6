"""GL170: a run ended normally, but a node with a live in-edge never ran. Fails even when both engines agree."""

from __future__ import annotations

from collections.abc import Iterator

from ..comparing import leads, ran
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    # By place, not by `side`: the gate also compares two runs of one engine, to see what differs by itself.
    by_side = {"legacy": dict(stalled(legacy)), "candidate": dict(stalled(candidate))}
    for node in sorted(by_side["legacy"].keys() | by_side["candidate"].keys()):
        sides = [side for side in ("legacy", "candidate") if node in by_side[side]]
        arrived = by_side[sides[0]][node]
        run = candidate if sides[0] == "candidate" else legacy
        lacking = [name for name in run.shape.sources[node] if name not in arrived] if run.shape else []
        waits = f", {as_text(lacking)} never came" if lacking else ""
        yield rule.found(
            node,
            legacy="never ran" if "legacy" in sides else "accounted for",
            candidate="never ran" if "candidate" in sides else "accounted for",
            cause=f"under {_who(sides, legacy, candidate)} the run ended normally "
            f"although {as_text(arrived)} had led to {node}{waits}",
        )


def _who(sides: list[str], legacy: Observation, candidate: Observation) -> str:
    if legacy is candidate:
        return f"the {legacy.side} engine"  # one run, judged by itself
    return "both engines" if len(sides) == 2 else f"the {sides[0]} engine"


def stalled(run: Observation) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The nodes of one run that never came to anything, with the sources that had led to them."""
    shape = run.shape
    if shape is None or not run.succeeded or (run.outcome and run.outcome.interrupt):
        return
    for node, sources in shape.sources.items():
        if node in shape.groups or _is_accounted_for(run, node):
            continue
        live = tuple(source for source in sources if leads(run, shape, source, node))
        if live:
            yield node, live


def _is_accounted_for(run: Observation, node: str) -> bool:
    end = run.ends.get(node)
    return ran(run, node) or (end is not None and end.status != "pending")


RULE = BuiltIn(
    "GL170",
    "liveness",
    "liveness",
    "a run ended normally, but a node with a live in-edge never ran",
    """\
A join that waits for a branch which was never taken holds its arrivals for ever; LangGraph ends such a run normally. Both
engines may do the same, so this fails even when they agree. A run that failed, or that waits for a person, is not judged.""",
    "wait only for sources that must come, or use an inclusive join",
    _check,
    ("runs", "shape", "success"),
)

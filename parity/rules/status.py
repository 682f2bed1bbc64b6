"""GL130: a node ended in another status."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import settled
from ..comparing import ran
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in sorted(legacy.ends.keys() & candidate.ends.keys()):
        one, other = legacy.ends[node], candidate.ends[node]
        if one.status == other.status or ran(legacy, node) != ran(candidate, node):
            continue  # what ran under one engine only is told by GL102, GL103 or GL143
        yield rule.found(
            node,
            legacy=_told(one.status, one.error),
            candidate=_told(other.status, other.error),
            cause=_cause(legacy, candidate, node),
            at=settled(candidate, node),
        )


def _told(status: str, error: str | None) -> str:
    return f"{status} ({error})" if error else status


def _cause(legacy: Observation, candidate: Observation, node: str) -> str:
    last = [run.by_node[node][-1].raised if node in run.by_node else None for run in (legacy, candidate)]
    if last[0] == last[1] and last[0]:
        return f"its last activation raised {last[0]} under both engines; they report it differently"
    if any(last):
        side = "legacy engine" if last[0] else "candidate"
        return f"its last activation raised {last[0] or last[1]} under the {side} only"
    if node not in legacy.by_node and node not in candidate.by_node:
        return "the engines judge it differently; its body was not seen"
    return "its body ended alike; the engines report it differently"


RULE = BuiltIn(
    "GL130",
    "status",
    "status",
    "a node ended in another status",
    """\
Both engines know the node and say different things of how it ended: a timeout that one reports as failed and the other as
cancelled, a swallowed CancelledError that reads as completed, a failure inside a group that one engine forgives.""",
    "map the status in the result adapter, or let the engine treat the end of the node as the other does",
    _check,
    ("nodes",),
)

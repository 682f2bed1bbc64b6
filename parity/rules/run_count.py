"""GL101: a node ran more often, or less often, on one engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Activation, Case, Divergence, Observation
from .base import CheckedRule, before


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    ours, theirs = legacy.runs(), candidate.runs()
    for node in sorted(set(ours) | set(theirs)):
        old, new = ours.get(node, []), theirs.get(node, [])
        if len(old) == len(new):
            continue
        more, trace = (old, legacy.trace) if len(old) > len(new) else (new, candidate.trace)
        side = "legacy" if len(old) > len(new) else "candidate"
        cause = f"on the {side} engine it ran {_told(more, trace)}"
        yield rule.found(case, node, _times(old), _times(new), cause)


def _times(runs: list[Activation]) -> str:
    return f"ran {len(runs)} time{'' if len(runs) == 1 else 's'}" if runs else "never ran"


def _told(runs: list[Activation], trace: tuple[Activation, ...]) -> str:
    return ", ".join(f"after {before(trace, run)}" if before(trace, run) else "at the start" for run in runs)


RULE = CheckedRule(
    id="GL101",
    family="run count",
    summary="a node ran a different number of times",
    explanation=(
        "Both engines must run every node equally often. A node that runs twice on a graph engine usually has several "
        "incoming edges from different depths: it runs once for each superstep in which one of them fires, and the early "
        "run sees the slower branches' values as missing. A node that never runs usually waits on a join that can not fill."
    ),
    mend="give the node one waiting edge from all its dependencies, instead of one edge each",
    find=_find,
)

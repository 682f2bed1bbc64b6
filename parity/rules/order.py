"""GL120: two activations happened in the opposite order."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Activation, Case, Divergence, Observation
from .base import CheckedRule


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    theirs = {(item.node, item.ordinal): item for item in candidate.trace}
    ours = [item for item in legacy.trace if (item.node, item.ordinal) in theirs]
    ended = sorted((item for item in ours if item.end is not None), key=lambda item: item.end or 0)
    told: set[str] = set()
    place, last = 0, None
    for second in sorted(ours, key=lambda item: item.begin):
        # Of all that ended before it, the one that begins last on the candidate decides: one pass instead of all pairs.
        while place < len(ended) and (ended[place].end or 0) < second.begin:
            there = theirs[ended[place].node, ended[place].ordinal]
            if last is None or there.begin >= last.begin:
                last = there
            place += 1
        here = theirs[second.node, second.ordinal]
        if last and here.end is not None and here.end < last.begin and second.node not in told:
            told.add(second.node)
            yield _found(rule, case, last.node, second)


def _found(rule: CheckedRule, case: Case, first: str, second: Activation) -> Divergence:
    cause = f"{first} ended before {second.node} began; on the candidate it is the other way round"
    told = (f"{first}, then {second.node}", f"{second.node}, then {first}")
    return rule.found(case, second.node, *told, cause, second.ordinal)


RULE = CheckedRule(
    id="GL120",
    family="order",
    summary="two nodes ran in the opposite order",
    explanation=(
        "One node ended before another began on the legacy engine, and the other way round on the candidate. Nodes that ran "
        "at once on either engine have no order and are never compared. Order is behaviour where nodes have effects."
    ),
    mend="compile with the traversal of the legacy engine, or accept the new order if no effect depends on it",
    find=_find,
)

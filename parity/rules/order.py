"""GL120: two activations happened in the opposite order."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Activation, Case, Divergence, Observation
from .base import CheckedRule


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    theirs = {(item.node, item.ordinal): item for item in candidate.trace}
    ours = [item for item in legacy.trace if (item.node, item.ordinal) in theirs]
    for index, first in enumerate(ours):
        for second in ours[index + 1 :]:
            here, there = theirs[first.node, first.ordinal], theirs[second.node, second.ordinal]
            if _precedes(first, second) and _precedes(there, here):
                cause = f"{first.node} ended before {second.node} began; on the candidate it is the other way round"
                told = (f"{first.node}, then {second.node}", f"{second.node}, then {first.node}")
                yield rule.found(case, second.node, *told, cause, second.ordinal)
                break


def _precedes(one: Activation, other: Activation) -> bool:
    return one.end is not None and one.end < other.begin


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

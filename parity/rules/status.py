"""GL130: a node ended with another status, or has a result on one engine only."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Case, Divergence, NodeOutcome, Observation
from .base import CheckedRule

#: Different words of different engines for the same end.
SAME = {
    "success": "completed",
    "succeeded": "completed",
    "complete": "completed",
    "done": "completed",
    "ok": "completed",
    "error": "failed",
    "errored": "failed",
    "failure": "failed",
    "canceled": "cancelled",
}


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    assert legacy.outcome
    assert candidate.outcome
    ours, theirs = legacy.outcome.nodes, candidate.outcome.nodes
    if ours is None or theirs is None:
        return
    for name in sorted(set(ours) | set(theirs)):
        old, new = _status(ours.get(name)), _status(theirs.get(name))
        if old != new:
            errors = [node.error for node in (ours.get(name), theirs.get(name)) if node and node.error]
            cause = f"error: {errors[0]}" if errors else _cause(old, new)
            yield rule.found(case, name, old, new, cause)


def _status(node: NodeOutcome | None) -> str:
    return "no result" if node is None else SAME.get(node.status, node.status)


def _cause(old: str, new: str) -> str:
    if "no result" in (old, new):
        side = "legacy" if old == "no result" else "candidate"
        return f"the {side} engine has no result for this node"
    return "the engines judge the same run of the node differently"


RULE = CheckedRule(
    id="GL130",
    family="status",
    summary="a node ended with another status",
    explanation=(
        "The status of a node differs, or only one engine has a result for it. Words that mean the same (success, done, "
        "completed) are the same status. Look at joins first: whether a group is failed when one branch failed differs "
        "between engines, and a node after a skipped one is skipped by some and run by others."
    ),
    mend="set the join and the failure policy that the legacy engine has",
    find=_find,
)

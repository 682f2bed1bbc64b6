"""GL132: a node was skipped under both engines, for different reasons."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failed_upstream
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in sorted(legacy.ends.keys() & candidate.ends.keys()):
        one, other = legacy.ends[node], candidate.ends[node]
        told = None not in (one.reason, other.reason)
        if one.status == other.status == "skipped" and told and one.reason != other.reason:
            cause = _cause(legacy, candidate, node)
            yield rule.found(node, legacy=str(one.reason), candidate=str(other.reason), cause=cause)


def _cause(legacy: Observation, candidate: Observation, node: str) -> str:
    failed = [failed_upstream(run, node) for run in (legacy, candidate)]
    if failed[0] and failed[1]:
        return f"{failed[0]} had failed before it under both engines: one of them looks at the condition first, or tells it wrongly"
    if failed[0] or failed[1]:
        side = "legacy engine" if failed[0] else "candidate"
        return f"{failed[0] or failed[1]} had failed before it under the {side} only"
    return "nothing before it had failed: the engines name its condition otherwise"


RULE = BuiltIn(
    "GL132",
    "skip-cause",
    "skip cause",
    "a node was skipped for another reason",
    """\
A node that its own condition skips still counts as done for its dependents; one that is skipped because of a failure does
not. So another reason today is another set of nodes tomorrow, when the inputs differ.""",
    "check the failed dependencies first, then the condition, as the legacy engine does",
    _check,
    ("nodes",),
)

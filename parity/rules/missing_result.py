"""GL131: a node has a result under one engine only, though it ran or did not run alike."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import is_cancelled, settled, why_cancelled
from ..comparing import ran
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in sorted(legacy.ends.keys() ^ candidate.ends.keys()):
        if ran(legacy, node) != ran(candidate, node):
            continue  # GL102, GL103 or GL143 says so
        holder = legacy if node in legacy.ends else candidate
        status = holder.ends[node].status
        yield rule.found(
            node,
            legacy=status if holder is legacy else "no result",
            candidate=status if holder is candidate else "no result",
            cause=_cause(holder, candidate if holder is legacy else legacy, node),
            at=settled(holder, node),
        )


def _cause(holder: Observation, other: Observation, node: str) -> str:
    told = f"only the {holder.side} engine's result lists {node}"
    items = other.by_node.get(node, ())
    if items and is_cancelled(items[-1]):
        return f"{told}; under the {other.side} engine it was cancelled: {why_cancelled(other, items[-1])}"
    if items and items[-1].end is None:
        return f"{told}; under the {other.side} engine it was still running when the run ended"
    return f"{told}; under the {other.side} engine it ran to its end" if items else told


RULE = BuiltIn(
    "GL131",
    "missing-result",
    "status",
    "a node is listed in one engine's results only",
    """\
The node did the same under both engines, and one of them does not say so: children of a parallel group, skipped nodes and
conditions are where engines differ. Callers that look a node's result up get a KeyError.""",
    "list the node in the result adapter, with the status that the legacy engine gives it",
    _check,
    ("nodes",),
)

"""GL103: a node ran under the candidate and never under the legacy engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import ended_between, first_begin
from ..comparing import compared_nodes, cut_short, is_explained_by_failure, ran, times
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    by_order = {node for node, _ in cut_short(legacy, candidate)}  # GL120 tells of these
    for node in compared_nodes(legacy, candidate):
        if ran(legacy, node) or not ran(candidate, node) or node in by_order:
            continue
        if is_explained_by_failure(legacy, candidate, node):
            continue
        end = legacy.ends.get(node)
        yield rule.found(
            node,
            legacy=end.status if end else "never ran",
            candidate=times(candidate.runs(node)),
            cause=_cause(legacy, candidate, node),
            at=first_begin(candidate, node),
        )


def _cause(legacy: Observation, candidate: Observation, node: str) -> str:
    end = legacy.ends.get(node)
    if end is not None and end.status == "skipped" and node in candidate.untapped:
        reason = end.reason or "no reason given"
        return (
            f"the legacy engine skipped {node} ({reason}); the candidate reports it as run, and no activation was seen"
        )
    if end is not None and end.status == "skipped":
        return f"the legacy engine skipped {node} ({end.reason or 'no reason given'}), the candidate ran it"
    began = first_begin(candidate, node)
    sources = candidate.shape.sources.get(node, ()) if candidate.shape else ()
    fired = ended_between(candidate, sources, 0, began) if began is not None else ()
    if fired:
        return f"the candidate started {node} after {as_text(fired)}, the legacy engine did not"
    return f"only the candidate started {node}"


RULE = BuiltIn(
    "GL103",
    "extra-node",
    "run count",
    "a node ran under the candidate only",
    """\
The candidate ran a node that the legacy engine does not run: a condition that is not asked, a skip that is not honoured, a
node that the walker looks for under a name that does not exist and passes over with a warning.""",
    "compile the condition or the skip; if the legacy engine is wrong, list the divergence with its reason",
    _check,
    ("runs",),
)

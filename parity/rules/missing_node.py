"""GL102: a node ran under the legacy engine and never under the candidate."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import first_begin
from ..comparing import compared_nodes, is_explained_by_failure, ran, times
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in compared_nodes(legacy, candidate):
        if not ran(legacy, node) or ran(candidate, node) or is_explained_by_failure(legacy, candidate, node):
            continue
        end = candidate.ends.get(node)
        yield rule.found(
            node,
            legacy=times(legacy.runs(node)),
            candidate=end.status if end else "never ran",
            cause=_cause(candidate, node),
            at=first_begin(legacy, node),
        )


def _cause(run: Observation, node: str) -> str:
    end = run.ends.get(node)
    if end is not None and end.status == "skipped":
        return f"under the candidate, {node} was skipped ({end.reason or 'no reason given'})"
    sources = run.shape.sources.get(node, ()) if run.shape else ()
    arrived = [name for name in sources if ran(run, name)]
    lacking = [name for name in sources if name not in arrived]
    if arrived and lacking:
        return f"a join that never released: {as_text(arrived)} had ended, {as_text(lacking)} never ran"
    if lacking:
        return f"under the candidate, its sources {as_text(lacking)} never ran"
    if arrived:
        return f"an edge is lost: {as_text(arrived)} had ended, and nothing started {node}"
    return f"under the candidate, nothing started {node}"


RULE = BuiltIn(
    "GL102",
    "missing-node",
    "run count",
    "a node ran under the legacy engine only",
    """\
The candidate never ran a node that the legacy engine runs, and no failure explains it. A waiting edge whose source was not
chosen by a router never releases, and the run ends normally all the same; a route to an unknown node is a logged warning.""",
    "look at the edges into the node: a join must not wait for a source that a route can leave out",
    _check,
    ("runs",),
)

"""GL102: a node ran under the legacy engine and never under the candidate."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failures, first_begin
from ..comparing import chosen, compared_nodes, cut_short, is_explained_by_failure, ran, times
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    by_order = {node for node, _ in cut_short(legacy, candidate)}  # GL120 tells of these
    for node in compared_nodes(legacy, candidate):
        if not ran(legacy, node) or ran(candidate, node) or node in by_order:
            continue
        if is_explained_by_failure(legacy, candidate, node):
            continue
        end = candidate.ends.get(node)
        cause, mend = _cause(legacy, candidate, node)
        yield rule.found(
            node,
            legacy=times(legacy.runs(node)),
            candidate=end.status if end else "never ran",
            cause=cause,
            mend=mend or rule.mend,
            at=first_begin(legacy, node),
        )


def _cause(legacy: Observation, run: Observation, node: str) -> tuple[str, str | None]:
    """Why the candidate (`run`) did not run it, and what to do about it; None: what the rule says."""
    end = run.ends.get(node)
    if end is not None and end.status == "skipped":
        told = f"under the candidate, {node} was skipped ({end.reason or 'no reason given'})"
        return told, f"compare the condition of {node} in both definitions, and the values that it reads"
    if run.succeeded is False and not failures(run) and run.error:
        return f"no node had failed, but the candidate's run ended with {run.error} before {node} began", None
    sources = run.shape.sources.get(node, ()) if run.shape else ()
    arrived = [name for name in sources if ran(run, name)]
    lacking = [name for name in sources if name not in arrived]
    if arrived and lacking:
        return f"a join that never released: {as_text(arrived)} had ended, {as_text(lacking)} never ran", None
    if lacking:
        return f"under the candidate, its sources {as_text(lacking)} never ran", f"mend what stops {lacking[0]} first"
    routed = [name for name in arrived if run.shape and name in run.shape.routes and chosen(legacy, name) is not None]
    if routed:
        return _route(legacy, run, node, routed[0]), f"compare how both engines take the branches of {routed[0]}"
    if arrived:
        told = f"an edge is lost: {as_text(arrived)} had ended, and nothing started {node}"
        return told, f"give {node} its edge from {as_text(arrived)}"
    group = run.shape.groups.get(node) if run.shape else None
    if group is not None and not ran(run, group):
        return (
            f"under the candidate, the group {group} that it is a branch of never ran",
            f"mend what stops {group} first",
        )
    return f"under the candidate, nothing started {node}", f"look for what should start {node}"


def _route(legacy: Observation, run: Observation, node: str, source: str) -> str:
    one, other = chosen(legacy, source), chosen(run, source)
    if one == other:
        return f"{source} chose {one} under both engines, and the candidate did not follow it to {node}"
    return (
        f"{source} chose {one} under the legacy engine, and {other or 'a label that is not shown'} under the candidate"
    )


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

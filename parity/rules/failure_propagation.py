"""GL143: after a failure, a node ran under one engine and not under the other."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failed_upstream, failures, first_begin
from ..comparing import compared_nodes, cut_short, ran
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    by_order = {node for node, _ in cut_short(legacy, candidate)}  # GL120 tells of these
    for node in compared_nodes(legacy, candidate):
        if node in by_order:
            continue
        one, other = ran(legacy, node), ran(candidate, node)
        if one == other:
            continue
        runner, absent = (legacy, candidate) if one else (candidate, legacy)
        failed = failed_upstream(absent, node)
        if failed is None:
            continue
        yield rule.found(
            node,
            legacy=_told(legacy, node, one),
            candidate=_told(candidate, node, other),
            cause=f"{failed} failed; the {runner.side} engine runs {node} all the same, the other does not"
            if failed in failures(runner)
            else f"{failed} failed under the {absent.side} engine only, and {node} did not run after it",
            at=first_begin(runner, node),
        )


def _told(run: Observation, node: str, has_run: bool) -> str:
    end = run.ends.get(node)
    return (
        "ran"
        if has_run
        else f"{end.status} ({end.reason})"
        if end and end.reason
        else end.status
        if end
        else "never ran"
    )


RULE = BuiltIn(
    "GL143",
    "failure-propagation",
    "failure propagation",
    "what runs after a failure differs",
    """\
One engine stops, or skips everything that depends on the failed node (ADR-060); the other records the failure and runs the
dependents, which then act on a missing input. With parallel branches it also decides which siblings still run.""",
    "choose the failure policy that the legacy engine has (fail, skip-dependents, run-dependents) when compiling",
    _check,
    ("runs",),
)

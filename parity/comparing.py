"""Questions about two observations that several rules ask, so that each difference is reported by one rule."""

from __future__ import annotations

from collections.abc import Iterator

from .causes import failed_upstream, failures
from .observation import Activation, Observation
from .shape import Shape


def compared_nodes(legacy: Observation, candidate: Observation) -> tuple[str, ...]:
    """The nodes of which both runs can say whether they ran, sorted.

    A node that one engine only lists in its results is compared when the other lists results too: a condition that one
    engine calls a node, and the other does not show, is no difference.
    """
    tapped = {*legacy.by_node, *candidate.by_node} if legacy.traced and candidate.traced else set()
    listed = {*legacy.ends, *candidate.ends} if _lists(legacy) and _lists(candidate) else set()
    return tuple(sorted(tapped | listed))


def _lists(run: Observation) -> bool:
    return run.outcome is not None and run.outcome.nodes is not None


def is_loop(node: str, legacy: Observation, candidate: Observation) -> bool:
    """Whether a node is a loop step: by the graph, or because an activation says that it is a further iteration."""
    if any(run.shape is not None and node in run.shape.loops for run in (legacy, candidate)):
        return True
    items = (*legacy.by_node.get(node, ()), *candidate.by_node.get(node, ()))
    return any(isinstance(turn := item.saw.at(("iteration",)), int) and turn > 0 for item in items)


def ran(run: Observation, node: str) -> bool:
    """Whether a node's body ran, as far as anybody says."""
    runs = run.runs(node)
    if runs is not None and node not in run.untapped:
        return runs > 0
    end = run.ends.get(node)
    return end is not None and end.status in ("completed", "failed")


def leads(run: Observation, shape: Shape, source: str, node: str) -> bool:
    """Whether what `source` did leads to `node`: it ran, and its route, if it has one, picked it."""
    if not ran(run, source):
        return False
    if (source, node) not in shape.optional:
        return True
    label = chosen(run, source)
    routes = shape.routes.get(source)
    return routes is not None and label is not None and routes.get(label, routes.get("")) == node


def chosen(run: Observation, node: str) -> str | None:
    """The label that a condition chose, None where the run does not show it."""
    end = run.ends.get(node)
    return None if end is None or end.output is None or not end.output.kept else str(end.output.content)


def is_explained_by_failure(legacy: Observation, candidate: Observation, node: str) -> bool:
    """Whether a node that ran on one side only comes after a failure where it did not run (then GL143 reports it)."""
    return failed_upstream(candidate if ran(legacy, node) else legacy, node) is not None


def cut_short(legacy: Observation, candidate: Observation) -> Iterator[tuple[str, str]]:
    """Nodes that ran under one engine only because of the order of things, each with the failure that came first elsewhere.

    Where a node had ended before the failed one began, the failure did not decide whether it runs: its place did.
    """
    for run, other in ((legacy, candidate), (candidate, legacy)):
        for node in sorted(run.by_node.keys() - other.by_node.keys()):
            failed = next((name for name in failures(other) if _ended_before(run, node, name)), None)
            if failed is not None and other.by_node.get(failed):
                yield node, failed


def _ended_before(run: Observation, node: str, other: str) -> bool:
    theirs = run.by_node.get(other, ())
    return bool(theirs) and all(item.before(theirs[0]) for item in run.by_node[node])


def pairs(legacy: Observation, candidate: Observation) -> Iterator[tuple[Activation, Activation]]:
    """The activations that both runs have: the same node and ordinal."""
    for node in sorted(legacy.by_node.keys() & candidate.by_node.keys()):
        yield from zip(legacy.by_node[node], candidate.by_node[node], strict=False)


def times(count: int | None) -> str:
    """A number of runs in words."""
    return "ran" if count is None else "never ran" if count == 0 else f"ran {count} time{'' if count == 1 else 's'}"

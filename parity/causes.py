"""What explains a divergence, in one sentence with names: the join, the edge, the writer, the failure. Shared by the rules."""

from __future__ import annotations

from collections.abc import Iterable

from .observation import Activation, Observation
from .shape import Shape, as_text


def ended_between(run: Observation, names: Iterable[str], after: int, before: int) -> tuple[str, ...]:
    """Which of some nodes ended in a span of a run's clock, in the order in which they did."""
    wanted = set(names)
    ends = [(item.end, item.node) for item in run.activations if item.node in wanted and item.end is not None]
    return tuple(dict.fromkeys(node for end, node in sorted(ends) if after < end < before))


def uneven_join(shape: Shape | None, node: str) -> str | None:
    """`its sources are at depths 2, 2, 2 and 3 (…)`, where they differ."""
    if shape is None or len(shape.sources.get(node, ())) < 2:
        return None
    sources = sorted(shape.sources[node], key=lambda name: (shape.depths.get(name, 0), name))
    depths = [shape.depths.get(name, 0) for name in sources]
    if len(set(depths)) < 2:
        return None
    told = as_text(f"{name} {depth}" for name, depth in zip(sources, depths, strict=True))
    return f"uneven join: its sources are at depths {told}"


def firings(run: Observation, node: str) -> str | None:
    """`activation 1 began after a and b had ended, activation 2 after c`: what each activation of a node came from."""
    if run.shape is None or not run.shape.sources.get(node):
        return None
    told, since = [], 0
    for item in run.by_node.get(node, ()):
        fired = ended_between(run, run.shape.sources[node], since, item.begin)
        told.append(f"activation {item.ordinal + 1} began after {as_text(fired)} had ended")
        since = item.begin
    return "; ".join(told) or None


def why_again(run: Observation, node: str) -> str:
    """Why a node of this run has more than one activation."""
    items = run.by_node.get(node, ())
    retried = [item for item in items[:-1] if item.raised]
    if retried:
        return f"each activation after a failure is a retry: {retried[0].key} raised {retried[0].raised}"
    shape = run.shape
    repeated = [name for name in shape.sources.get(node, ()) if (run.runs(name) or 0) > 1] if shape else []
    loops = [name for name in repeated if shape and name in shape.loops]
    parts = [
        f"its source {loops[0]} is a loop step and fired once an iteration" if loops else None,
        f"its source {repeated[0]} ran {run.runs(repeated[0])} times" if repeated and not loops else None,
        uneven_join(shape, node),
        firings(run, node),
    ]
    return "; ".join(part for part in parts if part) or f"{node} was started {len(items)} times"


def failures(run: Observation) -> tuple[str, ...]:
    """The nodes that failed, in the order in which they did: a retry that succeeded is no failure."""
    if run.outcome and run.outcome.nodes is not None:
        failed = {name for name, end in run.ends.items() if end.status in ("failed", "cancelled")}
    else:
        failed = {node for node, items in run.by_node.items() if items[-1].raised}
    return tuple(sorted(failed, key=lambda name: first_begin(run, name) or 0))


def failed_upstream(run: Observation, node: str) -> str | None:
    """A node whose failure this node comes after, by the graph; or, without one, any failure."""
    others = [name for name in failures(run) if name != node]
    if run.shape is None or run.shape.stepwise:
        return others[0] if others else None
    return next((name for name in others if run.shape.comes_after(node, name)), None)


def first_begin(run: Observation, node: str) -> int | None:
    """When a node's first activation began."""
    items = run.by_node.get(node)
    return items[0].begin if items else None


def settled(run: Observation, node: str) -> int | None:
    """When a node's last activation ended: what its result says was decided then."""
    ends = [item.end or item.begin for item in run.by_node.get(node, ())]
    return max(ends, default=None)


def written(item: Activation, path: tuple[str, ...]) -> str | None:
    """The digest of what an activation gave at a path: a key that it returned, or the node's own output under its name."""
    if item.returned is None or not path:
        return None
    if path[0] == "results" and path[1:] == (item.node,):
        return item.returned.digest
    return item.returned.parts.get(path[-1:]) or (item.returned.digest if path[-1] == item.node else None)


def writer(run: Observation, path: tuple[str, ...], digest: str | None, before: Activation) -> Activation | None:
    """The last activation before another that gave the value at a path (any value, with `digest` None)."""
    found = None
    for item in run.activations:
        wrote = written(item, path)
        if wrote is not None and item.before(before) and digest in (None, wrote):
            found = item
    return found


def standing(run: Observation, wrote: Activation, reader: Activation) -> str:
    """Where a writer stood in this run when the reader began."""
    same = run.by_node.get(wrote.node, ())
    if not same:
        return f"{wrote.node} never ran"
    last = max(same, key=lambda item: item.begin)
    if any(item.before(reader) for item in same):
        return f"{wrote.node} had ended, but what it wrote was not there"
    if last.begin < reader.begin:
        return f"{reader.node} began while {wrote.node} was still running"
    return f"{reader.node} began before {wrote.node} did"

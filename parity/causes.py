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
    """`activation 1 began after a and b had ended, activation 2 after c`: what each activation of a node came from.

    None where the clock does not tell: a source that ran beside an activation may have ended before it without being seen.
    """
    fired = _fired(run, node)
    if not fired or not all(names for _, names in fired):
        return None
    return "; ".join(f"activation {item.ordinal + 1} began after {as_text(names)} had ended" for item, names in fired)


def _fired(run: Observation, node: str) -> list[tuple[Activation, tuple[str, ...]]]:
    """Each activation of a node with the sources that had ended since the one before began."""
    found, since = [], 0
    sources = run.shape.sources.get(node, ()) if run.shape else ()
    for item in run.by_node.get(node, ()):
        found.append((item, ended_between(run, sources, since, item.begin)))
        since = item.begin
    return found


def why_again(run: Observation, node: str) -> tuple[str, str | None]:
    """Why a node of this run has more than one activation, and what to do about it; None: what the rule says."""
    items = run.by_node.get(node, ())
    paused = [item for item in items[:-1] if is_pause(item)]
    if paused:
        told = f"{as_text(item.key for item in paused)} paused for a person, and its body starts again when the run is resumed"
        return told, "put what has an effect behind the pause, or into a node of its own"
    retried = [item for item in items[:-1] if item.raised]
    if retried:
        told = f"each activation after a failure is a retry: {retried[0].key} raised {retried[0].raised}"
        return told, "compare how both engines count attempts: all tries, or only those after the first"
    shape = run.shape
    repeated = [name for name in shape.sources.get(node, ()) if (run.runs(name) or 0) > 1] if shape else []
    loops = [name for name in repeated if shape and name in shape.loops]
    if loops or repeated:
        source = (loops or repeated)[0]
        often = "is a loop step and fired once an iteration" if loops else f"ran {run.runs(source)} times"
        parts = [f"its source {source} {often}", uneven_join(shape, node), firings(run, node)]
        mend = f"let what follows {source} start once it has ended for good" if loops else f"mend {source} first"
        return "; ".join(part for part in parts if part), mend
    is_join = shape is not None and len(shape.sources.get(node, ())) > 1
    parts = [uneven_join(shape, node), firings(run, node)] if is_join else []
    if any(parts):
        return "; ".join(part for part in parts if part), None
    return _called_again(run, node), f"look for what starts {node}: its edges do not explain a second call"


def _called_again(run: Observation, node: str) -> str:
    """The words for a node that runs again although nothing before it did."""
    items = run.by_node.get(node, ())
    if len(items) < 2:
        return f"{node} was started {run.runs(node)} times; its activations were not seen"
    first, second = items[0], items[1]
    between = [item.node for item in run.activations if first.begin < item.begin < second.begin]
    same = "the same as" if first.saw.digest == second.saw.digest else "something else than"
    told = f"{second.key} saw {same} {first.key}, and {as_text(dict.fromkeys(between))} began in between"
    return told if between else f"{second.key} saw {same} {first.key}, and no other node began in between"


PAUSES = ("GraphInterrupt", "NodeInterrupt")


def is_pause(item: Activation) -> bool:
    """Whether an activation ended because the run waits for a person."""
    return item.raised is not None and item.raised.split(":", 1)[0] in PAUSES


def is_cancelled(item: Activation) -> bool:
    """Whether an activation was cancelled from outside."""
    return item.raised is not None and item.raised.split(":", 1)[0] == "CancelledError"


def failures(run: Observation) -> tuple[str, ...]:
    """The nodes that failed, in the order in which they did: neither a retry that succeeded nor a pause is a failure.

    What was cancelled is one only where nothing else failed: then it is all that is known.
    """
    if run.outcome and run.outcome.nodes is not None:
        failed = {name for name, end in run.ends.items() if end.status == "failed"}
        cancelled = {name for name, end in run.ends.items() if end.status == "cancelled"}
    else:
        last = {node: items[-1] for node, items in run.by_node.items() if items[-1].raised and not is_pause(items[-1])}
        failed = {node for node, item in last.items() if not is_cancelled(item)}
        cancelled = set(last)
    return tuple(sorted(failed or cancelled, key=lambda name: first_begin(run, name) or 0))


def why_cancelled(run: Observation, item: Activation) -> str:
    """What had happened in a run when an activation was cancelled."""
    ended = [
        one for one in run.activations if one.raised and one is not item and not is_cancelled(one) and not is_pause(one)
    ]
    before = [one for one in ended if one.end is not None and (item.end is None or one.end < item.end)]
    if before:
        return f"{before[-1].node} had failed with {before[-1].raised}"
    if run.error and "timeout" in run.error.lower().replace("timed out", "timeout").replace("time limit", "timeout"):
        return f"the run ended with {run.error}"
    return "nothing that was seen had failed before; why is not known"


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
    ended = [item for item in same if item.before(reader)]
    if any(item.raised is None for item in ended):
        return f"{wrote.node} had ended, but what it wrote was not there"
    if ended:
        return f"{wrote.node} {'waited for a person' if is_pause(ended[-1]) else f'had raised {ended[-1].raised}'}"
    if last.begin < reader.begin:
        return f"{reader.node} began while {wrote.node} was still running"
    return f"{reader.node} began before {wrote.node} did"

"""One thread explained: what is due and why, what ran and why, how the run ended, what is stalled, and the forks.

The composition of this folder; it decides nothing itself. With `graph=None` the explanation says what it cannot know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .due import NodeState, node_states
from .ending import Breakpoints, Ending, ending
from .history import Activation, Repeat, activations, repeats
from .snapshots import Snapshot, Thread, read_thread
from .tasks import name_tasks
from .versions import Ordinals
from .waiting import WaitingEdge, Wirings, held_edges, stable_path, subgraph_at

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.pregel import Pregel


@dataclass(frozen=True)
class Fork:
    """A checkpoint from which more than one branch of history goes on."""

    parent: str
    step: int | None
    children: tuple[str, ...]


@dataclass(frozen=True)
class Namespace:
    """A subgraph's namespace: its stable path, how many checkpoints it has, its last step, the nodes due in it."""

    name: str
    path: str
    checkpoints: int
    step: int | None
    due: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """What the scheduler's record says of one thread and namespace, up to one checkpoint.

    `nodes` are all nodes known with their triggers (due or not, with the reason); `rows` the superstep table, oldest first;
    `waiting` the waiting edges of this namespace and of those below that hold writes; `unknown` what could not be known.
    Versions are the saver's own, opaque; `ordinals` gives each a small number in their order.
    """

    thread: str
    namespace: str
    checkpoint: str
    step: int | None
    with_graph: bool
    nodes: tuple[NodeState, ...]
    rows: tuple[Activation, ...]
    repeats: tuple[Repeat, ...]
    ending: Ending
    waiting: tuple[WaitingEdge, ...]
    namespaces: tuple[Namespace, ...]
    forks: tuple[Fork, ...]
    unknown: tuple[str, ...]
    ordinals: Ordinals

    @property
    def due(self) -> tuple[NodeState, ...]:
        """The nodes that run in the next superstep; a node that several Sends start is there as often."""
        return tuple(state for state in self.nodes if state.due)

    @property
    def stalled(self) -> tuple[WaitingEdge, ...]:
        """The waiting edges that can never release."""
        return tuple(edge for edge in self.waiting if edge.status == "stalled")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; versions as text beside their ordinals. A healthy thread's has no key `waiting`."""
        left_out = {"ordinals", "nodes", "rows", "repeats", *(() if self.waiting else ("waiting",))}
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        return {
            **{name: _plain(value) for name, value in plain.items()},
            "nodes": [_node(state, self.ordinals) for state in self.nodes],
            "rows": [_row(row, self.ordinals) for row in self.rows],
            "repeats": [
                {"node": r.node, "run": r.run, "activations": [_row(row, self.ordinals) for row in r.activations]}
                for r in self.repeats
            ],
        }


def explain(
    saver: BaseCheckpointSaver[Any],
    thread: str,
    *,
    graph: Pregel[Any, Any, Any, Any] | None = None,
    namespace: str = "",
    checkpoint: str | None = None,
    recursion_limit: int | None = None,
) -> Explanation:
    """Explain a thread from its saver, exactly with the compiled graph and from names without.

    `namespace` is an exact one or a stable path (`outer|inner`), of which the newest is taken. `recursion_limit` is the one
    the run had, when the caller knows it. Raises `UsageError` for a thread, namespace or checkpoint that is not there.
    """
    wirings = Wirings(graph)
    whole = read_thread(saver, thread, wirings.needs)
    exact = _namespace(whole, namespace)
    chain = whole.chain(exact, checkpoint)
    if not chain:
        raise UsageError(f"thread {thread!r} has no checkpoint {checkpoint!r} here", mend=_checkpoints(whole, exact))
    wiring, last = wirings.of(exact, whole), chain[-1]
    nodes = node_states(wiring, last)
    rows = activations(wiring, chain)
    tasks = {id(state): task for task, state in name_tasks(wiring, last, [s for s in nodes if s.due]).items()}
    due = [(state, tasks.get(id(state), "")) for state in nodes if state.due]
    return Explanation(
        thread=thread,
        namespace=exact,
        checkpoint=last.id,
        step=last.step,
        with_graph=wiring.knows_graph,
        nodes=nodes,
        rows=rows,
        repeats=repeats(rows),
        ending=ending(chain, due, rows, _breakpoints(subgraph_at(graph, stable_path(exact)), recursion_limit)),
        waiting=_waiting(whole, wirings, exact, checkpoint),
        namespaces=tuple(_summary(whole, wirings, name) for name in sorted(whole.namespaces) if name != exact),
        forks=_forks(whole.namespaces[exact]),
        unknown=tuple(_unknown(chain, wiring.knows_graph, rows)),
        ordinals=_ordinals(whole.namespaces[exact].values()),
    )


def _namespace(thread: Thread, wanted: str) -> str:
    if wanted in thread.namespaces:
        return wanted
    matching = [name for name in thread.namespaces if stable_path(name) == wanted]
    if matching:
        return max(matching, key=lambda name: max(thread.namespaces[name]))
    known = ", ".join(sorted({stable_path(name) or "the root" for name in thread.namespaces}))
    raise UsageError(f"thread {thread.id!r} has no namespace {wanted!r}", mend=f"name one of: {known}")


def _checkpoints(thread: Thread, namespace: str) -> str:
    newest = sorted(thread.namespaces.get(namespace, {}), reverse=True)[:3]
    return f"its newest checkpoints are {', '.join(newest)}"


def _waiting(thread: Thread, wirings: Wirings, namespace: str, checkpoint: str | None) -> tuple[WaitingEdge, ...]:
    edges = held_edges(thread, wirings, checkpoint if not namespace else None)
    below = f"{namespace}|"
    return tuple(e for e in edges if not namespace or e.namespace == namespace or e.namespace.startswith(below))


def _breakpoints(graph: Pregel[Any, Any, Any, Any] | None, limit: int | None) -> Breakpoints:
    if graph is None:
        return Breakpoints(limit=limit)
    before, after = graph.interrupt_before_nodes, graph.interrupt_after_nodes
    configured = (graph.config or {}).get("recursion_limit")
    return Breakpoints(
        ["*"] if before == "*" else list(before),
        ["*"] if after == "*" else list(after),
        limit if limit is not None else configured,
    )


def _summary(thread: Thread, wirings: Wirings, name: str) -> Namespace:
    known = thread.namespaces[name]
    last = known[max(known)]
    due = tuple(state.node for state in node_states(wirings.of(name, thread), last) if state.due)
    return Namespace(name, stable_path(name), len(known), last.step, due)


def _forks(known: Mapping[str, Snapshot]) -> tuple[Fork, ...]:
    children: dict[str, list[str]] = {}
    for snapshot in known.values():
        if snapshot.parent:
            children.setdefault(snapshot.parent, []).append(snapshot.id)
    return tuple(
        Fork(parent, known[parent].step if parent in known else None, tuple(sorted(ids)))
        for parent, ids in sorted(children.items())
        if len(ids) > 1
    )


def _unknown(chain: Sequence[Snapshot], knows_graph: bool, rows: Sequence[Activation]) -> list[str]:
    found = []
    if not knows_graph:
        found.append("nodes and waiting edges that no run has reached yet; breakpoints (give the graph)")
    first = chain[0]
    if first.parent is not None or (first.step is not None and first.step > -1):
        found.append("what ran before the oldest checkpoint kept here")
    if any("?" in fired.writers for row in rows for fired in row.fired):
        why = (
            "their writes were not stored"
            if knows_graph
            else "their writes were not stored, or need the graph to be named"
        )
        found.append(f"the writers marked ?; {why}")
    if any(row.kind == "edge" and not row.fired for row in rows):
        found.append("the triggers of rows without one; the graph may have changed since")
    return found


def _ordinals(snapshots: Any) -> Ordinals:
    return Ordinals(version for snapshot in snapshots for version in snapshot.versions.values())


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value


def _version(version: Any, ordinals: Ordinals) -> dict[str, Any] | None:
    return None if version is None else {"ordinal": ordinals(version), "raw": str(version)}


def _node(state: NodeState, ordinals: Ordinals) -> dict[str, Any]:
    return {
        "node": state.node,
        "due": state.due,
        "send": state.index,
        "triggers": [
            {
                "channel": trigger.channel,
                "reason": trigger.reason,
                "version": _version(trigger.version, ordinals),
                "seen": _version(trigger.seen, ordinals),
                "arrived": sorted(trigger.join.arrived) if trigger.join else None,
                "missing": sorted(trigger.join.missing) if trigger.join else None,
            }
            for trigger in state.triggers
        ],
    }


def _row(row: Activation, ordinals: Ordinals) -> dict[str, Any]:
    return {
        "step": row.step,
        "run": row.run,
        "node": row.node,
        "kind": row.kind,
        "failed": row.failed,
        "fired": [
            {
                "channel": fired.channel,
                "seen": _version(fired.seen, ordinals),
                "consumed": _version(fired.consumed, ordinals),
                "writers": list(fired.writers),
            }
            for fired in row.fired
        ],
    }

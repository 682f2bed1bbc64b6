"""Waiting edges that still hold writes: the join that never ran, named with who arrived and who is missing.

A run resolves normally when a listed node of a waiting edge was never selected; the discarded writes leave no trace but the
barrier's set in the checkpoint. Nothing is reported when every edge released, nor for an edge whose target is scheduled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from ..errors import UsageError
from .due import node_states
from .snapshots import Snapshot, Thread, is_wiring_channel, read_thread
from .wiring import GraphWiring, NameWiring, Wiring

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.pregel import Pregel

Status = Literal["stalled", "pending"]


@dataclass(frozen=True)
class WaitingEdge:
    """A waiting edge that holds writes without its target being scheduled.

    `status` is "stalled" when nothing else is due in its namespace, so that it will never release, and "pending" while
    something is. `path` is the stable path of the subgraph's node (`"outer|inner"`, "" for the root), `namespace` the exact
    one. `certain` is False when, without the graph, the listed names could be read in several ways.
    """

    target: str
    arrived: tuple[str, ...]
    missing: tuple[str, ...]
    status: Status
    path: str = ""
    namespace: str = ""
    step: int | None = None
    certain: bool = True


def waiting_edges(
    source: BaseCheckpointSaver[Any] | Pregel[Any, Any, Any, Any],
    config: Mapping[str, Any],
    *,
    subgraphs: bool = True,
) -> tuple[WaitingEdge, ...]:
    """The waiting edges of a thread that hold writes, sorted by namespace and target; empty for a healthy run.

    `source` is a saver, or a compiled graph with a checkpointer, which makes the names exact. `config` is the one of the
    run: `{"configurable": {"thread_id": …}}`, optionally with a `checkpoint_id`. Raises `UsageError` without a thread, a
    saver, or a checkpoint of that thread.
    """
    from langgraph.pregel import Pregel

    graph = source if isinstance(source, Pregel) else None
    saver = source.checkpointer if isinstance(source, Pregel) else source
    if saver is None or isinstance(saver, bool):
        raise UsageError("the graph has no checkpointer", mend="compile it with one, or give the saver itself")
    place = config.get("configurable") or {}
    if "thread_id" not in place:
        raise UsageError("the config names no thread", mend='give {"configurable": {"thread_id": …}}')
    wirings = Wirings(graph)
    thread = read_thread(saver, str(place["thread_id"]), wirings.needs)
    return held_edges(thread, wirings, place.get("checkpoint_id"), subgraphs=subgraphs)


def stalled_edges(
    source: BaseCheckpointSaver[Any] | Pregel[Any, Any, Any, Any], config: Mapping[str, Any]
) -> tuple[WaitingEdge, ...]:
    """Those of `waiting_edges` that can never release: nothing else is due in their namespace."""
    return tuple(edge for edge in waiting_edges(source, config) if edge.status == "stalled")


class Wirings:
    """The wiring of each namespace: of the graph and its subgraphs when there is one, else of the names in checkpoints."""

    def __init__(self, graph: Pregel[Any, Any, Any, Any] | None) -> None:
        self._graph = graph
        self._by_path: dict[str, GraphWiring | None] = {}

    def needs(self, channel: str) -> bool:
        """Keep every value when a graph is given: only its own channels can say what triggers."""
        return True if self._graph is not None else is_wiring_channel(channel)

    def of(self, namespace: str, thread: Thread) -> Wiring:
        """The wiring of a namespace."""
        known = self.graph_wiring(stable_path(namespace))
        return known if known is not None else NameWiring(thread.namespaces[namespace].values())

    def graph_wiring(self, path: str) -> GraphWiring | None:
        """The wiring of the graph at a path; None when no graph is known there."""
        if path not in self._by_path:
            found = subgraph_at(self._graph, path)
            self._by_path[path] = GraphWiring(found) if found is not None else None
        return self._by_path[path]


def subgraph_at(graph: Pregel[Any, Any, Any, Any] | None, path: str) -> Pregel[Any, Any, Any, Any] | None:
    """The graph itself, or the one inside the node that a path names."""
    if graph is None or not path:
        return graph
    found = next((inner for _, inner in graph.get_subgraphs(namespace=path, recurse=True)), None)
    return cast("Pregel[Any, Any, Any, Any] | None", found)


def stable_path(namespace: str) -> str:
    """A namespace without the ids of its tasks and the counts of its calls: the nodes it goes through."""
    return "|".join(part.split(":", 1)[0] for part in namespace.split("|") if not part.isdigit())


def held_edges(
    thread: Thread, wirings: Wirings, checkpoint: str | None = None, *, subgraphs: bool = True
) -> tuple[WaitingEdge, ...]:
    """`waiting_edges` on a thread that was read already."""
    found: dict[tuple[str, str, tuple[str, ...]], WaitingEdge] = {}
    for snapshot in _current(thread, checkpoint):
        if not snapshot.namespace or subgraphs:
            for edge in _held(wirings.of(snapshot.namespace, thread), snapshot):
                # A subgraph that several tasks ran at once says the same of each edge; once is enough.
                found.setdefault((edge.path, edge.target, tuple(sorted((*edge.arrived, *edge.missing)))), edge)
    return tuple(found[key] for key in sorted(found))


def _held(wiring: Wiring, snapshot: Snapshot) -> Iterator[WaitingEdge]:
    states = node_states(wiring, snapshot)
    anything_due = any(state.due for state in states)
    scheduled = {state.node for state in states if state.due and state.index is None}
    for channel in sorted({trigger.channel for state in states for trigger in state.triggers}):
        join = wiring.join(channel, snapshot) if channel in snapshot.versions else None
        if join is None or not join.arrived or join.released or join.target in scheduled:
            continue
        yield WaitingEdge(
            join.target,
            tuple(sorted(join.arrived)),
            tuple(sorted(join.missing)),
            "pending" if anything_due else "stalled",
            stable_path(snapshot.namespace),
            snapshot.namespace,
            snapshot.step,
            join.certain,
        )


def _current(thread: Thread, checkpoint: str | None) -> Iterator[Snapshot]:
    """The checkpoint asked for, and of each subgraph the newest one that was started on its branch of history."""
    chain = thread.chain("", checkpoint)
    if chain:
        yield chain[-1]
    branch = {snapshot.id: place for place, snapshot in enumerate(chain)}
    newest: dict[str, list[tuple[int, Snapshot]]] = {}
    for namespace in sorted(thread.namespaces):
        inside = [s for s in thread.namespaces[namespace].values() if s.parents.get("") in branch]
        if namespace and inside:
            last = max(inside, key=lambda snapshot: snapshot.id)
            newest.setdefault(stable_path(namespace), []).append((branch[last.parents[""]], last))
    for _, found in sorted(newest.items()):
        started = max(place for place, _ in found)
        # A subgraph in a loop is looked at once, in its newest round; parallel calls of one round all count.
        yield from (snapshot for place, snapshot in found if place == started)

"""Task ids made readable: which node each recorded write came from.

A checkpoint records writes by task id only. The id is a hash of what is known (the checkpoint, the namespace, the superstep,
the node and its triggers), so it is computed for each candidate and compared.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable

from ..langgraph_private import PULL, PUSH, hash_task_id, hash_task_id_v1
from .due import NodeState
from .snapshots import BRANCH, JOIN, Snapshot
from .wiring import Wiring

UNKNOWN = "?"


def task_id(snapshot: Snapshot, state: NodeState, triggers: Iterable[str]) -> str:
    """The id of the task that runs this node in the superstep after this checkpoint."""
    path = (PULL, *triggers) if state.index is None else (PUSH, str(state.index))
    return _hash(snapshot, snapshot.namespace, state.node, *path)


def handler_task_id(snapshot: Snapshot, handler: str, failed: NodeState, failed_task: str) -> str:
    """The id of the task that runs an error handler for the failed task, inside whose namespace it runs."""
    inside = f"{failed.node}:{failed_task}"
    namespace = f"{snapshot.namespace}|{inside}" if snapshot.namespace else inside
    return _hash(snapshot, namespace, handler, PUSH, "node_error_handler", failed_task)


def _hash(snapshot: Snapshot, enclosing: str, node: str, *path: str) -> str:
    make = hash_task_id if snapshot.form > 1 else hash_task_id_v1
    namespace = f"{enclosing}|{node}" if enclosing else node
    checkpoint = binascii.unhexlify(snapshot.id.replace("-", ""))
    return make(checkpoint, namespace, str((-2 if snapshot.step is None else snapshot.step) + 1), node, *path)


def name_tasks(wiring: Wiring, snapshot: Snapshot, states: Iterable[NodeState]) -> dict[str, NodeState]:
    """Task id -> the node it ran, for the states given.

    Without the graph a trigger that was never written is unknown, and the id with it. A task that wrote to a waiting edge
    names itself there; when one task and one node are left over, they belong together.
    """
    named: dict[str, NodeState] = {}
    left: list[NodeState] = []
    recorded = {write.task for write in snapshot.writes if not write.anonymous}
    for state in states:
        candidates = _candidates(wiring, snapshot, state)
        match = next((task for task in candidates if task in recorded), None)
        if match is None and wiring.knows_graph:
            match = candidates[0]
        if match is None:
            left.append(state)
        else:
            named[match] = state
    return named | _by_arrival(snapshot, left, recorded - set(named))


def _candidates(wiring: Wiring, snapshot: Snapshot, state: NodeState) -> list[str]:
    triggers = wiring.triggers.get(state.node, ())
    if wiring.knows_graph or state.index is not None:
        return [task_id(snapshot, state, triggers)]
    # Every StateGraph node has a branch channel, also one that was never written.
    whole = tuple(sorted({*triggers, BRANCH + state.node}))
    return [task_id(snapshot, state, used) for used in dict.fromkeys((whole, triggers))]


def _by_arrival(snapshot: Snapshot, left: list[NodeState], unnamed: set[str]) -> dict[str, NodeState]:
    wrote = {write.task: write.value for write in snapshot.writes if write.channel.startswith(JOIN)}
    found: dict[str, NodeState] = {}
    for state in left:
        own = [task for task in sorted(unnamed - set(found)) if wrote.get(task) == state.node]
        if len(own) == 1:
            found[own[0]] = state
    rest = [state for state in left if state not in found.values()]
    tasks = sorted(unnamed - set(found))
    if len(rest) == len(tasks) == 1:
        found[tasks[0]] = rest[0]
    return found

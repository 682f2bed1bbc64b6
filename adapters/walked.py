"""What a run has still to do, recomputed from what it recorded: its frontier, the steps that are due, its unfinished joins."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .layers import read_mapping
from .model import SuccessorWorkflow, Workflow
from .results import NodeStatus

ENDED = (NodeStatus.COMPLETED, NodeStatus.SKIPPED, NodeStatus.FAILED)


@dataclass(frozen=True)
class Walked:
    """`pending`: the frontier, in order. `visited`: all nodes that were ever put on it, in that order."""

    pending: tuple[str, ...]
    visited: tuple[str, ...]


def walked(workflow: SuccessorWorkflow, values: Mapping[str, Any]) -> Walked:
    """Walk the definition along the records of a state; nodes without a record are pending."""
    records = read_mapping(values.get("steps"))
    nodes = workflow.by_name()
    first = values["run"].get("start") or workflow.start
    frontier, visited, pending = deque([first]), {first: None}, list[str]()
    while frontier:
        name = frontier.popleft()
        record = records.get(name)
        if record is None:
            pending.append(name)
        elif record["status"] == NodeStatus.COMPLETED:
            node = nodes[name]
            taken = (record["metadata"]["target"],) if node.kind == "condition" else node.next
            fresh = [target for target in dict.fromkeys(taken) if target is not None and target not in visited]
            visited.update(dict.fromkeys(fresh))
            frontier.extend(fresh)
    return Walked(tuple(pending), tuple(visited))


def due_steps(workflow: Workflow, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The steps that can run now: the first of the frontier, or all whose dependencies have ended, in declaration order."""
    if isinstance(workflow, SuccessorWorkflow):
        return walked(workflow, values).pending[:1]
    records = read_mapping(values.get("steps"))
    ended = {name for name, record in records.items() if record["status"] != NodeStatus.RUNNING}
    return tuple(
        step.name
        for step in workflow.steps
        if step.name not in ended and all(needed in ended for needed in step.depends_on)
    )


def held_edges(workflow: Workflow, statuses: Mapping[str, NodeStatus]) -> list[dict[str, Any]]:
    """The joins of an ended run that some of their sources reached and that never ran, as target, arrived and missing.

    As `scheduler.waiting_edges`, told by the statuses of the steps alone: also without a checkpointer, in every form of the
    graph. Empty for a run that went well; a breadth-first walk has no waiting edges.
    """
    if isinstance(workflow, SuccessorWorkflow):
        return []
    arrived = {name for name, status in statuses.items() if status in ENDED}
    found = []
    for step in workflow.steps:
        came = [name for name in dict.fromkeys(step.depends_on) if name in arrived]
        missing = [name for name in dict.fromkeys(step.depends_on) if name not in arrived]
        if came and missing and step.name not in statuses:
            found.append({"target": step.name, "arrived": came, "missing": missing})
    return found

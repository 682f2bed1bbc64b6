"""What a run has still to do, recomputed from what it recorded: the frontier and the visited set, or the steps that are due."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .layers import read_mapping
from .model import SuccessorWorkflow, Workflow
from .results import NodeStatus


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

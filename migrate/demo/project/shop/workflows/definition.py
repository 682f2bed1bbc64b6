"""What a workflow is: plain dataclasses, and the loader for `shop/flows/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FLOWS = Path(__file__).parent.parent / "flows"


class DefinitionError(ValueError):
    """A flow's file does not describe a workflow."""


@dataclass(frozen=True)
class TaskNode:
    """Calls a handler. `attempts` counts all tries, the first one too."""

    id: str
    handler: str
    next: tuple[str, ...] = ()
    attempts: int = 1
    timeout: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ConditionNode:
    """Evaluates an expression over the data; its value as text (true/false for a bool) names the branch."""

    id: str
    expression: str
    branches: Mapping[str, str]
    default: str | None = None


@dataclass(frozen=True)
class ParallelNode:
    """Runs task nodes side by side. Join `all` needs every branch to succeed, `any` at least one."""

    id: str
    branches: tuple[str, ...]
    join: str = "all"
    next: tuple[str, ...] = ()


Node = TaskNode | ConditionNode | ParallelNode


@dataclass(frozen=True)
class WorkflowDefinition:
    name: str
    start: str
    nodes: Mapping[str, Node]
    description: str = ""


def _task(node_id: str, raw: Mapping[str, Any]) -> TaskNode:
    return TaskNode(
        id=node_id,
        handler=raw.get("handler", node_id),
        next=tuple(raw.get("next", ())),
        attempts=raw.get("attempts", 1),
        timeout=raw.get("timeout"),
        params=raw.get("params", {}),
    )


def _condition(node_id: str, raw: Mapping[str, Any]) -> ConditionNode:
    return ConditionNode(node_id, raw["expression"], raw.get("branches", {}), raw.get("default"))


def _parallel(node_id: str, raw: Mapping[str, Any]) -> ParallelNode:
    return ParallelNode(node_id, tuple(raw["branches"]), raw.get("join", "all"), tuple(raw.get("next", ())))


_KINDS = {"task": _task, "condition": _condition, "parallel": _parallel}


def parse_workflow(text: str) -> WorkflowDefinition:
    """The workflow that a YAML text describes; `DefinitionError` if it has no nodes or an unknown type of node."""
    raw = yaml.safe_load(text)
    try:
        nodes = {node_id: _KINDS[node["type"]](node_id, node) for node_id, node in raw["nodes"].items()}
        return WorkflowDefinition(raw["name"], raw["start"], nodes, raw.get("description", ""))
    except (KeyError, TypeError, AttributeError) as problem:
        raise DefinitionError(f"not a workflow: {problem!r}") from problem


def load_workflow(name: str) -> WorkflowDefinition:
    path = FLOWS / f"{name}.yaml"
    if not path.is_file():
        raise DefinitionError(f"no flow {name!r}; there are {', '.join(available_workflows())}")
    return parse_workflow(path.read_text(encoding="utf-8"))


def available_workflows() -> list[str]:
    return sorted(path.stem for path in FLOWS.glob("*.yaml"))

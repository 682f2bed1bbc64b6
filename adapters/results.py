"""What a run gives back: the neutral legacy result shape (ADR-030), plain and serialisable.

Nothing here runs a workflow or knows LangGraph. A team that has its own classes maps them with a `ResultShape`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class NodeStatus(StrEnum):
    """Where one node ended. Values are lower case, so that they read the same in JSON, YAML and expressions."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class NodeResult:
    """What one node did.

    `output` is what its handler returned, `error` is `ExceptionType: message`, `runs` counts activations (a loop step has
    one an iteration; retries of one activation are in `metadata["attempts"]`). `children` are the branches of a parallel
    node in declaration order. A skipped node says why in `metadata["reason"]`.
    """

    node_id: str
    status: NodeStatus
    output: Any = None
    error: str | None = None
    duration_seconds: float = 0.0
    tool_calls_used: int = 0
    runs: int = 1
    children: tuple[NodeResult, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether the node ended without a failure (a node that skipped itself did)."""
        return self.status in (NodeStatus.COMPLETED, NodeStatus.SKIPPED)

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, children included; `from_dict` gives an equal object back."""
        return {
            "node_id": self.node_id,
            "status": self.status.value,
            "output": self.output,
            "error": self.error,
            "duration_seconds": self.duration_seconds,
            "tool_calls_used": self.tool_calls_used,
            "runs": self.runs,
            "children": [child.to_dict() for child in self.children],
            "metadata": dict(self.metadata),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NodeResult:
        """The object that `to_dict` described. Raises TypeError for an unknown key, ValueError for an unknown status."""
        children = tuple(cls.from_dict(child) for child in data.get("children", ()))
        return cls(**{**data, "status": NodeStatus(data["status"]), "children": children})


@dataclass(frozen=True)
class WorkflowContext:
    """The shared data at the end of a run, and every node's result by name, in execution order."""

    data: dict[str, Any] = field(default_factory=dict)
    node_results: dict[str, NodeResult] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str, default: Any = None) -> Any:
        """One value of the shared data."""
        return self.data.get(key, default)

    def to_dict(self) -> dict[str, Any]:
        """A plain dict; `from_dict` gives an equal object back."""
        results = {name: result.to_dict() for name, result in self.node_results.items()}
        return {"data": dict(self.data), "node_results": results, "metadata": dict(self.metadata)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WorkflowContext:
        """The object that `to_dict` described."""
        results = {name: NodeResult.from_dict(result) for name, result in data.get("node_results", {}).items()}
        return cls(**{**data, "node_results": results})


@dataclass(frozen=True)
class InterruptInfo:
    """Where a run waits for a person: the paused node, the thread to resume, and what the person is asked."""

    node_id: str
    thread_id: str | None
    payload: Any = None

    def to_dict(self) -> dict[str, Any]:
        """A plain dict; `from_dict` gives an equal object back."""
        return {"node_id": self.node_id, "thread_id": self.thread_id, "payload": self.payload}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> InterruptInfo:
        """The object that `to_dict` described."""
        return cls(**data)


@dataclass(frozen=True)
class WorkflowResult:
    """What one run of a workflow gave.

    `success` is true when the run came to its end and no node failed; a run that waits for a person is not yet a success
    and has no error. `error` is the first failure in execution order. Durations are seconds.
    """

    workflow_name: str
    success: bool
    context: WorkflowContext
    total_duration: float = 0.0
    total_tool_calls: int = 0
    error: str | None = None
    interrupt: InterruptInfo | None = None

    def to_dict(self) -> dict[str, Any]:
        """A plain dict; `from_dict` gives an equal object back."""
        return {
            "workflow_name": self.workflow_name,
            "success": self.success,
            "context": self.context.to_dict(),
            "total_duration": self.total_duration,
            "total_tool_calls": self.total_tool_calls,
            "error": self.error,
            "interrupt": self.interrupt.to_dict() if self.interrupt else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WorkflowResult:
        """The object that `to_dict` described."""
        interrupt = data.get("interrupt")
        parts = {
            "context": WorkflowContext.from_dict(data["context"]),
            "interrupt": InterruptInfo.from_dict(interrupt) if interrupt else None,
        }
        return cls(**{**data, **parts})

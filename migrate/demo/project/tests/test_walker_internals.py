"""The walker's own machinery: its hooks, its checkpoints. Nobody else should need these."""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from shop.workflows.definition import ConditionNode, TaskNode, WorkflowDefinition
from shop.workflows.walker import CheckpointStore, NodeOutcome, NodeState, WorkflowContext, WorkflowWalker

TWO = WorkflowDefinition("two", "a", {"a": TaskNode("a", "one", ("b",)), "b": TaskNode("b", "one")})


class RecordingWalker(WorkflowWalker):
    """Notes which nodes pass through `_execute_node`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.nodes: list[str] = []

    async def _execute_node(self, node: Any, context: WorkflowContext, workflow: WorkflowDefinition) -> NodeOutcome:
        self.nodes.append(node.id)
        return await super()._execute_node(node, context, workflow)


def one(data: dict[str, Any], services: Any) -> dict[str, int]:
    return {"n": data.get("n", 0) + 1}


def test_every_node_passes_through_the_hook() -> None:
    walker = RecordingWalker({"one": one})
    asyncio.run(walker.execute(TWO))
    assert walker.nodes == ["a", "b"]


def test_a_condition_without_a_branch_has_no_next_node() -> None:
    walker = WorkflowWalker({})
    node = ConditionNode("c", "x", {"yes": "a"})
    assert walker._next_nodes(node, NodeOutcome("c", NodeState.DONE, "no")) == []


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    walker = WorkflowWalker({"one": one}, checkpoints=store)
    context = WorkflowContext("r1", {"n": 1}, {"a": NodeOutcome("a", NodeState.DONE, {"n": 1})})
    walker._save_checkpoint(context, deque(["b"]), {"a"})
    result = asyncio.run(walker.resume(TWO, "r1"))
    assert (result.data, result.visited) == ({"n": 2}, ["a", "b"])
    assert store.load("r1") is None


def test_a_run_without_a_checkpoint_cannot_go_on(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no checkpoint for run r9"):
        asyncio.run(WorkflowWalker({}, checkpoints=CheckpointStore(tmp_path)).resume(TWO, "r9"))


def test_a_cancelled_run_stops_before_its_next_node() -> None:
    walker = WorkflowWalker({"one": one})
    walker.cancel("r1")
    result = asyncio.run(walker.execute(TWO, run_id="r1"))
    assert (result.ok, result.error, result.visited) == (False, "cancelled", [])


def test_the_trace_is_kept() -> None:
    result = WorkflowWalker({"one": one}, trace=True).execute_sync(TWO)
    assert result.context.metadata["trace"] == ["a", "b"]

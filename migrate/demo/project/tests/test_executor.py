"""What callers of the executor rely on, with small workflows."""

from __future__ import annotations

import asyncio
from typing import Any

from shop.workflows import NodeState, WorkflowExecutor
from shop.workflows.definition import parse_workflow

DIAMOND = parse_workflow("""
name: diamond
start: a
nodes:
  a: {type: task, handler: note, next: [b, c]}
  b: {type: task, handler: note, next: [d]}
  c: {type: task, handler: note, next: [d]}
  d: {type: task, handler: note}
""")


def note(data: dict[str, Any], services: Any) -> dict[str, Any]:
    return {"seen": data.get("seen", 0) + 1}


def test_each_node_runs_once() -> None:
    result = asyncio.run(WorkflowExecutor({"note": note}).execute(DIAMOND))
    assert result.ok
    assert result.visited == ["a", "b", "c", "d"]
    assert result.data == {"seen": 4}


def test_a_run_has_an_id_and_it_may_be_given() -> None:
    executor = WorkflowExecutor({"note": note})
    assert asyncio.run(executor.execute(DIAMOND, run_id="r1")).context.run_id == "r1"
    assert asyncio.run(executor.execute(DIAMOND)).context.run_id


def test_the_callers_data_is_left_alone() -> None:
    data = {"seen": 10}
    result = asyncio.run(WorkflowExecutor({"note": note}).execute(DIAMOND, data))
    assert (data, result.data) == ({"seen": 10}, {"seen": 14})


def test_a_failed_node_stops_the_run_and_does_not_raise() -> None:
    def broken(data: dict[str, Any], services: Any) -> None:
        raise ValueError("no such thread pitch")

    workflow = parse_workflow("""
name: two
start: a
nodes:
  a: {type: task, handler: broken, next: [b]}
  b: {type: task, handler: note}
""")
    result = asyncio.run(WorkflowExecutor({"note": note, "broken": broken}).execute(workflow))
    assert (result.ok, result.error) == (False, "a: ValueError: no such thread pitch")
    assert result.to_dict()["nodes"] == {"a": "failed"}


def test_a_slow_handler_times_out() -> None:
    async def slow(data: dict[str, Any], services: Any) -> None:
        await asyncio.Event().wait()

    workflow = parse_workflow("name: w\nstart: a\nnodes: {a: {type: task, handler: slow, timeout: 0.01}}")
    result = asyncio.run(WorkflowExecutor({"slow": slow}).execute(workflow))
    assert result.context.outcomes["a"].state is NodeState.FAILED
    assert result.context.outcomes["a"].error == "timed out"


def test_a_cycle_ends_because_nodes_run_once() -> None:
    workflow = parse_workflow("""
name: loop
start: a
nodes:
  a: {type: task, handler: note, next: [b]}
  b: {type: task, handler: note, next: [a]}
""")
    result = asyncio.run(WorkflowExecutor({"note": note}).execute(workflow))
    assert (result.ok, result.visited) == (True, ["a", "b"])

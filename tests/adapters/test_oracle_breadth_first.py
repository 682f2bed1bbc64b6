"""The reference walker, shape by shape: order, what each node saw, where it ends."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from graphlift.adapters import (
    ConditionNode,
    HumanNode,
    NodeStatus,
    ParallelNode,
    SuccessorWorkflow,
    TaskNode,
    WorkflowError,
    WorkflowResult,
    arun_breadth_first,
    run_breadth_first,
)


def workflow(start: str, *nodes: Any) -> SuccessorWorkflow:
    return SuccessorWorkflow(name="w", start=start, nodes=nodes)


def task(name: str, *following: str, **more: Any) -> TaskNode:
    return TaskNode(name=name, next=following, **more)


def recording(runs: list[str], *names: str, **special: Any) -> dict[str, Any]:
    """Handlers that note their run and what they saw, and return their own name under their own key."""

    def plain(name: str) -> Any:
        def handler(view: Any) -> Mapping[str, Any]:
            runs.append(f"{name}({','.join(sorted(view.results))})")
            return {name: len(runs)}

        return handler

    return {**{name: plain(name) for name in names}, **special}


def run(flow: SuccessorWorkflow, handlers: Mapping[str, Any], inputs: Any = None, **more: Any) -> WorkflowResult:
    return run_breadth_first(flow, handlers, inputs, **more)


def raises(error: Exception) -> Any:
    def handler(view: Any) -> Any:
        raise error

    return handler


def test_first_in_first_out_and_a_shared_descendant_once_at_its_first_arrival() -> None:
    runs: list[str] = []
    flow = workflow("a", task("a", "b", "c"), task("b", "d"), task("c", "x"), task("x", "d"), task("d"))
    result = run(flow, recording(runs, *"abcdx"))
    assert runs == ["a()", "b(a)", "c(a,b)", "d(a,b,c)", "x(a,b,c,d)"]
    assert list(result.context.node_results) == ["a", "b", "c", "d", "x"]
    assert result.success
    assert result.error is None
    assert result.context.data == {"a": 1, "b": 2, "c": 3, "d": 4, "x": 5}


def test_a_visited_set_cuts_a_cycle() -> None:
    runs: list[str] = []
    assert run(workflow("a", task("a", "b"), task("b", "a")), recording(runs, "a", "b")).success
    assert runs == ["a()", "b(a)"]


def test_layered_diamonds_are_linear() -> None:
    layers = [[f"n{i}l", f"n{i}r"] for i in range(12)]
    nodes = [task("s", *layers[0])]
    nodes += [task(name, *below) for above, below in itertools.pairwise(layers) for name in above]
    nodes += [task(name) for name in layers[-1]]
    runs: list[str] = []
    run(workflow("s", *nodes), recording(runs, *(node.name for node in nodes)))
    assert len(runs) == 25


@pytest.mark.parametrize(
    ("verdict", "target", "label"),
    [("yes", "b", "yes"), (True, "c", "true"), (False, "d", "false"), ("other", "d", "other"), (None, None, "none")],
)
def test_a_condition_is_evaluated_once_and_its_label_picks_the_branch(verdict: Any, target: Any, label: str) -> None:
    seen: list[Any] = []

    def decide(view: Any) -> Any:
        seen.append(view.inputs["verdict"])
        return view.inputs["verdict"]

    node = ConditionNode(name="q", condition="decide", branches={"yes": "b", "true": "c", "none": None}, default="d")
    runs: list[str] = []
    flow = workflow("q", node, task("b"), task("c"), task("d"))
    result = run(flow, recording(runs, "b", "c", "d"), {"verdict": verdict}, conditions={"decide": decide})
    assert seen == [verdict]
    assert runs == ([] if target is None else [f"{target}(q)"])
    assert result.context.node_results["q"].output == label
    assert result.context.node_results["q"].metadata == {"target": target}
    assert result.success


def test_an_unmatched_branch_ends_quietly() -> None:
    node = ConditionNode(name="q", condition="inputs.size > 3", branches={"true": "b"})
    result = run(workflow("q", node, task("b")), recording([], "b"), {"size": 2})
    assert result.success
    assert list(result.context.node_results) == ["q"]


def test_a_failure_stops_and_keeps_what_ran() -> None:
    runs: list[str] = []
    flow = workflow("a", task("a", "b", "c"), task("b"), task("c"))
    result = run(flow, recording(runs, "a", "c", b=raises(ValueError("no"))))
    assert runs == ["a()"]
    assert not result.success
    assert result.error == "ValueError: no"
    assert {name: node.status for name, node in result.context.node_results.items()} == {
        "a": NodeStatus.COMPLETED,
        "b": NodeStatus.FAILED,
    }


def test_a_failing_condition_fails_the_node() -> None:
    node = ConditionNode(name="q", condition="inputs.size > 3", branches={"true": None})
    assert (
        run(workflow("q", node), {}, {}).error
        == "TypeError: '>' not supported between instances of 'NoneType' and 'int'"
    )


GROUP = (task("p"), task("q"), task("after"))


@pytest.mark.parametrize(
    ("join", "failing", "status", "ran_after", "data"),
    [
        ("all", "", "completed", True, {"base": 0, "p": 1, "q": 2}),
        ("all", "p", "failed", False, {"base": 0}),
        ("any", "p", "completed", True, {"base": 0, "q": 2}),
        ("any", "pq", "failed", False, {"base": 0}),
        ("merge", "p", "completed", True, {"base": 0, "q": 2}),
        ("merge", "pq", "completed", True, {"base": 0}),
    ],
)
def test_joins(join: Any, failing: str, status: str, ran_after: bool, data: Any) -> None:
    handlers = {
        "p": raises(ValueError("p")) if "p" in failing else lambda view: {"p": 1},
        "q": raises(ValueError("q")) if "q" in failing else lambda view: {"q": 2},
        "after": lambda view: "ran",
    }
    group = ParallelNode(name="g", branches=("p", "q"), join=join, next=("after",))
    result = run(workflow("g", group, *GROUP), handlers, {"base": 0})
    node = result.context.node_results["g"]
    assert node.status == status
    assert [child.status for child in node.children] == ["failed" if name in failing else "completed" for name in "pq"]
    assert ("after" in result.context.node_results) is ran_after
    assert result.context.data == data
    assert result.error == (f"ValueError: {failing[0]}" if status == "failed" else None)


def test_a_branch_that_returns_a_whole_copy_does_not_undo_a_sibling() -> None:
    handlers = {
        "p": lambda view: {**view.data, "x": "new"},
        "q": lambda view: {**view.data, "y": "new"},
        "after": lambda view: dict(view.data),
    }
    group = ParallelNode(name="g", branches=("p", "q"), next=("after",))
    result = run(workflow("g", group, *GROUP), handlers, {"x": "old", "y": "old"})
    assert result.context.data == {"x": "new", "y": "new"}


def test_changing_a_value_in_place_does_not_leak() -> None:
    def mutates(view: Any) -> None:
        view.data["items"].append("leak")

    flow = workflow("a", task("a", "b"), task("b"))
    result = run(flow, {"a": mutates, "b": lambda view: {"seen": view.data["items"]}}, {"items": ["x"]})
    assert result.context.data == {"items": ["x"], "seen": ["x"]}


def test_a_human_node_pauses_without_an_answer_and_goes_on_with_one() -> None:
    flow = workflow("h", HumanNode(name="h", prompt="ok?", next=("b",)), task("b"))
    runs: list[str] = []
    paused = run(flow, recording(runs, "b"))
    assert paused.interrupt is not None
    assert (paused.interrupt.node_id, paused.interrupt.payload) == ("h", {"node": "h", "prompt": "ok?"})
    assert not paused.success
    assert paused.error is None
    assert runs == []
    done = run(flow, recording(runs, "b"), answers={"h": {"approved": True}})
    assert done.success
    assert done.context.data == {"approved": True, "b": 1}


def test_retries_are_one_activation() -> None:
    calls: list[int] = []

    def flaky(view: Any) -> str:
        calls.append(len(calls))
        if len(calls) < 3:
            raise ValueError("again")
        return "ok"

    node = run(workflow("a", task("a", retries=2)), {"a": flaky}).context.node_results["a"]
    assert (node.status, node.output, node.runs, node.metadata) == ("completed", "ok", 1, {"attempts": 3})


def test_async_handlers_run_from_a_synchronous_entry_and_the_other_way_round() -> None:
    async def slow(view: Any) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"b": view.data["a"] + 1}

    flow = workflow("a", task("a", "b"), task("b"))
    handlers = {"a": lambda view: {"a": 1}, "b": slow}
    assert run(flow, handlers).context.data == {"a": 1, "b": 2}
    assert asyncio.run(arun_breadth_first(flow, handlers)).context.data == {"a": 1, "b": 2}


def test_a_missing_handler_is_named_before_any_node_runs() -> None:
    with pytest.raises(WorkflowError, match=r"(?s)step 'b' needs the handler 'b', which was not given.*add it"):
        run(workflow("a", task("a", "b"), task("b")), {"a": raises(AssertionError("ran"))})


def test_a_send_from_a_handler_is_refused() -> None:
    from langgraph.types import Send

    result = run(workflow("a", task("a")), {"a": lambda view: [Send("b", {})]})
    assert result.error is not None
    assert "dynamic routing cannot be mixed" in result.error

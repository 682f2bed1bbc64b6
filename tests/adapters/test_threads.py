"""Threads: what is kept, how a run goes on, and what is refused instead of being misread."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    DependencyStep,
    DependencyWorkflow,
    HumanNode,
    SuccessorWorkflow,
    TaskNode,
    WorkflowError,
    compile_workflow,
)


def task(name: str, *following: str) -> TaskNode:
    return TaskNode(name=name, next=following)


FAN = SuccessorWorkflow(
    name="fan", start="a", nodes=(task("a", "b", "c"), task("b", "d"), task("c"), task("d", "e"), task("e"))
)
LOOP = DependencyWorkflow(
    name="loop",
    steps=(
        DependencyStep(name="l", loop_until="results.l >= 2"),
        DependencyStep(name="side"),
        DependencyStep(name="after", depends_on=("l", "side")),
    ),
)


class Counting:
    """Handlers that count their runs; `broken` ones end the process's run like a crash does: not as a node's failure."""

    def __init__(self, *names: str) -> None:
        self.runs: list[str] = []
        self.crash: set[str] = set()
        self.table = dict.fromkeys(names, self._run)

    def _run(self, view: Any) -> Any:
        if view.node in self.crash:
            raise KeyboardInterrupt
        self.runs.append(view.node)
        return {view.node: len(self.runs)} if view.iteration == 0 and view.node != "l" else view.iteration


def crashed(compiled: Any, handlers: Counting, at: str, inputs: Any) -> None:
    handlers.crash = {at}
    with pytest.raises(KeyboardInterrupt):
        compiled.run(inputs, thread_id="t")
    handlers.crash = set()


def test_the_frontier_and_the_visited_set_are_kept() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    crashed(compiled, handlers, "c", {})
    state = compiled.state("t")
    assert state.next == ("c",)
    assert state.pending == ("c", "d")
    assert state.visited == ("a", "b", "c", "d")
    assert state.unfinished
    assert not state.waits_for_answer
    assert {name: status.value for name, status in state.statuses.items()} == {"a": "completed", "b": "completed"}
    assert asyncio.run(compiled.astate("t")) == state
    assert compiled.run(thread_id="t").success
    assert handlers.runs == ["a", "b", "c", "d", "e"]
    assert compiled.state("t").pending == ()


def test_a_finished_thread_gives_its_recorded_result_and_runs_nothing() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    first = compiled.run({"x": 1}, thread_id="t")
    again = compiled.run({"x": 1}, thread_id="t")
    assert again.context == first.context
    assert again.success
    assert len(handlers.runs) == 5


def test_a_failed_thread_gives_its_recorded_failure() -> None:
    def fails(view: Any) -> None:
        raise ValueError("no")

    compiled = compile_workflow(LOOP, {"l": lambda v: 3, "side": fails, "after": fails}, checkpointer=InMemorySaver())
    first = compiled.run({}, thread_id="t")
    assert first.error == "ValueError: no"
    assert list(first.context.node_results) == ["l", "side"]
    assert compiled.run(thread_id="t").context == first.context
    assert not compiled.state("t").unfinished


@pytest.mark.parametrize("done", [True, False], ids=["finished", "unfinished"])
def test_other_inputs_are_refused_because_a_new_start_would_discard_the_thread(done: bool) -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    if done:
        compiled.run({"x": 1}, thread_id="t")
    else:
        crashed(compiled, handlers, "c", {"x": 1})
    with pytest.raises(WorkflowError, match=r"(?s)other inputs, which a new start would discard.*new thread_id"):
        compiled.run({"x": 2}, thread_id="t")


def test_a_definition_edited_under_a_live_thread_is_refused_by_its_hash() -> None:
    saver, handlers = InMemorySaver(), Counting(*"abcdef")
    crashed(compile_workflow(FAN, handlers.table, checkpointer=saver), handlers, "c", {})
    edited = FAN.model_copy(update={"nodes": (*FAN.nodes[:3], task("d", "f"), task("e"), task("f"))})
    with pytest.raises(
        WorkflowError, match=r"(?s)written by definition \w{12}, this graph is \w{12}; it would be misread"
    ):
        compile_workflow(edited, handlers.table, checkpointer=saver).run(thread_id="t")
    assert handlers.runs == ["a", "b"]
    assert compile_workflow(FAN, handlers.table, checkpointer=saver).run(thread_id="t").success


def test_another_failure_policy_under_a_live_thread_is_refused() -> None:
    saver, handlers = InMemorySaver(), Counting("l", "side", "after")
    compile_workflow(LOOP, handlers.table, checkpointer=saver).run({}, thread_id="t")
    other = compile_workflow(LOOP, handlers.table, checkpointer=saver, failure_policy="run-dependents")
    with pytest.raises(WorkflowError, match="form 'dependency/fail/edges'"):
        other.run(thread_id="t")


def test_an_explicit_start_is_refused_while_branches_are_pending() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    crashed(compiled, handlers, "c", {})
    with pytest.raises(
        WorkflowError, match=r"(?s)a start at 'e' would discard branches that are pending: c, d.*without start"
    ):
        compiled.run(thread_id="t", start="e")
    assert compiled.run(thread_id="t").success
    assert handlers.runs == ["a", "b", "c", "d", "e"]
    handlers.runs.clear()
    result = compiled.run(thread_id="t", start="d")
    assert handlers.runs == ["d", "e"]
    assert list(result.context.node_results) == ["d", "e"]
    assert set(result.context.data) == set("abcde")


def test_an_explicit_start_on_a_new_thread() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table)
    assert compiled.run({}, start="d").success
    assert handlers.runs == ["d", "e"]
    with pytest.raises(WorkflowError, match="there is no node 'x' to start at"):
        compiled.run({}, start="x")
    with pytest.raises(WorkflowError, match="in dependency style a run cannot start at"):
        compile_workflow(LOOP, Counting("l", "side", "after").table).run({}, start="after")


def test_replay_from_a_node_that_was_alone() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    compiled.run({}, thread_id="t")
    handlers.runs.clear()
    assert compiled.replay("t", "d").success
    assert handlers.runs == ["d", "e"]
    handlers.runs.clear()
    assert asyncio.run(compiled.areplay("t", "a")).success
    assert handlers.runs == ["a", "b", "c", "d", "e"]


def test_replay_is_refused_while_branches_are_pending_now_or_were_then() -> None:
    handlers = Counting(*"abcde")
    compiled = compile_workflow(FAN, handlers.table, checkpointer=InMemorySaver())
    crashed(compiled, handlers, "c", {})
    with pytest.raises(WorkflowError, match="branches of the thread are pending: c, d"):
        compiled.replay("t", "a")
    compiled.run(thread_id="t")
    with pytest.raises(WorkflowError, match="other branches were pending there: d"):
        compiled.replay("t", "c")
    with pytest.raises(WorkflowError, match="it was never due on thread 't'"):
        compiled.replay("t", "nowhere")
    with pytest.raises(WorkflowError, match="thread 'u' has no history"):
        compiled.replay("u", "a")


@pytest.mark.parametrize("answer", ["yes", None, {}, {"ok": True}, [], False])
def test_an_answer_is_only_taken_where_one_is_awaited(answer: Any) -> None:
    flow = SuccessorWorkflow(name="w", start="h", nodes=(HumanNode(name="h", next=("a",)), task("a")))
    handlers = Counting("a")
    compiled = compile_workflow(flow, handlers.table, checkpointer=InMemorySaver())
    with pytest.raises(WorkflowError, match="nothing waits on this thread"):
        compiled.run(thread_id="t", resume="yes")
    assert compiled.run({}, thread_id="t").interrupt is not None
    assert compiled.state("t").waits_for_answer
    assert compiled.run(thread_id="t", resume=answer).context.node_results["h"].output == answer
    with pytest.raises(WorkflowError, match="no answer is awaited"):
        compiled.run(thread_id="t", resume="yes")
    assert handlers.runs == ["a"]


def test_a_human_node_needs_a_checkpointer_and_a_thread_needs_one_too() -> None:
    flow = SuccessorWorkflow(name="w", start="h", nodes=(HumanNode(name="h"),))
    with pytest.raises(WorkflowError, match="no checkpointer keeps it while it waits"):
        compile_workflow(flow, {})
    with pytest.raises(WorkflowError, match="the graph has no checkpointer"):
        compile_workflow(FAN, Counting(*"abcde").table).run({}, thread_id="t")


def test_exit_nodes_never_surface() -> None:
    handlers = Counting("l", "side", "after")
    compiled = compile_workflow(LOOP, handlers.table, checkpointer=InMemorySaver())
    seen = [event.node_id for event in compiled.stream({}, thread_id="t")]
    assert seen == ["l", "side", "l", "l", "after", None]
    raw = list(compiled.graph.stream(*_begin(compiled, "u"), stream_mode=["updates", "tasks"]))
    assert {name for mode, part in raw for name in (part if mode == "updates" else [part["name"]])} == {
        "l",
        "side",
        "after",
    }
    crashing = compile_workflow(LOOP, handlers.table, checkpointer=InMemorySaver())
    crashing.graph.interrupt_before_nodes = "*"
    shown = set()
    result = crashing.run({}, thread_id="t")
    while result.interrupt is not None:
        shown.update(crashing.state("t").next)
        result = crashing.run(thread_id="t")
    assert shown == {"l", "side", "after"}
    assert set(result.context.node_results) == {"l", "side", "after"}


def _begin(compiled: Any, thread: str) -> Any:
    given = {"run": {"definition": compiled.mark, "inputs": {}}, "steps": {}}
    return given, {"configurable": {"thread_id": thread}}


def test_names_that_langgraph_cannot_have_come_back_as_they_were() -> None:
    steps = tuple(
        DependencyStep(name=name, depends_on=needs)
        for name, needs in [("a", ()), ("b", ()), ("a+b", ()), ("j:1|x", ("a", "b")), ("k%2b", ("a+b", "j:1|x"))]
    )
    handlers = Counting(*(step.name for step in steps))
    compiled = compile_workflow(DependencyWorkflow(name="w", steps=steps), handlers.table, checkpointer=InMemorySaver())
    result = compiled.run({}, thread_id="t")
    assert list(result.context.node_results) == ["a", "b", "a+b", "j:1|x", "k%2b"]
    assert handlers.runs[-2:] == ["j:1|x", "k%2b"]


def test_a_barrier_checkpoint_is_its_own() -> None:
    from graphlift.adapters.barrier import CopyingBarrier

    compiled = compile_workflow(LOOP, Counting("l", "side", "after").table)
    joins = [channel for name, channel in compiled.graph.channels.items() if name.startswith("join:")]
    assert [type(channel) for channel in joins] == [CopyingBarrier]
    barrier = joins[0].copy()
    barrier.update(["side"])
    saved = barrier.checkpoint()
    barrier.update(["__loop_exit__l"])
    assert saved == {"side"}
    restored = barrier.from_checkpoint(saved)
    restored.update(["__loop_exit__l"])
    assert saved == {"side"}


def test_sqlite_keeps_a_thread_across_connections(tmp_path: Path) -> None:
    from langgraph.checkpoint.sqlite import SqliteSaver

    handlers, file = Counting(*"abcde"), str(tmp_path / "threads.db")
    with SqliteSaver.from_conn_string(file) as saver:
        crashed(compile_workflow(FAN, handlers.table, checkpointer=saver), handlers, "d", {})
    with SqliteSaver.from_conn_string(file) as saver:
        assert compile_workflow(FAN, handlers.table, checkpointer=saver).run(thread_id="t").success
    assert handlers.runs == ["a", "b", "c", "d", "e"]


def test_an_asynchronous_saver(tmp_path: Path) -> None:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    handlers = Counting(*"abcde")

    async def main() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
            compiled = compile_workflow(FAN, handlers.table, checkpointer=saver)
            await compiled.arun({}, thread_id="t")
            return await compiled.arun({}, thread_id="t")

    assert asyncio.run(main()).success
    assert handlers.runs == ["a", "b", "c", "d", "e"]

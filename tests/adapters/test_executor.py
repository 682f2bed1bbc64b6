"""The drop-in for a walker: same calls, the team's own result, the walker's options each with its verdict."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    LEGACY_OPTIONS,
    CompileCache,
    DependencyStep,
    DependencyWorkflow,
    GraphWorkflowExecutor,
    HumanNode,
    RunEvent,
    StepOutput,
    SuccessorWorkflow,
    TaskNode,
    UnsupportedOptionError,
    Verdict,
    WorkflowContext,
    WorkflowError,
    WorkflowFailedError,
    WorkflowResult,
    compile_workflow,
    options_table,
)
from graphlift.adapters.scheduler import waiting_edges


def chain(*names: str, **more: Any) -> SuccessorWorkflow:
    nodes = [
        TaskNode(name=name, next=names[index + 1 : index + 2], **more.get(name, {})) for index, name in enumerate(names)
    ]
    return SuccessorWorkflow(name="w", start=names[0], nodes=tuple(nodes))


def returns(**values: Any) -> Any:
    return lambda view: dict(values)


def fails(view: Any) -> Any:
    raise ValueError("no")


AB = {"a": returns(a=1), "b": lambda view: {"b": view.data["a"] + 1}}


def test_execute_gives_the_neutral_result() -> None:
    executor = GraphWorkflowExecutor(AB)
    result = asyncio.run(executor.execute(chain("a", "b"), {"x": 0}))
    assert isinstance(result, WorkflowResult)
    assert (result.workflow_name, result.success, result.error) == ("w", True, None)
    assert result.context.data == {"x": 0, "a": 1, "b": 2}


@pytest.mark.parametrize(
    "given", [{"context": WorkflowContext({"x": 5})}, {"initial_state": {"x": 5}}, {"initial_data": {"x": 5}}]
)
def test_initial_data_under_any_of_its_names(given: Any) -> None:
    executor = GraphWorkflowExecutor({"a": lambda view: {"y": view.data["x"]}})
    assert executor.execute_sync(chain("a"), **given).context.data == {"x": 5, "y": 5}


def test_a_definition_may_be_a_dict_or_a_class_of_the_team() -> None:
    plain = {"style": "successor", "name": "w", "start": "a", "nodes": [{"kind": "task", "name": "a"}]}
    assert GraphWorkflowExecutor(AB).execute_sync(plain).success
    own = GraphWorkflowExecutor(AB, definition=lambda names: chain(*names))
    assert own.execute_sync(("a", "b")).context.data == {"a": 1, "b": 2}
    with pytest.raises(WorkflowError, match="a tuple is not a workflow"):
        GraphWorkflowExecutor(AB).execute_sync(("a",))


def test_tool_calls_durations_and_the_first_error_in_execution_order() -> None:
    handlers = {"a": lambda view: StepOutput({"a": 1}, tool_calls_used=3, metadata={"model": "m"}), "b": fails}
    result = GraphWorkflowExecutor({**handlers, "c": fails}).execute_sync(chain("a", "b", "c"))
    assert result.total_tool_calls == 3
    assert result.context.node_results["a"].tool_calls_used == 3
    assert result.context.node_results["a"].metadata == {"model": "m"}
    assert result.total_duration >= result.context.node_results["a"].duration_seconds > 0
    assert result.error == "ValueError: no"
    assert list(result.context.node_results) == ["a", "b"]


@pytest.mark.parametrize(
    ("option", "value", "mend"),
    [
        ("node_cache", {}, "checkpointer and pass a thread_id"),
        ("continue_on_failure", True, "failure_policy"),
        ("checkpoint_id", "abc", "checkpointer and pass a thread_id"),
        ("resume_from", "abc", "checkpointer and pass a thread_id"),
    ],
)
def test_unsupported_options_raise_before_any_node_runs(option: str, value: Any, mend: str) -> None:
    ran: list[str] = []
    handlers = {"a": lambda view: ran.append("a")}
    with pytest.raises(UnsupportedOptionError, match=mend):
        GraphWorkflowExecutor(handlers, **{option: value})
    with pytest.raises(UnsupportedOptionError, match=mend):
        asyncio.run(GraphWorkflowExecutor(handlers).execute(chain("a"), {}, **{option: value}))
    assert ran == []


def test_options_that_asked_for_nothing_are_accepted() -> None:
    executor = GraphWorkflowExecutor(AB, continue_on_failure=False, node_cache=None)
    assert executor.execute_sync(chain("a"), checkpoint_id=None).success


def test_ignored_options_warn_and_unknown_ones_are_named() -> None:
    with pytest.warns(UserWarning, match="'max_iterations' is ignored: the superstep limit is computed") as caught:
        GraphWorkflowExecutor(AB, max_iterations=50)
    assert caught[0].filename == __file__
    with pytest.raises(UnsupportedOptionError, match=r"(?s)unknown option 'max_paralel'.*did you mean 'max_parallel'"):
        GraphWorkflowExecutor(AB, max_paralel=2)
    with pytest.raises(UnsupportedOptionError, match="not accepted here"):
        GraphWorkflowExecutor(AB).execute_sync(chain("a"), max_parallel=2)


def test_every_legacy_option_has_a_verdict_and_a_row() -> None:
    table = options_table()
    assert len({option.name for option in LEGACY_OPTIONS}) == len(LEGACY_OPTIONS)
    for option in LEGACY_OPTIONS:
        assert f"| `{option.name}` | {option.verdict} |" in table
    unsupported = {option.name for option in LEGACY_OPTIONS if option.verdict is Verdict.UNSUPPORTED}
    assert unsupported == {"node_cache", "cache_results", "continue_on_failure", "checkpoint_id", "resume_from"}


def names(events: Any) -> list[str]:
    return [event.node_id or event.kind for event in events]


def test_a_stream_gives_updates_and_at_last_the_result() -> None:
    events = list(GraphWorkflowExecutor(AB).stream(chain("a", "b")))
    assert names(events) == ["a", "b", "result"]
    assert events[1].changes == {"b": 2}
    assert events[-1].result is not None
    assert events[-1].result.context.data == {"a": 1, "b": 2}


def test_a_failed_stream_raises_after_what_had_succeeded() -> None:
    seen: list[str] = []
    stream = GraphWorkflowExecutor({"a": returns(a=1), "b": fails}).stream(chain("a", "b"))
    with pytest.raises(WorkflowFailedError, match="workflow 'w' failed: ValueError: no") as caught:
        seen.extend(event.node_id or event.kind for event in stream)
    assert seen == ["a"]
    assert caught.value.result.context.node_results["b"].error == "ValueError: no"


def test_an_asynchronous_stream_is_the_same() -> None:
    async def collect() -> list[str]:
        return names([event async for event in GraphWorkflowExecutor(AB).astream(chain("a", "b"))])

    assert asyncio.run(collect()) == ["a", "b", "result"]


def test_a_consumer_that_leaves_a_stream_ends_the_run() -> None:
    ran: list[str] = []
    executor = GraphWorkflowExecutor({name: lambda view: ran.append(view.node) for name in "abc"})
    stream = executor.stream(chain("a", "b", "c"))
    next(stream)
    stream.close()
    assert ran == ["a"]
    assert executor.cancel() == 0


def test_a_consumer_that_leaves_an_asynchronous_stream_leaves_no_task() -> None:
    ended = threading.Event()

    async def waits(view: Any) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    flow = DependencyWorkflow(name="d", steps=(DependencyStep(name="a"), DependencyStep(name="b")))
    executor = GraphWorkflowExecutor({"a": lambda view: 1, "b": waits})

    async def main() -> tuple[list[str], int]:
        stream = executor.astream(flow)
        seen = names([await anext(stream)])
        await stream.aclose()
        return seen, len(asyncio.all_tasks()) - 1

    assert asyncio.run(main()) == (["a"], 0)
    assert ended.is_set()
    assert executor.cancel() == 0


@pytest.mark.parametrize("above", [0, 99])
def test_a_consumer_that_leaves_a_stream_cancels_the_coroutines_in_it(above: int) -> None:
    tries: list[int] = []

    async def waits(view: Any) -> str:
        tries.append(1)
        if len(tries) == 1:
            await asyncio.sleep(3600)
        return "waited"

    flow = DependencyWorkflow(name="d", steps=(DependencyStep(name="a"), DependencyStep(name="b")))
    handlers = {"a": lambda view: 1, "b": waits}
    executor = GraphWorkflowExecutor(handlers, checkpointer=InMemorySaver(), frontier_above=above)
    stream = executor.stream(flow, {}, thread_id="t")
    assert next(stream).node_id == "a"
    stream.close()
    assert executor.cancel() == 0
    # What was cancelled has not failed: the thread can go on.
    result = executor.execute_sync(flow, thread_id="t")
    assert (result.success, result.context.node_results["b"].output) == (True, "waited")


@pytest.mark.parametrize("above", [0, 99])
@pytest.mark.parametrize("how", ["stream", "on_event", "subscribe"])
def test_what_a_step_gave_is_shown_while_others_of_its_superstep_run(above: int, how: str) -> None:
    shown = threading.Event()
    flow = DependencyWorkflow(name="d", steps=(DependencyStep(name="a"), DependencyStep(name="b")))
    handlers = {"a": lambda view: 1, "b": lambda view: shown.wait(60)}
    executor = GraphWorkflowExecutor(handlers, checkpointer=InMemorySaver(), frontier_above=above)

    def on_event(event: RunEvent) -> None:
        if event.event.node_id == "a":
            shown.set()

    if how == "stream":
        for event in executor.stream(flow):
            if event.node_id == "a":
                shown.set()
        result = event.result
    else:
        if how == "subscribe":
            executor.subscribe(on_event)
        result = executor.execute_sync(flow, **({"on_event": on_event} if how == "on_event" else {}))
    assert result is not None
    assert result.context.node_results["b"].output is True


@pytest.mark.parametrize("above", [0, 99])
def test_a_stream_with_one_thread_to_run_on_ends(above: int) -> None:
    flow = DependencyWorkflow(name="d", steps=(DependencyStep(name="a"), DependencyStep(name="b")))
    executor = GraphWorkflowExecutor(
        {"a": lambda view: 1, "b": lambda view: 2}, max_concurrency=1, frontier_above=above
    )
    assert sorted(names(executor.stream(flow))) == ["a", "b", "result"]


@pytest.mark.parametrize("entry", ["sync", "async"])
def test_cancel_does_not_wait_for_a_synchronous_handler_that_has_a_limit(entry: str) -> None:
    started, release = threading.Event(), threading.Event()

    def hangs(view: Any) -> None:
        started.set()
        release.wait()

    executor = GraphWorkflowExecutor({"a": hangs, "b": fails})
    flow, results = chain("a", "b", a={"timeout": 3600}), []

    def work() -> None:
        run = executor.execute_sync(flow) if entry == "sync" else asyncio.run(executor.execute(flow))
        results.append(run)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    executor.cancel()
    thread.join(30)
    alive = thread.is_alive()
    release.set()
    assert not alive
    assert results[0].error == "CancelledError: the run was cancelled"
    assert list(results[0].context.node_results) == ["a"]


def test_subscribers_hear_progress_and_cannot_break_a_run(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[tuple[Any, ...]] = []

    def broken(event: RunEvent) -> None:
        raise RuntimeError("subscriber")

    executor = GraphWorkflowExecutor(AB)
    executor.subscribe(broken)
    end = executor.subscribe(lambda event: heard.append((event.run_id, event.event.node_id, event.done, event.total)))
    assert executor.execute_sync(chain("a", "b"), run_id="r").success
    assert heard == [("r", "a", 1, 2), ("r", "b", 2, 2), ("r", None, 2, 2)]
    assert "a subscriber of run r failed" in caplog.text
    end()
    end()
    executor.execute_sync(chain("a", "b"))
    assert len(heard) == 3


def test_progress_goes_on_where_a_thread_had_come_to() -> None:
    flow = SuccessorWorkflow(
        name="w",
        start="a",
        nodes=(TaskNode(name="a", next=("ask",)), HumanNode(name="ask", next=("b",)), TaskNode(name="b")),
    )
    executor = GraphWorkflowExecutor({"a": returns(), "b": returns()}, checkpointer=InMemorySaver())
    heard: list[tuple[str, int, int]] = []
    executor.subscribe(lambda event: heard.append((event.event.kind, event.done, event.total)))
    executor.execute_sync(flow, {}, thread_id="t")
    assert heard == [("node", 1, 3), ("interrupt", 1, 3), ("result", 1, 3)]
    heard.clear()
    executor.execute_sync(flow, thread_id="t", resume="yes")
    assert heard == [("node", 2, 3), ("node", 3, 3), ("result", 3, 3)]
    heard.clear()
    executor.execute_sync(flow, thread_id="t")
    assert heard == [("result", 3, 3)]


def test_cancel_from_another_thread_ends_an_asynchronous_run_without_orphans() -> None:
    started, cancelled, after = threading.Event(), threading.Event(), []

    async def waits(view: Any) -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    handlers = {"a": returns(a=1), "b": waits, "c": lambda view: after.append("c")}
    executor = GraphWorkflowExecutor(handlers)

    async def main() -> tuple[Any, int]:
        task = asyncio.create_task(executor.execute(chain("a", "b", "c"), run_id="r"))
        await asyncio.to_thread(started.wait)
        assert await asyncio.to_thread(executor.cancel, "other") == 0
        assert await asyncio.to_thread(executor.cancel, "r") == 1
        result = await task
        return result, len(asyncio.all_tasks()) - 1

    result, orphans = asyncio.run(main())
    assert cancelled.is_set()
    assert orphans == 0
    assert not result.success
    assert result.error == "CancelledError: the run was cancelled"
    assert {name: node.status.value for name, node in result.context.node_results.items()} == {
        "a": "completed",
        "b": "cancelled",
    }
    assert after == []


def test_cancel_ends_a_synchronous_run_after_its_handler() -> None:
    started, go_on = threading.Event(), threading.Event()

    def waits(view: Any) -> None:
        started.set()
        go_on.wait()

    executor = GraphWorkflowExecutor({"a": waits, "b": fails})
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(executor.execute_sync(chain("a", "b"))))
    thread.start()
    started.wait()
    assert executor.cancel() == 1
    go_on.set()
    thread.join()
    assert results[0].error == "CancelledError: the run was cancelled"
    nodes = results[0].context.node_results
    assert nodes["a"].status == "completed"
    assert {name for name, node in nodes.items() if node.status == "failed"} == set()


def test_cancelling_the_caller_cancels_the_nodes_and_goes_on() -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def waits(view: Any) -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    async def main() -> int:
        task = asyncio.create_task(GraphWorkflowExecutor({"a": waits}).execute(chain("a")))
        await asyncio.to_thread(started.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(main()) == 0
    assert cancelled.is_set()


def test_a_paused_run_says_where_and_takes_the_answer() -> None:
    flow = SuccessorWorkflow(
        name="w", start="h", nodes=(HumanNode(name="h", prompt="ship?", next=("a",)), TaskNode(name="a"))
    )
    executor = GraphWorkflowExecutor({"a": lambda view: {"shipped": view.data["ok"]}}, checkpointer=InMemorySaver())
    paused = executor.execute_sync(flow, {}, thread_id="t")
    assert paused.interrupt.to_dict() == {
        "node_id": "h",
        "thread_id": "t",
        "payload": {"node": "h", "prompt": "ship?"},
    }
    assert paused.context.node_results["h"].status == "interrupted"
    assert not paused.success
    assert paused.error is None
    assert executor.execute_sync(flow, thread_id="t").interrupt == paused.interrupt
    done = asyncio.run(executor.execute(flow, thread_id="t", resume={"ok": True}))
    assert done.success
    assert done.context.data == {"ok": True, "shipped": True}


def test_the_cache_compiles_equal_definitions_once_and_is_bounded() -> None:
    cache = CompileCache(capacity=2)
    executor = GraphWorkflowExecutor(AB, cache=cache)
    first = executor.compiled(chain("a", "b"))
    assert executor.compiled(chain("a", "b")) is first
    other = GraphWorkflowExecutor({**AB, "b": returns()}, cache=cache)
    assert other.compiled(chain("a", "b")) is not first
    executor.compiled(chain("a"))
    statistics = cache.statistics()
    assert (statistics.hits, statistics.misses, statistics.evictions, statistics.size) == (1, 3, 1, 2)
    assert executor.compiled(chain("a", "b")) is not first


def test_bound_methods_and_unrelated_handlers_do_not_spoil_the_cache() -> None:
    class Service:
        def a(self, view: Any) -> None:
            return None

    service, cache = Service(), CompileCache()
    first = GraphWorkflowExecutor({"a": service.a}, cache=cache).compiled(chain("a"))
    assert GraphWorkflowExecutor({"a": service.a, "z": fails}, cache=cache).compiled(chain("a")) is first
    assert GraphWorkflowExecutor({"a": Service().a}, cache=cache).compiled(chain("a")) is not first


def test_the_cache_is_safe_under_threads() -> None:
    cache, barrier = CompileCache(), threading.Barrier(8)
    executor, graphs = GraphWorkflowExecutor(AB, cache=cache), []

    def work() -> None:
        barrier.wait()
        graphs.append(executor.compiled(chain("a", "b")))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(graph) for graph in graphs}) == 1
    assert cache.statistics().misses == 1
    assert cache.statistics().hits == 7


def test_dependency_style_through_the_same_door() -> None:
    flow = DependencyWorkflow(name="d", steps=(DependencyStep(name="a"), DependencyStep(name="b", depends_on=("a",))))
    executor = GraphWorkflowExecutor({"a": fails, "b": returns()}, failure_policy="run-dependents")
    result = executor.execute_sync(flow)
    assert [node.status.value for node in result.context.node_results.values()] == ["failed", "completed"]
    assert result.error == "ValueError: no"


JOIN = DependencyWorkflow(
    name="w",
    steps=(
        DependencyStep(name="a"),
        DependencyStep(name="b"),
        DependencyStep(name="c", depends_on=("b",)),
        DependencyStep(name="d", depends_on=("a", "c")),
    ),
)


@pytest.mark.parametrize("above", [64, 0])
@pytest.mark.parametrize("saver", [None, "memory"])
def test_a_result_names_the_joins_that_hold_arrivals_after_the_end(saver: str | None, above: int) -> None:
    handlers: dict[str, Any] = {name: lambda view: 1 for name in "abcd"}
    kept = InMemorySaver() if saver else None
    compiled = compile_workflow(JOIN, {**handlers, "b": fails}, checkpointer=kept, frontier_above=above)
    failed = compiled.run({}, thread_id="t" if saver else None)
    assert not failed.success
    assert failed.context.metadata["waiting_edges"] == [{"target": "d", "arrived": ["a"], "missing": ["c"]}]
    assert WorkflowResult.from_dict(failed.to_dict()) == failed
    by_executor = GraphWorkflowExecutor({**handlers, "b": fails}).execute_sync(JOIN, {})
    assert by_executor.context.metadata == {"waiting_edges": failed.context.metadata["waiting_edges"]}
    if kept is not None and compiled.form == "edges":
        (edge,) = waiting_edges(compiled.graph, {"configurable": {"thread_id": "t"}})
        assert (edge.target, edge.arrived, edge.missing) == ("d", ("a",), ("c",))


@pytest.mark.parametrize("above", [64, 0])
def test_a_healthy_result_has_no_such_key(above: int) -> None:
    handlers: dict[str, Any] = {name: lambda view: 1 for name in "abcd"}
    well = compile_workflow(JOIN, handlers, frontier_above=above).run({})
    skipping = compile_workflow(JOIN, {**handlers, "b": fails}, failure_policy="skip-dependents").run({})
    assert (well.success, well.context.metadata) == (True, {})
    assert skipping.context.metadata == {}


@pytest.mark.parametrize(("above", "form"), [(0, "frontier"), (64, "edges")])
def test_the_form_of_the_graph_can_be_set_and_is_cached_apart(above: int, form: str) -> None:
    cache = CompileCache()
    GraphWorkflowExecutor(AB, cache=cache, frontier_above=1).compiled(chain("a", "b"))
    assert GraphWorkflowExecutor(AB, cache=cache, frontier_above=above).compiled(chain("a", "b")).form == form
    assert cache.statistics().misses == 2

"""Time limits, retries and concurrency limits, for synchronous and asynchronous handlers, from both kinds of entry point."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    DependencyStep,
    DependencyWorkflow,
    ParallelNode,
    RunScope,
    RunStopped,
    SuccessorWorkflow,
    TaskNode,
    WorkflowResult,
    compile_workflow,
)
from graphlift.adapters.limits import SLACK, superstep_limit


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hanging handlers wait for, set at the end so that their threads end with the test."""
    event = threading.Event()
    yield event
    event.set()


def run(compiled: Any, entry: str, *arguments: Any, **options: Any) -> WorkflowResult:
    if entry == "sync":
        return compiled.run(*arguments, **options)
    return asyncio.run(compiled.arun(*arguments, **options))


def hanging(kind: str, released: threading.Event) -> Any:
    async def hang_async(view: Any) -> None:
        await asyncio.sleep(3600)

    return hang_async if kind == "async" else lambda view: released.wait()


ENTRIES = pytest.mark.parametrize("entry", ["sync", "async"])
KINDS = pytest.mark.parametrize("kind", ["sync", "async"])


@ENTRIES
@KINDS
def test_a_step_timeout_holds(entry: str, kind: str, released: threading.Event) -> None:
    flow = DependencyWorkflow(
        name="w", steps=(DependencyStep(name="a", timeout=0.05), DependencyStep(name="b", depends_on=("a",)))
    )
    handlers = {"a": hanging(kind, released), "b": lambda view: "ran"}
    result = run(compile_workflow(flow, handlers, failure_policy="run-dependents"), entry)
    assert result.context.node_results["a"].status == "failed"
    assert result.error == "TimeoutError: step 'a' took longer than 0.05 s"
    assert result.context.node_results["b"].output == "ran"


@ENTRIES
@KINDS
def test_a_run_timeout_holds_and_says_where(entry: str, kind: str, released: threading.Event) -> None:
    flow = SuccessorWorkflow(
        name="w",
        start="a",
        nodes=(TaskNode(name="a", next=("b",)), TaskNode(name="b", next=("c",)), TaskNode(name="c")),
    )
    handlers = {"a": lambda view: {"a": 1}, "b": hanging(kind, released), "c": lambda view: None}
    result = run(compile_workflow(flow, handlers), entry, timeout=0.1)
    assert not result.success
    assert result.error == "TimeoutError: the run took longer than 0.1 s"
    statuses = {name: node.status.value for name, node in result.context.node_results.items()}
    assert statuses == {"a": "completed", "b": "failed"}
    assert result.context.data == {"a": 1}


@ENTRIES
def test_a_run_timeout_bounds_the_total_of_short_steps(entry: str) -> None:
    names = [f"s{index}" for index in range(200)]
    steps = [DependencyStep(name=name, depends_on=tuple(names[index - 1 : index])) for index, name in enumerate(names)]
    ran: list[str] = []

    def short(view: Any) -> None:
        ran.append(view.node)
        time.sleep(0.01)

    flow = DependencyWorkflow(name="w", steps=tuple(steps))
    result = run(compile_workflow(flow, dict.fromkeys(names, short)), entry, timeout=0.1)
    assert result.error == "TimeoutError: the run took longer than 0.1 s"
    assert 1 <= len(ran) < 200


@ENTRIES
@KINDS
def test_a_thread_whose_run_ran_out_of_time_can_go_on(entry: str, kind: str, released: threading.Event) -> None:
    saver, hang = InMemorySaver(), [True]
    hangs = hanging(kind, released)
    flow = SuccessorWorkflow(name="w", start="a", nodes=(TaskNode(name="a", next=("b",)), TaskNode(name="b")))
    ran: list[str] = []

    def first(view: Any) -> dict[str, int]:
        ran.append("a")
        return {"a": 1}

    def second(view: Any) -> Any:
        return hangs(view) if hang[0] else {"b": 2}

    compiled = compile_workflow(flow, {"a": first, "b": second}, checkpointer=saver)
    assert not run(compiled, entry, {}, thread_id="t", timeout=0.1).success
    hang[0] = False
    result = run(compiled, entry, thread_id="t")
    assert result.success
    assert result.context.data == {"a": 1, "b": 2}
    assert ran == ["a"]


@ENTRIES
@KINDS
def test_retries_with_backoff_and_a_limit_each(entry: str, kind: str, released: threading.Event) -> None:
    hangs, tries = hanging(kind, released), []

    def flaky(view: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            return hangs(view)
        if len(tries) == 2:
            raise ValueError("again")
        return "ok"

    flow = DependencyWorkflow(name="w", steps=(DependencyStep(name="a", timeout=0.05, retries=3, backoff=0.001),))
    node = run(compile_workflow(flow, {"a": flaky}), entry).context.node_results["a"]
    assert (node.status.value, node.output, node.runs, node.metadata) == ("completed", "ok", 1, {"attempts": 3})


@ENTRIES
def test_retries_end_with_the_last_error(entry: str) -> None:
    tries: list[int] = []

    def fails(view: Any) -> None:
        tries.append(1)
        raise ValueError(f"try {len(tries)}")

    flow = DependencyWorkflow(name="w", steps=(DependencyStep(name="a", retries=2),))
    result = run(compile_workflow(flow, {"a": fails}), entry)
    assert result.error == "ValueError: try 3"
    assert result.context.node_results["a"].metadata == {"attempts": 3}


@ENTRIES
def test_a_cancelled_run_does_not_wait_for_its_next_try(entry: str) -> None:
    scope = RunScope()

    def fails(view: Any) -> None:
        threading.Timer(0.05, scope.cancel).start()
        raise ValueError("no")

    flow = DependencyWorkflow(name="w", steps=(DependencyStep(name="a", retries=3, backoff=3600.0),))
    result = run(compile_workflow(flow, {"a": fails}), entry, scope=scope)
    assert result.error == "CancelledError: the run was cancelled"


def test_a_run_that_is_cancelled_just_before_a_coroutine_begins_does_not_wait_for_it() -> None:
    scope = RunScope()

    async def begun(view: Any) -> None:
        raise AssertionError("it began")

    async def enter() -> None:
        scope.cancel()
        with pytest.raises(RunStopped), scope.interruptible():
            await begun(None)

    asyncio.run(enter())


@ENTRIES
@KINDS
@pytest.mark.parametrize("limit", [1e12, float("inf")])
def test_a_limit_beyond_the_clock_is_no_limit(entry: str, kind: str, limit: float) -> None:
    async def slow_async(view: Any) -> str:
        await asyncio.sleep(0.01)
        return "ok"

    def slow(view: Any) -> str:
        time.sleep(0.01)
        return "ok"

    tries: list[int] = []

    def flaky(view: Any) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("again")
        return "ok"

    flow = DependencyWorkflow(
        name="w", steps=(DependencyStep(name="a", timeout=limit), DependencyStep(name="b", retries=1))
    )
    handlers = {"a": slow_async if kind == "async" else slow, "b": flaky}
    assert run(compile_workflow(flow, handlers), entry, timeout=limit).success


@ENTRIES
def test_a_run_timeout_ends_retries(entry: str) -> None:
    def fails(view: Any) -> None:
        raise ValueError("no")

    flow = DependencyWorkflow(name="w", steps=(DependencyStep(name="a", retries=1000, backoff=30.0),))
    result = run(compile_workflow(flow, {"a": fails}), entry, timeout=0.05)
    assert result.error == "TimeoutError: the run took longer than 0.05 s"


class Gauge:
    """How many handlers are inside at once: each waits until the expected number is, and then gives one more its chance."""

    def __init__(self, expected: int) -> None:
        self.lock, self.inside, self.peak, self.expected = threading.Lock(), 0, 0, expected
        self.full, self.overfull = threading.Event(), threading.Event()

    def enter(self) -> None:
        with self.lock:
            self.inside += 1
            self.peak = max(self.peak, self.inside)
            if self.inside >= self.expected:
                self.full.set()
            if self.inside > self.expected:
                self.overfull.set()

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1

    def sync(self, view: Any) -> None:
        self.enter()
        assert self.full.wait(30)
        self.overfull.wait(0.05)
        self.leave()

    async def asynchronous(self, view: Any) -> None:
        self.enter()
        while not self.full.is_set():
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        self.leave()


@ENTRIES
@KINDS
@pytest.mark.parametrize(("limit", "expected"), [(None, 4), (2, 2), (1, 1)])
def test_a_group_runs_at_once_up_to_its_limit(entry: str, kind: str, limit: int | None, expected: int) -> None:
    names = ("p", "q", "r", "s")
    gauge = Gauge(expected)
    group = ParallelNode(name="g", branches=names, max_concurrency=limit)
    flow = SuccessorWorkflow(name="w", start="g", nodes=(group, *(TaskNode(name=name) for name in names)))
    handler = gauge.asynchronous if kind == "async" else gauge.sync
    assert run(compile_workflow(flow, dict.fromkeys(names, handler)), entry).success
    assert gauge.peak == expected


@ENTRIES
@KINDS
def test_a_superstep_keeps_to_max_concurrency(entry: str, kind: str) -> None:
    names = [f"s{index}" for index in range(6)]
    gauge = Gauge(2)
    flow = DependencyWorkflow(name="w", steps=tuple(DependencyStep(name=name) for name in names))
    handler = gauge.asynchronous if kind == "async" else gauge.sync
    assert run(compile_workflow(flow, dict.fromkeys(names, handler)), entry, max_concurrency=2).success
    assert gauge.peak == 2


@pytest.mark.parametrize(("rounds", "turns"), [(3, 3 + 1), (2000, 2000 + 1), ("inputs.n", 7 + 1), ("inputs.x", 0)])
def test_the_superstep_limit_is_computed_from_loops_too(rounds: Any, turns: int) -> None:
    flow = DependencyWorkflow(
        name="w",
        steps=(
            DependencyStep(name="l", loop_until="False", loop_max=rounds),
            DependencyStep(name="after", depends_on=("l",)),
        ),
    )
    compiled = compile_workflow(flow, {"l": lambda view: 1, "after": lambda view: view.results["l"]})
    assert superstep_limit(flow, compiled.bindings, {"n": 7}) == 2 + SLACK + turns


@pytest.mark.slow
def test_a_long_loop_and_a_long_chain_meet_no_default_limit() -> None:
    loop = DependencyWorkflow(name="w", steps=(DependencyStep(name="l", loop_until="False", loop_max=12_000),))
    assert compile_workflow(loop, {"l": lambda view: 1}).run().context.node_results["l"].runs == 12_000

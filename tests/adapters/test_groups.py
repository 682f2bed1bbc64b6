"""Groups: steps of a long workflow that are due together, as one LangGraph task that keeps what ends while it goes on."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph import types
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config

from graphlift.adapters import (
    CompiledWorkflow,
    DependencyStep,
    DependencyWorkflow,
    RunScope,
    WorkflowError,
    WorkflowResult,
    compile_workflow,
    frontier,
    group_running,
    run_dependency,
)
from graphlift.adapters.asking import may_ask
from graphlift.adapters.group_saver import Rest, rows_of

ENTRIES = pytest.mark.parametrize("entry", ["run", "arun", "stream", "astream"])


@pytest.fixture(autouse=True)
def groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups in the smallest workflows, and all of their threads at once."""
    monkeypatch.setattr(frontier, "NAMED_UP_TO", 0)
    monkeypatch.setattr(group_running, "HEAD_START", 0)


class Crash(BaseException):
    """The end of the process, as far as a test can have it."""


CRASHED = (Crash, asyncio.CancelledError)
"""What a caller sees of it; of what is no Exception an asynchronous stream tells only that it ended."""


class Saver(InMemorySaver):
    """Tells which steps it has got in rows of groups, and may fail when the checkpoint after them comes."""

    def __init__(self, fails_at: int = 0) -> None:
        super().__init__()
        self.got: set[str] = set()
        self.came = threading.Condition()
        self.fails_at, self.puts = fails_at, 0

    def put(self, *arguments: Any, **more: Any) -> Any:
        self.puts += 1
        if self.puts == self.fails_at:
            raise Crash
        return super().put(*arguments, **more)

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        super().put_writes(config, writes, task_id, task_path)
        if not task_path:
            with self.came:
                self.got.update(name for channel, row in writes if channel == "steps" for name in row)
                self.came.notify_all()

    def has(self, *names: str) -> bool:
        """Wait until it has them, a while at most."""
        with self.came:
            return self.came.wait_for(lambda: self.got.issuperset(names), 20)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of groups on every checkpoint, oldest first."""
        saved = reversed(list(self.list({"configurable": {"thread_id": "t"}})))
        return [row for item in saved for row in rows_of(item.checkpoint["id"], item.pending_writes or ()).values()]

    def kept(self) -> Counter[str]:
        """How often the writes of all checkpoints hold each step."""
        writes = [w for item in self.list({"configurable": {"thread_id": "t"}}) for w in item.pending_writes or ()]
        return Counter(name for _, channel, value in writes if channel == "steps" for name in value)


class Handlers:
    """Counts what ran. `then` are what steps do besides."""

    def __init__(self, flow: DependencyWorkflow, **then: Callable[[Any], Any]) -> None:
        self.ran: Counter[str] = Counter()
        self.table = {step.name: partial(self._run, then.get(step.name)) for step in flow.steps}

    def _run(self, then: Any, view: Any) -> Any:
        self.ran[view.node] += 1
        return {view.node: sorted(view.results)} if then is None else then(view)


def flow_of(**needs: str) -> DependencyWorkflow:
    return DependencyWorkflow(
        name="w", steps=tuple(DependencyStep(name=name, depends_on=tuple(text)) for name, text in needs.items())
    )


FLOW = flow_of(a="", b="", c="", d="abc", e="d")


def compile_groups(flow: DependencyWorkflow, table: Any, checkpointer: Any) -> CompiledWorkflow:
    return compile_workflow(flow, table, checkpointer=checkpointer, frontier_above=0)


def go(compiled: CompiledWorkflow, entry: str, inputs: Any = None, **options: Any) -> WorkflowResult:
    async def last() -> Any:
        return [event async for event in compiled.astream(inputs, thread_id="t", **options)][-1].result

    if entry == "run":
        return compiled.run(inputs, thread_id="t", **options)
    if entry == "arun":
        return asyncio.run(compiled.arun(inputs, thread_id="t", **options))
    result: WorkflowResult = (
        list(compiled.stream(inputs, thread_id="t", **options))[-1].result if entry == "stream" else asyncio.run(last())
    )
    return result


def outputs(result: WorkflowResult) -> dict[str, Any]:
    return {name: node.output for name, node in result.context.node_results.items()}


def whole(flow: DependencyWorkflow) -> dict[str, Any]:
    return outputs(run_dependency(flow, Handlers(flow).table))


@ENTRIES
def test_what_ends_is_kept_while_others_run_and_is_kept_once(entry: str) -> None:
    saver = Saver()

    def late(view: Any) -> Any:
        assert saver.has("a", "b")
        return {"c": []}

    handlers = Handlers(FLOW, c=late)
    compiled = compile_groups(FLOW, handlers.table, saver)
    result = go(compiled, entry, {})
    assert outputs(result) == whole(FLOW)
    assert sorted(name for row in saver.rows() for name in row) == ["a", "b"]
    assert saver.kept() == Counter("abcde")
    assert outputs(go(compile_groups(FLOW, handlers.table, saver), entry)) == outputs(result)
    assert handlers.ran == Counter("abcde")


@ENTRIES
def test_a_group_that_was_stopped_goes_on_with_what_it_has_not_kept(entry: str) -> None:
    saver, crashed = Saver(), list[int]()

    def crashes(view: Any) -> Any:
        if not crashed:
            crashed.append(1)
            assert saver.has("a", "b")
            raise Crash
        return {"c": []}

    handlers = Handlers(FLOW, c=crashes)
    with pytest.raises(CRASHED):
        go(compile_groups(FLOW, handlers.table, saver), entry, {})
    compiled = compile_groups(FLOW, handlers.table, saver)
    state = compiled.state("t")
    assert (state.next, sorted(state.statuses)) == (("c",), ["a", "b"])
    assert outputs(go(compiled, entry)) == whole(FLOW)
    assert handlers.ran == Counter("abccde")
    assert outputs(go(compile_groups(FLOW, handlers.table, saver), entry)) == whole(FLOW)


@ENTRIES
@pytest.mark.parametrize("at", [3, 4])
def test_a_saver_that_fails_after_the_group_has_written_loses_no_row(entry: str, at: int) -> None:
    # The input's checkpoint, the beginning's, and then the one after the group, whose last writes are there.
    saver = Saver(fails_at=at)

    def late(view: Any) -> Any:
        assert saver.has("a", "b")
        return {"c": []}

    handlers = Handlers(FLOW, c=late)
    with pytest.raises(CRASHED):
        go(compile_groups(FLOW, handlers.table, saver), entry, {})
    assert outputs(go(compile_groups(FLOW, handlers.table, saver), entry)) == whole(FLOW)
    assert all(handlers.ran[name] == 1 for name in "abc")
    again = go(compile_groups(FLOW, handlers.table, saver), entry)
    assert outputs(again) == whole(FLOW)


class Forgetful(Saver):
    """Keeps nothing but what LangGraph's own tasks write."""

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        if task_path:
            super().put_writes(config, writes, task_id, task_path)
        else:
            self.got.update(name for _, row in writes for name in row)


@ENTRIES
def test_with_a_saver_that_drops_rows_every_step_is_a_task(entry: str) -> None:
    flow = flow_of(a="", b="", c="ab", d="ab", e="cd")
    saver, tried = Forgetful(), threading.Event()

    def late(view: Any) -> Any:
        for _ in range(2000):
            if saver.got or tried.wait(0.01):
                break
        return {"b": []}

    def crashes(view: Any) -> Any:
        if not tried.is_set():
            tried.set()
            raise Crash
        return {"d": ["a", "b"]}

    handlers = Handlers(flow, b=late, d=crashes)
    compiled = compile_groups(flow, handlers.table, saver)
    with pytest.raises(CRASHED):
        go(compiled, entry, {})
    assert compiled.graph.scheduler.plan.groups.on is False
    assert outputs(go(compile_groups(flow, handlers.table, saver), entry)) == whole(flow)
    assert all(handlers.ran[name] == 1 for name in "ab")


def hidden_question(view: Any) -> Any:
    """Asks in a way that its code does not tell."""
    return vars(types)["inter" + "rupt"]({"question of": view.node})


def open_question(view: Any) -> Any:
    return types.interrupt({"question of": view.node})


@ENTRIES
@pytest.mark.parametrize(("question", "before"), [(hidden_question, 2), (open_question, 1)])
def test_of_a_group_each_step_that_asks_gets_its_own_answer(question: Any, before: int, entry: str) -> None:
    flow = flow_of(z="", a="", b="", c="", end="zabc")
    handlers = Handlers(flow, z=question, b=question)
    compiled = compile_groups(flow, handlers.table, Saver())
    told = []
    for answer in ({}, {"resume": "for z"}, {"resume": "for b"}):
        result = go(compiled, entry, None if answer else {}, **answer)
        if result.interrupt is not None:
            told.append((result.interrupt.node_id, result.interrupt.payload))
            # Asked again without an answer, the thread says the same, and runs nothing.
            assert go(compiled, entry).interrupt == result.interrupt
        if not answer:
            assert handlers.ran == Counter({"z": before, "b": before, "a": 1, "c": 1})
            assert compiled.state("t").next == ("z", "b")
    assert told == [("z", {"question of": "z"}), ("b", {"question of": "b"})]
    assert result.success
    assert outputs(result)["z"] == "for z"
    assert outputs(result)["b"] == "for b"
    assert (handlers.ran["a"], handlers.ran["c"], handlers.ran["end"]) == (1, 1, 1)


def asks_through_a_helper(view: Any) -> Any:
    return open_question(view)


def enclosing() -> Any:
    ask = types.interrupt
    return lambda view: ask("?")


class Asking:
    def __call__(self, view: Any) -> Any:
        return [types.interrupt("?") for _ in "a"]

    def method(self, view: Any) -> Any:
        return types.interrupt("?")


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (open_question, True),
        (asks_through_a_helper, True),
        (enclosing(), True),
        (Asking(), True),
        (Asking().method, True),
        (partial(open_question), True),
        (lambda view: 1, False),
        (len, False),
        (Counter, False),
        (partial(len), False),
        (whole, False),
    ],
)
def test_whether_a_handler_asks_is_told_by_its_code(handler: Any, expected: bool) -> None:
    assert may_ask(handler) is expected


def steps_of(events: Iterator[Any]) -> Iterator[str]:
    return (event.node_id for event in events if event.kind == "node")


def test_a_stream_shows_a_step_of_a_group_while_the_others_run() -> None:
    seen = threading.Event()
    handlers = Handlers(FLOW, b=lambda view: {"b": []} if seen.wait(20) else 1, c=lambda view: seen.wait(20))
    compiled = compile_groups(FLOW, handlers.table, Saver())
    names = []
    for name in steps_of(compiled.stream({}, thread_id="t")):
        names.append(name)
        seen.set()
    assert names[0] == "a"
    assert sorted(names) == ["a", "b", "c", "d", "e"]


def test_an_asynchronous_stream_shows_a_step_of_a_group_while_the_others_run() -> None:
    async def collect() -> list[str]:
        seen, names = asyncio.Event(), list[str]()

        async def waits(view: Any) -> Any:
            await asyncio.wait_for(seen.wait(), 20)
            return {view.node: []}

        table = {**Handlers(FLOW).table, "b": waits, "c": waits}
        async for event in compile_groups(FLOW, table, Saver()).astream({}, thread_id="t"):
            if event.kind == "node":
                names.append(event.node_id or "")
                seen.set()
        return names

    names = asyncio.run(collect())
    assert names[0] == "a"
    assert sorted(names) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("entry", ["run", "arun"])
def test_a_cancelled_group_gives_and_keeps_what_had_ended(entry: str) -> None:
    scope, saver = RunScope(), Saver()

    def cancels(view: Any) -> Any:
        if scope.cancelled.is_set():
            return {"c": []}
        assert saver.has("a", "b")
        scope.cancel()
        return {"c": []}

    handlers = Handlers(FLOW, c=cancels)
    result = go(compile_groups(FLOW, handlers.table, saver), entry, {}, scope=scope)
    assert not result.success
    assert {"a", "b"} <= {name for name, node in result.context.node_results.items() if node.status == "completed"}
    assert outputs(go(compile_groups(FLOW, handlers.table, saver), entry)) == whole(FLOW)
    assert (handlers.ran["a"], handlers.ran["b"]) == (1, 1)


@ENTRIES
def test_who_waits_for_the_end_to_keep_anything_keeps_no_rows(entry: str) -> None:
    saver = Saver()
    handlers = Handlers(FLOW)
    result = go(compile_groups(FLOW, handlers.table, saver), entry, {}, durability="exit")
    assert outputs(result) == whole(FLOW)
    assert not saver.rows()
    assert outputs(go(compile_groups(FLOW, handlers.table, saver), entry)) == whole(FLOW)
    assert handlers.ran == Counter("abcde")


@pytest.mark.parametrize("entry", ["run", "arun"])
def test_no_more_steps_run_at_once_than_allowed(entry: str) -> None:
    flow = DependencyWorkflow(name="w", steps=tuple(DependencyStep(name=f"s{number}") for number in range(12)))
    gate, running, most = threading.Lock(), [0], [0]
    both = threading.Barrier(2)

    def counted(view: Any) -> Any:
        with gate:
            running[0] += 1
            most[0] = max(most[0], running[0])
        both.wait(20)
        with gate:
            running[0] -= 1

    compiled = compile_groups(flow, {step.name: counted for step in flow.steps}, Saver())
    assert go(compiled, entry, {}, max_concurrency=2).success
    assert most == [2]


def test_a_thread_of_single_steps_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    saver, handlers = Saver(), Handlers(FLOW)
    monkeypatch.setattr(frontier, "NAMED_UP_TO", 1000)
    assert compile_groups(FLOW, handlers.table, saver).run({}, thread_id="t").success
    monkeypatch.setattr(frontier, "NAMED_UP_TO", 0)
    compiled = compile_groups(FLOW, handlers.table, saver)
    with pytest.raises(WorkflowError, match=r"form 'dependency/fail/frontier', this graph is .*frontier-groups'"):
        compiled.run({}, thread_id="t")


def test_every_step_of_a_group_has_a_place_of_its_own_for_graphs_that_it_runs_also_when_run_again() -> None:
    spaces: dict[str, list[str]] = {name: [] for name in "abc"}
    crashed: list[int] = []

    def looks(view: Any) -> Any:
        spaces[view.node].append(get_config()["configurable"]["checkpoint_ns"])
        if len(crashed) < 3:
            crashed.append(1)
            raise Crash
        return {view.node: []}

    table = Handlers(FLOW, a=looks, b=looks, c=looks).table
    saver = Saver()
    for _ in range(8):
        try:
            result = compile_groups(FLOW, table, saver).run({}, thread_id="t")
            break
        except Crash:
            continue
    assert outputs(result) == whole(FLOW)
    assert [len(set(places)) for places in spaces.values()] == [1, 1, 1]
    assert len({places[0] for places in spaces.values()}) == 3


def test_the_rest_reads_as_the_whole_and_is_written_as_the_rest() -> None:
    rest = Rest({"b": 2}, {"a": 1, "b": 2})
    serde = InMemorySaver().serde
    assert serde.loads_typed(serde.dumps_typed(rest)) == {"b": 2}
    assert ({**rest}, dict(rest), len(rest), list(rest), rest["a"], "a" in rest) == (
        {"a": 1, "b": 2},
        {"a": 1, "b": 2},
        2,
        ["a", "b"],
        1,
        True,
    )
    merged: dict[str, int] = {}
    merged.update(rest)
    assert merged == {"a": 1, "b": 2}


KILLED = """
import os, signal, sys, threading
from langgraph.checkpoint.sqlite import SqliteSaver
from graphlift.adapters import *
from graphlift.adapters import frontier, group_running

frontier.NAMED_UP_TO = group_running.HEAD_START = 0
folder, first = sys.argv[1], not os.path.exists(sys.argv[1] + "/log")
log, came, got = open(folder + "/log", "a"), threading.Condition(), set()

class Saver(SqliteSaver):
    def put_writes(self, config, writes, task_id, task_path=""):
        super().put_writes(config, writes, task_id, task_path)
        with came:
            got.update(name for channel, row in writes if channel == "steps" for name in row)
            came.notify_all()

def handler(view):
    waits_for = {"b": {"a"}, "c": {"a", "b"}}.get(view.node, set()) if first else set()
    with came:
        assert came.wait_for(lambda: got >= waits_for, 20)
    if first and view.node == "c":
        os.kill(os.getpid(), signal.SIGKILL)
    log.write(view.node)
    log.flush()
    return view.node

steps = [DependencyStep(name="a"), DependencyStep(name="b"), DependencyStep(name="c")]
flow = DependencyWorkflow(name="w", steps=(*steps, DependencyStep(name="d", depends_on=("a", "b", "c"))))
with Saver.from_conn_string(folder + "/threads.db") as saver:
    compiled = compile_workflow(flow, dict.fromkeys("abcd", handler), checkpointer=saver, frontier_above=0)
    result = compiled.run({}, thread_id="t", max_concurrency=3)
assert [node.output for node in result.context.node_results.values()] == ["a", "b", "c", "d"], result
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_killed_between_two_rows_runs_nothing_again_that_a_row_holds(tmp_path: Path) -> None:
    for status in (-signal.SIGKILL, 0):
        command = [sys.executable, "-c", KILLED, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status, done.stderr
    assert (tmp_path / "log").read_text() == "abcd"


DAGS = st.lists(st.lists(st.integers(0, 6), max_size=3), min_size=2, max_size=7)


@given(DAGS, st.integers(0, 40), st.integers(1, 4))
@settings(deadline=None, database=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_call_of_the_saver_fails_the_run_goes_on_to_the_same_end(
    needs: list[list[int]], at: int, width: int
) -> None:
    steps = (
        DependencyStep(name=f"s{n}", depends_on=tuple(f"s{need}" for need in sorted({*some}) if need < n))
        for n, some in enumerate(needs)
    )
    flow = DependencyWorkflow(name="w", steps=tuple(steps))
    saver, calls, lock = Saver(), [0], threading.Lock()

    def failing(method: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            with lock:
                calls[0] += 1
                if calls[0] == at:
                    raise Crash
            return method(*arguments, **more)

        return call

    saver.put, saver.put_writes = failing(saver.put), failing(saver.put_writes)  # type: ignore[method-assign]
    handlers = Handlers(flow)
    for _ in range(2):
        compiled = compile_workflow(
            flow, handlers.table, checkpointer=saver, frontier_above=0, frontier_width=1 + width
        )
        with suppress(Crash):
            result = compiled.run({}, thread_id="t")
    assert outputs(result) == whole(flow)
    # What ran again was in the superstep that the saver failed in.
    assert sum(handlers.ran.values()) <= len(flow.steps) + 1 + width

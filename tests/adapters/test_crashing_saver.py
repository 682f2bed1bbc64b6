"""A saver that fails at every one of its calls in turn, before or after it: the run that goes on gives what a whole one gives."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections import Counter
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    ConditionNode,
    DependencyStep,
    DependencyWorkflow,
    HumanNode,
    ParallelNode,
    SuccessorWorkflow,
    TaskNode,
    Workflow,
    WorkflowResult,
    compile_workflow,
    frontier,
)


class Crash(BaseException):
    """The end of the process, as far as a test can have it."""


class CrashingSaver(InMemorySaver):
    """Fails at its call number `at`, before or after doing its work, and at every one after it."""

    def __init__(self, at: int, after: bool) -> None:
        super().__init__()
        self.at, self.after, self.calls = at, after, 0

    def _call(self, work: Any) -> Any:
        self.calls += 1
        if (self.at and self.calls > self.at) or (self.calls == self.at and not self.after):
            raise Crash
        result = work()
        if self.calls == self.at:
            raise Crash
        return result

    def put(self, *arguments: Any, **more: Any) -> Any:
        return self._call(lambda: super(CrashingSaver, self).put(*arguments, **more))

    def put_writes(self, *arguments: Any, **more: Any) -> Any:
        return self._call(lambda: super(CrashingSaver, self).put_writes(*arguments, **more))


def task(name: str, *following: str) -> TaskNode:
    return TaskNode(name=name, next=following)


def step(name: str, *needs: str, **more: Any) -> DependencyStep:
    return DependencyStep(name=name, depends_on=needs, **more)


FLOWS: dict[str, Workflow] = {
    "fan": SuccessorWorkflow(
        name="s",
        start="a",
        nodes=(
            task("a", "b", "g"),
            task("b", "q"),
            ParallelNode(name="g", branches=("p1", "p2"), next=("e",)),
            task("p1"),
            task("p2"),
            ConditionNode(name="q", condition="'g' in results", branches={"true": "f"}),
            task("e"),
            task("f"),
        ),
    ),
    "dag": DependencyWorkflow(
        name="d",
        steps=(
            step("a"),
            step("b", "a"),
            step("c", "a"),
            step("l", "c", loop_until="results.l >= 2"),
            step("no", "a", when="False"),
            step("d", "b", "l", "no"),
            step("e", "d"),
        ),
    ),
    "failing": DependencyWorkflow(
        name="f", steps=(step("a"), step("bad", "a"), step("c", "a"), step("d", "c", "bad"), step("e", "d"))
    ),
}


class Handlers:
    def __init__(self, workflow: Workflow) -> None:
        self.ended: Counter[tuple[str, int]] = Counter()
        items = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
        self.table = dict.fromkeys([item.name for item in items], self._run)

    def _run(self, view: Any) -> Any:
        self.ended[view.node, view.iteration] += 1
        if view.node == "bad":
            raise ValueError("bad")
        return view.iteration if view.node == "l" else {view.node: sorted(view.results)}


def facts(result: WorkflowResult) -> Any:
    nodes = {
        name: (node.status.value, node.output, node.error, node.runs, [child.output for child in node.children])
        for name, node in result.context.node_results.items()
    }
    return list(nodes), nodes, result.context.data, result.success, result.error


def run(compiled: Any, entry: str) -> WorkflowResult:
    if entry == "sync":
        return compiled.run({"x": 1}, thread_id="t")
    return asyncio.run(compiled.arun({"x": 1}, thread_id="t"))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("form", ["edges", "frontier", "unnamed"])
@pytest.mark.parametrize("entry", ["sync", "async"])
@pytest.mark.parametrize("flow", list(FLOWS))
def test_every_call_of_the_saver_may_be_the_last(
    flow: str, entry: str, form: str, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier, "NAMED_UP_TO", 0 if form == "unnamed" else 1000)
    workflow = FLOWS[flow]
    options: dict[str, Any] = {} if form == "edges" else {"frontier_above": 0}
    whole = Handlers(workflow)
    expected = facts(run(compile_workflow(workflow, whole.table, checkpointer=InMemorySaver(), **options), entry))
    crashes = 0
    for at in itertools.count(1):
        handlers, saver = Handlers(workflow), CrashingSaver(at, after)
        compiled = compile_workflow(workflow, handlers.table, checkpointer=saver, **options)
        try:
            first: WorkflowResult | None = run(compiled, entry)
        except Crash:
            first, crashes = None, crashes + 1
        if first is not None and saver.calls < at:
            assert facts(first) == expected
            break
        saver.at = 0
        assert facts(run(compiled, entry)) == expected, f"crashed at call {at}"
        assert set(handlers.ended) == set(whole.ended)
        # What was in flight when the saver failed may run again: one superstep, and a group of two is one node.
        assert sum(handlers.ended.values()) - sum(whole.ended.values()) <= 3
    # Steps that are due together are one task of a long workflow, which calls the saver less often.
    assert crashes >= (7 if form == "unnamed" else 8)


def test_a_saver_that_fails_while_a_person_is_asked() -> None:
    flow = SuccessorWorkflow(
        name="w", start="a", nodes=(task("a", "h", "b"), HumanNode(name="h", next=("c",)), task("b"), task("c"))
    )
    for at in itertools.count(1):
        handlers, saver = Handlers(flow), CrashingSaver(at, after=True)
        compiled = compile_workflow(flow, handlers.table, checkpointer=saver)
        try:
            compiled.run({}, thread_id="t")
            compiled.run({}, thread_id="t", resume={"ok": at})
            if saver.calls < at:
                break
        except Crash:
            pass
        saver.at = 0
        result = compiled.run({}, thread_id="t")
        if result.interrupt is not None:
            result = compiled.run({}, thread_id="t", resume={"ok": at})
        assert result.success
        assert list(result.context.node_results) == ["a", "h", "b", "c"]
        assert result.context.data["ok"] == at
    assert at > 8


@pytest.mark.parametrize("above", [64, 0])
@pytest.mark.parametrize("style", ["dependency", "successor"])
def test_an_output_that_no_checkpoint_can_hold_fails_its_step_by_name(style: str, above: int) -> None:
    steps = [DependencyStep(name="a"), DependencyStep(name="b", depends_on=("a",))]
    flow: Any = DependencyWorkflow(name="w", steps=tuple(steps))
    if style == "successor":
        flow = SuccessorWorkflow(name="w", start="a", nodes=(TaskNode(name="a", next=("b",)), TaskNode(name="b")))
    handlers = {"a": lambda view: {"lock": threading.Lock()}, "b": lambda view: 1}
    kept = compile_workflow(flow, handlers, checkpointer=InMemorySaver(), frontier_above=above).run({}, thread_id="t")
    assert (
        kept.error
        == "TypeError: what 'a' returned cannot be kept in a checkpoint: Type is not msgpack serializable: _thread.lock"
    )
    assert list(kept.context.node_results) == ["a"]
    assert compile_workflow(flow, handlers, frontier_above=above).run({}).success

"""Random workflows: what the compiled graph does is what the reference does, trace for trace."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import threading
from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    ConditionNode,
    DependencyStep,
    DependencyWorkflow,
    ParallelNode,
    SuccessorWorkflow,
    TaskNode,
    Workflow,
    WorkflowResult,
    compile_workflow,
    frontier,
    run_breadth_first,
    run_dependency,
)

MODES = tuple(
    f"{entry}{form}{kind}"
    for form in ("", "-frontier", "-frontier-unnamed")
    for entry in ("sync", "async")
    for kind in ("", "-saver", "-breakpoints")
)


def digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:10]


class Handlers:
    """Handlers that note each activation with all it saw, and answer with a digest of it; some fail, some are async."""

    def __init__(self, plan: Mapping[str, str]) -> None:
        self.trace: list[tuple[str, int, str]] = []
        self._lock = threading.Lock()
        self.table = {name: self._handler(name, kind) for name, kind in plan.items()}

    def _handler(self, name: str, kind: str) -> Any:
        def handler(view: Any) -> Any:
            seen = digest(
                name, view.iteration, sorted(view.data.items()), list(view.results.items()), list(view.status.items())
            )
            with self._lock:
                self.trace.append((name, view.iteration, seen))
            if kind == "fails" or (kind == "fails-later" and view.iteration):
                raise ValueError(f"{name} {seen}")
            if kind == "copies":
                return {**view.data, name: seen}
            return {name: seen, "shared": name} if kind == "writes" else int(seen, 16) % 7

        async def slow(view: Any) -> Any:
            for _ in range(len(name) % 3):
                await asyncio.sleep(0)
            return handler(view)

        return slow if kind == "value" and len(name) % 2 else handler


def observation(result: WorkflowResult) -> Any:
    def node(item: Any) -> Any:
        children = tuple(node(child) for child in item.children)
        return (item.node_id, item.status.value, item.output, item.error, item.runs, children, item.metadata)

    nodes = [node(item) for item in result.context.node_results.values()]
    return nodes, result.success, result.error, result.context.data, result.interrupt


def run_as(mode: str, workflow: Workflow, handlers: Mapping[str, Any], inputs: Any, **more: Any) -> WorkflowResult:
    saver = InMemorySaver() if mode.endswith(("saver", "breakpoints")) else None
    if "frontier" in mode:
        more = {**more, "frontier_above": 0, "frontier_width": 2}
    with mock.patch.object(frontier, "NAMED_UP_TO", 0 if "unnamed" in mode else 1000):
        compiled = compile_workflow(workflow, handlers, checkpointer=saver, **more)
    thread = None if saver is None else "t"
    if "breakpoints" in mode:
        compiled.graph.interrupt_before_nodes = "*"
    start: Any = inputs
    for _ in itertools.count():
        if mode.startswith("async"):
            result = asyncio.run(compiled.arun(start, thread_id=thread))
        else:
            result = compiled.run(start, thread_id=thread)
        if result.interrupt is None:
            return result
        start = None
    raise AssertionError


names = st.sampled_from(["a", "b+c", "d", "e:f", "g", "h|i", "j", "k", "l%2b", "m"])
KINDS = st.sampled_from(["value"] * 6 + ["writes"] * 3 + ["copies", "fails", "fails-later"])


@st.composite
def dependency_workflows(draw: st.DrawFn) -> tuple[DependencyWorkflow, dict[str, str], Any]:
    order = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    steps = []
    for index, name in enumerate(order):
        needs = draw(st.lists(st.sampled_from(order[:index]), max_size=3, unique=True)) if index else []
        when = draw(
            st.sampled_from([None, None, None, "inputs.n > 1"] + [f"status[{need!r}] != 'skipped'" for need in needs])
        )
        loop: dict[str, Any] = draw(
            st.sampled_from(
                [{}] * 4
                + [
                    {"loop_until": f"results[{name!r}] == 3", "loop_max": 3},
                    {"loop_until": "False", "loop_max": "inputs.n"},
                    {"loop_until": f"results[{name!r}] > 1"},
                ]
            )
        )
        steps.append(DependencyStep(name=name, depends_on=tuple(needs), when=when, **loop))
    declared = draw(st.permutations(steps))
    plan = {name: draw(KINDS) for name in order}
    return DependencyWorkflow(name="w", steps=tuple(declared)), plan, {"n": draw(st.integers(0, 3))}


@st.composite
def successor_workflows(draw: st.DrawFn) -> tuple[SuccessorWorkflow, dict[str, str], Any]:
    order = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    nodes: list[Any] = []
    plan = {}
    for index, name in enumerate(order):
        later = order[index + 1 :]
        targets = draw(st.lists(st.sampled_from(later), max_size=3, unique=True)) if later else []
        kind = draw(st.sampled_from(["task", "task", "task", "condition", "parallel"]))
        if kind == "condition":
            branches = dict(zip(["0", "1", "true", "2"], [*targets, None], strict=False))
            rule = draw(st.sampled_from(["inputs.n", "inputs.n > 1", "len(results) % 3", "data.shared"]))
            nodes.append(ConditionNode(name=name, condition=rule, branches=branches))
        elif kind == "parallel":
            inner = [f"{name}/{letter}" for letter in "xyz"[: draw(st.integers(1, 3))]]
            nodes += [TaskNode(name=branch) for branch in inner]
            plan.update({branch: draw(KINDS) for branch in inner})
            join, limit = draw(st.sampled_from(["all", "any", "merge"])), draw(st.sampled_from([None, 1, 2]))
            nodes.append(
                ParallelNode(name=name, branches=tuple(inner), join=join, max_concurrency=limit, next=tuple(targets))
            )
        else:
            nodes.append(TaskNode(name=name, next=tuple(targets)))
            plan[name] = draw(KINDS)
    declared = draw(st.permutations(nodes))
    return SuccessorWorkflow(name="w", start=order[0], nodes=tuple(declared)), plan, {"n": draw(st.integers(0, 3))}


def check_breadth_first(case: Any, mode: str) -> None:
    workflow, plan, inputs = case
    expected, actual = Handlers(plan), Handlers(plan)
    reference = run_breadth_first(workflow, expected.table, inputs)
    assert observation(run_as(mode, workflow, actual.table, inputs)) == observation(reference)
    groups = [node for node in workflow.nodes if node.kind == "parallel"]
    if groups:
        assert sorted(actual.trace) == sorted(expected.trace)
    else:
        assert actual.trace == expected.trace


def check_dependency(case: Any, mode: str, policy: Any) -> None:
    workflow, plan, inputs = case
    expected, actual = Handlers(plan), Handlers(plan)
    reference = run_dependency(workflow, expected.table, inputs, failure_policy=policy)
    result = run_as(mode, workflow, actual.table, inputs, failure_policy=policy)
    assert observation(result) == observation(reference)
    assert sorted(actual.trace) == sorted(expected.trace)


QUICK = settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
SLOW = settings(max_examples=120, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("mode", MODES)
@given(case=successor_workflows())
@QUICK
def test_breadth_first(mode: str, case: Any) -> None:
    check_breadth_first(case, mode)


@pytest.mark.parametrize("mode", MODES)
@given(case=dependency_workflows(), policy=st.sampled_from(["fail", "skip-dependents", "run-dependents"]))
@QUICK
def test_dependency(mode: str, case: Any, policy: str) -> None:
    check_dependency(case, mode, policy)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@given(case=successor_workflows())
@SLOW
def test_breadth_first_many(mode: str, case: Any) -> None:
    check_breadth_first(case, mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@given(case=dependency_workflows(), policy=st.sampled_from(["fail", "skip-dependents", "run-dependents"]))
@SLOW
def test_dependency_many(mode: str, case: Any, policy: str) -> None:
    check_dependency(case, mode, policy)

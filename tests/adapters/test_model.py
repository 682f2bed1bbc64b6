"""Definitions: what is refused, which step is named, what the mend is; and the hash that tells them apart."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlift.adapters import (
    ConditionNode,
    DependencyStep,
    DependencyWorkflow,
    HumanNode,
    ParallelNode,
    SuccessorWorkflow,
    TaskNode,
    WorkflowError,
    compile_workflow,
    content_hash,
    parse_workflow,
)
from graphlift.adapters.graphs import find_cycle, topological
from graphlift.adapters.names import decode, encode, exit_node, is_wiring


def walk(*nodes: Any, start: str | None = None) -> SuccessorWorkflow:
    return SuccessorWorkflow(name="w", start=start or nodes[0].name, nodes=nodes)


def dag(*steps: Any) -> DependencyWorkflow:
    return DependencyWorkflow(name="w", steps=steps)


def task(name: str, *following: str) -> TaskNode:
    return TaskNode(name=name, next=following)


def step(name: str, *needs: str, **more: Any) -> DependencyStep:
    return DependencyStep(name=name, depends_on=needs, **more)


@pytest.mark.parametrize(
    ("make", "message", "mend"),
    [
        (lambda: walk(task("a", "b")), "node 'a': next names 'b'", "use one of: a"),
        (lambda: walk(task("alpha"), start="alhpa"), "start names 'alhpa'", "did you mean 'alpha'"),
        (lambda: walk(task("a"), task("a")), "two steps are named 'a'", "rename"),
        (lambda: walk(task("__loop_exit__a")), "'__loop_exit__a' is reserved", "rename"),
        (lambda: walk(task("__start__")), "'__start__' is reserved", "rename"),
        (lambda: dag(step("__loop_exit__")), "'__loop_exit__' is reserved", "rename"),
        (lambda: walk(ParallelNode(name="g", branches=("x",))), "branch names 'x'", "use one of"),
        (lambda: walk(ParallelNode(name="g", branches=("p", "p")), task("p")), "'p' is listed twice", "once"),
        (
            lambda: walk(ParallelNode(name="g", branches=("p",)), task("p", "g")),
            "next of its own",
            "move it to the next of 'g'",
        ),
        (lambda: walk(ParallelNode(name="g", branches=("h",)), HumanNode(name="h")), "is a human node", "one task"),
        (
            lambda: walk(
                ParallelNode(name="g", branches=("p",), next=("k",)), ParallelNode(name="k", branches=("p",)), task("p")
            ),
            "also a branch of 'g'",
            "its own task nodes",
        ),
        (
            lambda: walk(task("a", "g", "p"), ParallelNode(name="g", branches=("p",)), task("p")),
            "'a' leads to 'p', a branch of the parallel node 'g'",
            "lead to 'g' instead",
        ),
        (
            lambda: walk(ParallelNode(name="g", branches=("p",)), task("p"), start="p"),
            "'start' leads to 'p'",
            "lead to 'g'",
        ),
        (lambda: dag(step("a", "b")), "step 'a': depends_on names 'b'", "use one of: a"),
        (lambda: dag(step("a", "a")), "step 'a' depends on itself", "loop_until"),
        (lambda: dag(step("a", "c"), step("b", "a"), step("c", "b")), "in a cycle", "cut one"),
        (lambda: dag(step("a"), step("a")), "two steps are named 'a'", "rename"),
        (
            lambda: dag(step("a", loop_until="True", loop_max="results.a")),
            "loop_max of 'a': expression 'results.a': unknown name",
            "simplify it",
        ),
    ],
)
def test_refused_with_the_step_and_the_mend(make: Any, message: str, mend: str) -> None:
    with pytest.raises(WorkflowError) as caught:
        make()
    assert message in caught.value.message
    assert mend in (caught.value.mend or "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"style": "successor", "name": "w", "start": "a", "nodes": [{"kind": "task", "name": "a", "nxt": []}]},
            "nodes[0].nxt",
        ),
        ({"style": "dependency", "name": "w", "steps": [{"name": "a", "timeout": -1}]}, "steps[0].timeout"),
        ({"style": "dependency", "name": "w", "steps": [{"name": ""}]}, "steps[0].name"),
        ({"style": "dependency", "name": "w", "steps": []}, "steps"),
        ({"style": "dependency", "name": "w", "steps": [{"name": "a", "loop_max": 0}]}, "steps[0].loop_max"),
        ({"style": "other", "name": "w"}, "'other'"),
        ({"name": "w"}, "style"),
        (7, "definition"),
    ],
)
def test_plain_data_is_strict(data: Any, message: str) -> None:
    with pytest.raises(WorkflowError) as caught:
        parse_workflow(data)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        (
            walk(ConditionNode(name="q", condition="is_big", branches={})),
            "'is_big' is neither a condition that was given",
        ),
        (
            walk(ConditionNode(name="q", condition="results.zz", branches={})),
            "condition of 'q' reads 'zz', which is not a step",
        ),
        (walk(ConditionNode(name="q", condition="inputs.(", branches={})), "condition of 'q': expression 'inputs.('"),
        (dag(step("a", loop_until="x.y")), "loop_until of 'a': expression 'x.y': unknown name 'x'"),
        (dag(step("a"), step("b", when="results.a")), "when of 'b' reads 'a', for which it does not wait"),
        (dag(step("a", when="results.a")), "when of 'a' reads 'a', for which it does not wait"),
    ],
)
def test_rules_are_checked_when_compiling(flow: Any, message: str) -> None:
    handlers = {"a": lambda view: None, "b": lambda view: None}
    with pytest.raises(WorkflowError) as caught:
        compile_workflow(flow, handlers)
    assert message in caught.value.message


def test_a_style_runs_under_its_own_traversal() -> None:
    with pytest.raises(WorkflowError, match="in successor style and cannot run under the traversal 'dependency'"):
        compile_workflow(walk(task("a")), {"a": lambda view: None}, traversal="dependency")
    with pytest.raises(WorkflowError, match="breadth-first stops at a failure; it has no policy 'run-dependents'"):
        compile_workflow(walk(task("a")), {"a": lambda view: None}, failure_policy="run-dependents")


def test_definitions_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        walk(task("a")).nodes[0].name = "b"


def test_the_hash_tells_definitions_apart_and_survives_processes() -> None:
    first = walk(task("a", "b"), task("b"))
    assert content_hash(first) == content_hash(parse_workflow(first.model_dump()))
    assert content_hash(first) != content_hash(walk(task("a"), task("b")))
    program = (
        "from graphlift.adapters import *;"
        "print(content_hash(SuccessorWorkflow(name='w',start='a',nodes=(TaskNode(name='a',next=('b',)),TaskNode(name='b')))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == content_hash(first)


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
@settings(deadline=None, database=None)
def test_encoded_names_come_back_and_never_collide(left: str, right: str) -> None:
    assert decode(encode(left)) == left or left.startswith("__loop_exit__")
    assert not set(encode(left)) & set(":|+")
    assert (encode(left) == encode(right)) is (left == right)
    assert is_wiring(exit_node(left))


@given(st.dictionaries(st.integers(0, 12).map(str), st.lists(st.integers(0, 12).map(str), max_size=4), max_size=13))
@settings(deadline=None, database=None)
def test_find_cycle_finds_one_exactly_when_there_is_one(edges: dict[str, list[str]]) -> None:
    known = {name: [target for target in targets if target in edges] for name, targets in edges.items()}
    cycle = find_cycle(known)
    if cycle:
        assert all(after in known[before] for before, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    else:
        steps = {name: step(name, *targets) for name, targets in known.items()}
        assert len(topological(steps)) == len(steps)


def test_deep_chains_are_ordinary() -> None:
    steps = [step("s0"), *(step(f"s{index}", f"s{index - 1}") for index in range(1, 3000))]
    handlers: dict[str, Any] = {item.name: lambda view: 1 for item in steps}
    handlers["s2999"] = lambda view: len(view.results)
    result = compile_workflow(dag(*steps), handlers).run()
    assert result.success
    assert result.context.node_results["s2999"].output == 2999

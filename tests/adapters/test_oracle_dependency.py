"""The reference executor, shape by shape: once each, after its dependencies, with what it waits for in view."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from graphlift.adapters import (
    DependencyStep,
    DependencyWorkflow,
    NodeStatus,
    WorkflowError,
    WorkflowResult,
    arun_dependency,
    compile_workflow,
    run_dependency,
)


def flow(*steps: Any) -> DependencyWorkflow:
    return DependencyWorkflow(name="w", steps=steps)


def step(name: str, *needs: str, **more: Any) -> DependencyStep:
    return DependencyStep(name=name, depends_on=needs, **more)


def recording(runs: list[str], *names: str, **special: Any) -> dict[str, Any]:
    def plain(name: str) -> Any:
        def handler(view: Any) -> str:
            runs.append(f"{name}({','.join(view.results)})")
            return name.upper()

        return handler

    return {**{name: plain(name) for name in names}, **special}


def fails(view: Any) -> Any:
    raise ValueError("no")


def statuses(result: WorkflowResult) -> dict[str, str]:
    return {name: node.status.value for name, node in result.context.node_results.items()}


def test_an_uneven_join_runs_once_after_the_slowest() -> None:
    runs: list[str] = []
    uneven = flow(step("a"), step("b", "a"), step("c", "a"), step("x", "c"), step("d", "b", "x"))
    assert run_dependency(uneven, recording(runs, *"abcdx")).success
    assert runs == ["a()", "b(a)", "c(a)", "x(a,c)", "d(a,b,c,x)"]


def test_a_step_does_not_see_what_it_does_not_wait_for() -> None:
    runs: list[str] = []
    run_dependency(flow(step("a"), step("b"), step("c", "a")), recording(runs, *"abc"))
    assert runs == ["a()", "b()", "c(a)"]


def test_a_skipped_step_still_completes() -> None:
    runs: list[str] = []
    skipping = flow(step("a"), step("b", "a", when="results.a == 'nothing'"), step("c", "a", "b"))
    result = run_dependency(skipping, recording(runs, *"abc"))
    assert runs == ["a()", "c(a)"]
    assert statuses(result) == {"a": "completed", "b": "skipped", "c": "completed"}
    assert result.context.node_results["b"].metadata == {"reason": "condition"}
    assert result.context.node_results["b"].runs == 0
    assert result.success


LOOP = {"loop_until": "results.l >= 2", "loop_max": 5}


@pytest.mark.parametrize(
    ("more", "runs", "output", "metadata"),
    [
        ({"loop_until": "results.l >= 2", "loop_max": 5}, 3, 2, {}),
        ({"loop_until": "results.l >= 9", "loop_max": 2}, 2, 1, {"exhausted": True}),
        ({"loop_until": "False", "loop_max": "inputs.rounds + 1"}, 4, 3, {"exhausted": True}),
        ({"loop_until": "True"}, 1, 0, {}),
    ],
)
def test_a_loop_repeats_inside_one_step_and_dependents_see_its_last_output(
    more: Any, runs: int, output: int, metadata: Any
) -> None:
    seen: list[Any] = []

    def body(view: Any) -> int:
        seen.append((view.iteration, view.results.get("l")))
        return view.iteration

    looping = flow(step("l", **more), step("after", "l"))
    result = run_dependency(looping, {"l": body, "after": lambda view: view.results["l"]}, {"rounds": 3})
    node = result.context.node_results["l"]
    assert (node.runs, node.output, node.metadata) == (runs, output, metadata)
    assert seen == [(i, None if i == 0 else i - 1) for i in range(runs)]
    assert result.context.node_results["after"].output == output
    assert result.context.node_results["after"].runs == 1


@pytest.mark.parametrize("rounds", [0, True, "3", None])
def test_a_loop_max_that_is_not_a_count_fails_the_step_before_it_runs(rounds: Any) -> None:
    runs: list[str] = []
    looping = flow(step("l", loop_until="True", loop_max="inputs.rounds"))
    result = run_dependency(looping, recording(runs, "l"), {"rounds": rounds})
    assert runs == []
    assert result.error == f"ValueError: loop_max of 'l' must be a whole number from 1, not {rounds!r}"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("fail", {"a": "completed", "bad": "failed", "side": "completed"}),
        (
            "skip-dependents",
            {"a": "completed", "bad": "failed", "side": "completed", "b": "skipped", "s2": "completed", "c": "skipped"},
        ),
        (
            "run-dependents",
            {
                "a": "completed",
                "bad": "failed",
                "side": "completed",
                "b": "completed",
                "s2": "completed",
                "c": "completed",
            },
        ),
    ],
)
def test_failure_policies(policy: Any, expected: dict[str, str]) -> None:
    shape = flow(
        step("a"), step("bad", "a"), step("side", "a"), step("b", "bad"), step("s2", "side"), step("c", "b", "s2")
    )
    result = run_dependency(shape, recording([], "a", "side", "b", "s2", "c", bad=fails), failure_policy=policy)
    assert statuses(result) == expected
    assert result.error == "ValueError: no"
    assert not result.success


def test_a_blocked_step_names_what_blocked_it() -> None:
    shape = flow(step("bad"), step("b", "bad"), step("c", "b"))
    result = run_dependency(shape, recording([], "b", "c", bad=fails), failure_policy="skip-dependents")
    assert result.context.node_results["b"].metadata == {"reason": "upstream-failed", "failed": ["bad"]}
    assert result.context.node_results["c"].metadata == {"reason": "upstream-failed", "failed": ["b"]}


@pytest.mark.parametrize("rule", ["when", "loop_until"])
def test_a_raising_rule_is_a_failure_of_the_step(rule: str) -> None:
    shape = flow(step("a", **{rule: "inputs.missing > 1"}), step("b", "a"))
    result = run_dependency(shape, recording([], "a", "b"), failure_policy="run-dependents")
    assert statuses(result) == {"a": "failed", "b": "completed"}
    assert result.context.node_results["a"].status is NodeStatus.FAILED


def test_a_rule_that_reads_what_the_step_does_not_wait_for_is_refused() -> None:
    shape = flow(step("a"), step("b", when="results.a"))
    with pytest.raises(
        WorkflowError, match=r"(?s)when of 'b' reads 'a', for which it does not wait.*add 'a' to depends_on"
    ):
        run_dependency(shape, recording([], "a", "b"))


def test_async_entry_gives_the_same() -> None:
    async def async_handler(view: Any) -> str:
        await asyncio.sleep(0)
        return "A"

    shape = flow(step("a"), step("b", "a"))
    handlers = {"a": async_handler, "b": lambda view: view.results["a"] + "b"}
    expected = run_dependency(shape, handlers)
    actual = asyncio.run(arun_dependency(shape, handlers))
    assert actual.context.node_results["b"].output == expected.context.node_results["b"].output == "Ab"


def stuck_loop(view: Any) -> int:
    if view.iteration == 3:
        raise ValueError("a")
    return 0


LOOPED = flow(step("a", loop_until="False", loop_max=9), step("b"), step("c", "b"), step("d", "a"), step("e", "d", "c"))


@pytest.mark.parametrize("form", ["oracle", "edges", "frontier", "narrow"])
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("fail", {"b": "completed", "a": "cancelled", "c": "failed"}),
        ("skip-dependents", {"b": "completed", "c": "failed", "a": "failed", "d": "skipped", "e": "skipped"}),
        ("run-dependents", {"b": "completed", "c": "failed", "a": "failed", "d": "completed", "e": "completed"}),
    ],
)
def test_the_first_of_two_errors_is_the_one_of_the_earlier_round(
    form: str, policy: Any, expected: dict[str, str]
) -> None:
    handlers = {**recording([], *"bde"), "a": stuck_loop, "c": fails}
    options: dict[str, Any] = {"edges": {}, "frontier": {"frontier_above": 0}}.get(
        form, {"frontier_above": 0, "frontier_width": 1}
    )
    if form == "oracle":
        result = run_dependency(LOOPED, handlers, failure_policy=policy)
    else:
        result = compile_workflow(LOOPED, handlers, failure_policy=policy, **options).run({})
    # c fails in the second round, the loop of a in its fourth; results stand in the order of the rounds.
    assert (result.error, list(statuses(result).items())) == ("ValueError: no", list(expected.items()))


def test_what_waits_for_a_loop_runs_a_round_after_it() -> None:
    runs: list[str] = []
    waits = flow(step("a", loop_until="True"), step("b"), step("c", "a"), step("d", "b"), step("e", "d"))
    run_dependency(waits, recording(runs, *"abcde"))
    assert [run[0] for run in runs] == ["a", "b", "d", "c", "e"]

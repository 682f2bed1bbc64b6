"""The shapes at which engines differ, each with what a compiled workflow must do there.

L rows are what hand-wired LangGraph gets wrong or leaves open, W rows what hand-rolled walkers do, R rows are the workflows
of real projects. Every test runs in both forms of the graph, from both kinds of entry.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping
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
    WorkflowError,
    WorkflowResult,
    compile_workflow,
)


class Run:
    """Runs a workflow and notes, per activation, what it saw under `results`."""

    def __init__(self, entry: str, form: str) -> None:
        self.entry, self.form = entry, form
        self.seen: list[tuple[str, list[str]]] = []
        self.lock = threading.Lock()

    def __call__(self, workflow: Any, special: Mapping[str, Any] | None = None, **more: Any) -> WorkflowResult:
        inputs, thread, resume = more.pop("inputs", {}), more.pop("thread_id", None), more.pop("resume", None)
        compiled = self.compile(workflow, special, **more)
        options: dict[str, Any] = {"thread_id": thread} if thread else {}
        if resume is not None:
            options["resume"] = resume
        if self.entry == "sync":
            return compiled.run(inputs, **options)
        return asyncio.run(compiled.arun(inputs, **options))

    def compile(self, workflow: Any, special: Mapping[str, Any] | None = None, **more: Any) -> Any:
        items = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
        handlers = {item.name: self.noting(item.name, (special or {}).get(item.name)) for item in items}
        above = 0 if self.form == "frontier" else 10_000
        return compile_workflow(workflow, handlers, frontier_above=above, **more)

    def noting(self, name: str, handler: Any) -> Any:
        def noted(view: Any) -> Any:
            with self.lock:
                self.seen.append((name, sorted(view.results)))
            return handler(view) if handler else {name: 1}

        return noted

    @property
    def counts(self) -> Counter[str]:
        return Counter(name for name, _ in self.seen)

    @property
    def order(self) -> list[str]:
        return [name for name, _ in self.seen]

    def saw(self, name: str) -> list[str]:
        (only,) = [seen for ran, seen in self.seen if ran == name]
        return only


@pytest.fixture(params=["sync", "async"])
def entry(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["edges", "frontier"])
def run(request: pytest.FixtureRequest, entry: str) -> Run:
    return Run(entry, request.param)


def deps(text: str, **more: Any) -> DependencyWorkflow:
    """`a; b<a; c<a,b` as a workflow; `more` are further fields by step."""
    steps = []
    for part in text.split(";"):
        name, _, needs = part.strip().partition("<")
        steps.append(DependencyStep(name=name, depends_on=tuple(filter(None, needs.split(","))), **more.get(name, {})))
    return DependencyWorkflow(name="w", steps=tuple(steps))


def task(name: str, *following: str) -> TaskNode:
    return TaskNode(name=name, next=following)


def walk(*nodes: Any) -> SuccessorWorkflow:
    return SuccessorWorkflow(name="w", start=nodes[0].name, nodes=nodes)


def fails(view: Any) -> Any:
    raise ValueError(view.node)


def once(run: Run, *names: str) -> None:
    assert run.counts == Counter(names)


def test_L1_an_uneven_join_runs_once_and_sees_the_slow_branch(run: Run) -> None:
    assert run(deps("a; b<a; c<a; x<c; d<b,x")).success
    once(run, *"abcxd")
    assert run.saw("d") == ["a", "b", "c", "x"]


def test_L2_a_conditional_and_a_plain_edge_into_one_node_run_it_once(run: Run) -> None:
    pick = ConditionNode(name="q", condition="True", branches={"true": "b"})
    assert run(walk(task("a", "q", "c"), pick, task("c", "b"), task("b"))).success
    once(run, *"acb")


def test_L3_a_join_on_a_branch_not_taken_still_runs(run: Run) -> None:
    result = run(deps("a; b<a; c<a; d<b,c; e<d", c={"when": "False"}))
    once(run, *"abde")
    assert result.context.node_results["c"].metadata == {"reason": "condition"}
    assert run.saw("e") == ["a", "b", "d"]


def test_L4_a_join_of_branches_does_not_run_early_from_a_side_path(run: Run) -> None:
    assert run(deps("a; b<a; c<a; p<b; q<b; d<p,q,c", p={"when": "True"}, q={"when": "False"})).success
    once(run, *"abcpd")
    assert run.saw("d") == ["a", "b", "c", "p"]


def test_L5_two_of_three_branches_are_enough_for_the_join(run: Run) -> None:
    assert run(deps("a; x<a; y<a; z<a; e<x,y,z", z={"when": "results.a.a != 1"})).success
    once(run, *"axye")
    assert run.saw("e") == ["a", "x", "y"]


def test_L6_a_descendant_does_not_overtake_a_slow_ancestor(run: Run) -> None:
    assert run(deps("a; b<a; c<b; d<c; late<d; e<a,late; f<e")).success
    assert run.order == ["a", "b", "c", "d", "late", "e", "f"]


def test_L7_a_step_beside_a_slow_one_neither_needs_nor_sees_it(run: Run) -> None:
    assert run(deps("a; slow<a; fast<a; after<fast")).success
    assert run.saw("after") == ["a", "fast"]


def test_L8_a_step_sees_what_it_waits_for_and_nothing_beside_it(run: Run) -> None:
    assert run(deps("a; b1<a; c<a; b2<b1")).success
    assert run.saw("b2") == ["a", "b1"]


@pytest.mark.parametrize("values", [("same", "same"), ("one", "two")])
def test_L9_two_steps_at_once_may_write_one_key(run: Run, values: tuple[str, str]) -> None:
    group = ParallelNode(name="g", branches=("p", "q"))
    writes = {"p": lambda view: {"key": values[0]}, "q": lambda view: {"key": values[1]}}
    result = run(walk(group, task("p"), task("q")), writes)
    assert result.context.data == {"key": values[1]}
    assert result.context.node_results["g"].output == {"p": {"key": values[0]}, "q": {"key": values[1]}}


@pytest.mark.parametrize("many", [False, True])
def test_L10_a_send_to_a_join_is_refused_instead_of_running_it_twice(run: Run, many: bool) -> None:
    from langgraph.types import Command, Send

    sent: Any = [Send("d", {})] if many else Command(goto="d")
    result = run(deps("a; b<a; c<a; d<b,c"), {"b": lambda view: sent})
    assert "dynamic routing cannot be mixed" in str(result.error)
    once(run, *"abc")


def test_L11_a_loops_dependent_runs_once_with_the_last_output(run: Run) -> None:
    looping = deps("l; after<l", l={"loop_until": "results.l >= 3"})
    result = run(looping, {"l": lambda view: view.iteration, "after": lambda view: view.results["l"]})
    assert run.counts == {"l": 4, "after": 1}
    assert result.context.node_results["after"].output == 3


def test_L12_a_join_of_a_loop_and_a_step_runs_once(run: Run) -> None:
    looping = deps("a; b; c<a,b", a={"loop_until": "False", "loop_max": 4})
    assert run(looping).context.node_results["a"].metadata == {"exhausted": True}
    assert run.counts == {"a": 4, "b": 1, "c": 1}


def test_L13_a_branch_to_a_node_that_does_not_exist_is_refused() -> None:
    with pytest.raises(WorkflowError, match=r"(?s)node 'q': next names 'nowhere', which is not a step"):
        walk(ConditionNode(name="q", condition="True", branches={"true": "nowhere"}))


@pytest.mark.parametrize("verdict", ["[]", "'other'", "None"])
def test_L14_a_verdict_without_a_branch_ends_quietly_and_is_recorded(run: Run, verdict: str) -> None:
    pick = ConditionNode(name="q", condition=verdict, branches={"yes": "b"})
    result = run(walk(task("a", "q", "c"), pick, task("b"), task("c")))
    assert result.success
    assert run.order == ["a", "c"]
    assert result.context.node_results["q"].metadata == {"target": None}


def test_L15_one_of_two_raises_and_the_sibling_ends_and_does_not_run_again(run: Run) -> None:
    flow, saver = deps("a; bad<a; good<a; after<bad,good"), InMemorySaver()
    first = run(flow, {"bad": fails}, checkpointer=saver, thread_id="t")
    assert first.error == "ValueError: bad"
    assert first.context.node_results["good"].status == "completed"
    again = run(flow, {"bad": fails}, checkpointer=saver, thread_id="t")
    assert again.context == first.context
    once(run, "a", "bad", "good")


def test_L16_two_raise_and_neither_is_lost(run: Run) -> None:
    result = run(deps("a; x<a; y<a"), {"x": fails, "y": fails})
    assert result.error == "ValueError: x"
    errors = {name: node.error for name, node in result.context.node_results.items() if node.error}
    assert errors == {"x": "ValueError: x", "y": "ValueError: y"}


def test_L17_a_change_in_place_neither_leaks_nor_is_lost_silently(run: Run) -> None:
    def nested(view: Any) -> None:
        view.data["items"].append("leak")

    def new_key(view: Any) -> None:
        view.data["new"] = 1

    inputs = {"items": ["x"]}
    result = run(
        walk(task("a", "b"), task("b")), {"a": nested, "b": lambda view: list(view.data["items"])}, inputs=inputs
    )
    assert result.context.node_results["b"].output == ["x"]
    assert inputs == {"items": ["x"]}
    assert "does not support item assignment" in str(run(walk(task("a")), {"a": new_key}).error)


@pytest.mark.parametrize("names", [("p", "q"), ("z", "q")])
def test_L18_renaming_a_branch_does_not_change_what_is_merged(run: Run, names: tuple[str, str]) -> None:
    first, second = names
    group = ParallelNode(name="g", branches=names)
    writes = {first: lambda view: {"last": "first"}, second: lambda view: {"last": "second"}}
    assert run(walk(group, task(first), task(second)), writes).context.data == {"last": "second"}


def test_L19_one_answer_does_not_run_the_others_again(run: Run) -> None:
    flow = walk(task("a", "h1", "h2"), HumanNode(name="h1", next=("b",)), HumanNode(name="h2"), task("b"))
    saver = InMemorySaver()
    asked = [run(flow, checkpointer=saver, thread_id="t").interrupt]
    asked.append(run(flow, checkpointer=saver, thread_id="t", resume={"x": 1}).interrupt)
    done = run(flow, checkpointer=saver, thread_id="t", resume={"y": 2})
    assert [item.node_id for item in asked if item] == ["h1", "h2"]
    assert done.success
    assert done.context.data == {"a": 1, "b": 1, "x": 1, "y": 2}
    once(run, "a", "b")


def test_L20_whole_copies_of_the_data_lose_no_update(run: Run) -> None:
    group = ParallelNode(name="g", branches=("p", "q"), next=("r",))
    copies = {name: lambda view: {**view.data, view.node: "new"} for name in "pqr"}
    result = run(walk(group, task("p"), task("q"), task("r")), copies, inputs={"p": "old", "q": "old"})
    assert result.context.data == {"p": "new", "q": "new", "r": "new"}


def test_L21_a_self_dependency_is_refused() -> None:
    with pytest.raises(WorkflowError, match=r"(?s)step 'a' depends on itself.*give it loop_until"):
        deps("a<a")


def test_W1_the_join_of_a_diamond_runs_once(run: Run) -> None:
    assert run(walk(task("a", "b", "c"), task("b", "d"), task("c", "d"), task("d"))).success
    assert run.order == ["a", "b", "c", "d"]


def test_W2_layered_diamonds_cost_what_they_have_nodes(run: Run) -> None:
    nodes = [task("n0l", "n1l", "n1r")]
    nodes += [task(f"n{i}{side}", f"n{i + 1}l", f"n{i + 1}r") for i in range(1, 15) for side in "lr"]
    nodes += [task("n15l"), task("n15r")]
    assert run(walk(*nodes)).success
    assert set(run.counts.values()) == {1}
    assert len(run.seen) == 31


def test_W3_breadth_first_runs_an_uneven_join_at_its_first_arrival(run: Run) -> None:
    assert run(
        walk(task("a", "b", "c"), task("b", "d"), task("c", "x"), task("x", "d"), task("d", "e"), task("e"))
    ).success
    assert run.order == ["a", "b", "c", "d", "x", "e"]
    assert run.saw("d") == ["a", "b", "c"]


def test_W4_a_failed_group_keeps_its_children_and_changes_nothing(run: Run) -> None:
    group = ParallelNode(name="g", branches=("p", "q", "r"))
    result = run(walk(group, task("p"), task("q"), task("r")), {"q": fails}, inputs={"x": 0})
    children = result.context.node_results["g"].children
    assert [(child.node_id, child.status.value, child.output) for child in children] == [
        ("p", "completed", {"p": 1}),
        ("q", "failed", None),
        ("r", "completed", {"r": 1}),
    ]
    assert result.context.data == {"x": 0}


@pytest.mark.parametrize("join", ["all", "any"])
def test_W5_a_cancelled_child_is_not_a_completed_run(run: Run, join: Any) -> None:
    async def cancelled(view: Any) -> None:
        raise asyncio.CancelledError

    async def awaited(view: Any) -> Any:
        run.seen.append((view.node, []))
        return await cancelled(view)

    group = ParallelNode(name="g", branches=("p",) if join == "any" else ("p", "q"), join=join)
    branches = [task(name) for name in group.branches]
    compiled = compile_workflow(
        walk(group, *branches),
        {"p": awaited, "q": lambda view: None},
        frontier_above=0 if run.form == "frontier" else 99,
    )
    result = compiled.run({}) if run.entry == "sync" else asyncio.run(compiled.arun({}))
    assert not result.success
    assert result.error == "CancelledError"
    assert result.context.node_results["g"].children[0].status == "cancelled"


def test_W5_a_step_that_raises_cancelled_is_not_a_completed_run(run: Run) -> None:
    async def cancelled(view: Any) -> None:
        raise asyncio.CancelledError

    flow = deps("a; b<a")
    above = 0 if run.form == "frontier" else 99
    compiled = compile_workflow(flow, {"a": cancelled, "b": lambda view: None}, frontier_above=above)
    result = compiled.run({}) if run.entry == "sync" else asyncio.run(compiled.arun({}))
    assert not result.success
    assert {name: node.status.value for name, node in result.context.node_results.items()} == {"a": "cancelled"}


def test_W6_a_join_applies_changes_not_contexts(run: Run) -> None:
    group = ParallelNode(name="g", branches=("p", "q"))
    copies = {"p": lambda view: {**view.data, "x": 1}, "q": lambda view: dict(view.data)}
    assert run(walk(group, task("p"), task("q")), copies, inputs={"x": 0}).context.data == {"x": 1}


def test_W7_unknown_names_are_refused_not_skipped() -> None:
    with pytest.raises(WorkflowError, match="next names 'b', which is not a step"):
        walk(task("a", "b"))
    with pytest.raises(WorkflowError, match="needs the handler 'a', which was not given"):
        compile_workflow(walk(task("a")), {})


def test_W8_the_dependent_of_a_skipped_step_runs_once(run: Run) -> None:
    assert run(deps("a; s<a; t<a; b<s,t; c<b", s={"when": "False"}, t={"when": "False"})).success
    once(run, *"abc")
    assert run.saw("b") == ["a"]


def test_W9_a_run_has_one_limit_however_its_time_is_spent(run: Run) -> None:
    release = threading.Event()
    compiled = run.compile(deps("a; b<a"), {"b": lambda view: release.wait()})
    try:
        result = compiled.run({}, timeout=0.05) if run.entry == "sync" else asyncio.run(compiled.arun({}, timeout=0.05))
    finally:
        release.set()
    assert result.error == "TimeoutError: the run took longer than 0.05 s"


def test_W10_a_stateful_condition_is_evaluated_once_for_label_and_route(run: Run) -> None:
    calls: list[int] = []

    def flips(view: Any) -> str:
        calls.append(1)
        return "odd" if len(calls) % 2 else "even"

    pick = ConditionNode(name="q", condition="flips", branches={"odd": "o", "even": "e"})
    result = run(
        walk(pick, task("o"), task("e")), conditions={"flips": flips}, checkpointer=InMemorySaver(), thread_id="t"
    )
    assert len(calls) == 1
    assert run.order == ["o"]
    assert result.context.node_results["q"].output == "odd"


def test_W11_a_cycle_is_cut_where_the_walker_cuts_it(run: Run) -> None:
    back = ConditionNode(name="q", condition="True", branches={"true": "a", "false": "b"})
    result = run(walk(task("a", "q"), back, task("b")))
    assert result.success
    assert run.order == ["a"]
    assert list(result.context.node_results) == ["a", "q"]


def test_W11_a_cycle_with_fan_out_is_refused() -> None:
    flow = walk(task("a", "b", "c"), task("b", "a"), task("c"))
    with pytest.raises(WorkflowError, match=r"(?s)'a' leads to several nodes and there is a cycle \(a -> b -> a\)"):
        compile_workflow(flow, dict.fromkeys("abc", fails))


@pytest.mark.parametrize(
    ("join", "failing", "ends"),
    [("all", "p", "failed"), ("any", "p", "goes on"), ("any", "pq", "failed"), ("merge", "pq", "goes on")],
)
def test_W12_a_failed_child_under_each_join(run: Run, join: Any, failing: str, ends: str) -> None:
    group = ParallelNode(name="g", branches=("p", "q"), join=join, next=("after",))
    result = run(walk(group, task("p"), task("q"), task("after")), dict.fromkeys(failing, fails))
    assert ("after" in run.counts) is (ends == "goes on")
    assert result.success is (ends == "goes on")
    statuses = [child.status.value for child in result.context.node_results["g"].children]
    assert statuses == ["failed" if name in failing else "completed" for name in "pq"]


def test_R_feature(run: Run) -> None:
    flow = deps(
        "design; api<design; frontend<design; migrations<design; integration<api,frontend; "
        "review<api,frontend,migrations,integration; rework<review; assemble<review",
        rework={"when": "results.review.changes"},
    )
    assert run(flow, {"review": lambda view: {"changes": True}}).success
    assert set(run.counts.values()) == {1}
    assert run.saw("review") == ["api", "design", "frontend", "integration", "migrations"]
    assert run.saw("assemble") == ["api", "design", "frontend", "integration", "migrations", "review"]


def test_R_branching(run: Run) -> None:
    flow = deps(
        "parse; quick<parse; deep<parse; security<parse; readiness<deep,security; report<quick,deep,security,readiness",
        quick={"when": "results.parse.size < 10"},
        deep={"when": "results.parse.size >= 10"},
        security={"when": "True"},
        readiness={"when": "status.deep == 'completed'"},
    )
    assert run(flow, {"parse": lambda view: {"size": 50}}).success
    once(run, "parse", "deep", "security", "readiness", "report")
    assert run.saw("report") == ["deep", "parse", "readiness", "security"]


def test_R_bugfix(run: Run) -> None:
    flow = deps(
        "triage; cause<triage; fix<cause; regression<fix; verify<fix,regression",
        regression={"when": "True"},
        verify={"when": "results.regression.risks is not None"},
    )
    assert run(flow, {"regression": lambda view: {"risks": 0}}).success
    assert run.order == ["triage", "cause", "fix", "regression", "verify"]


@pytest.mark.parametrize(("approved_at", "rework", "escalated"), [(1, 1, False), (2, 2, False), (9, 2, True)])
def test_R_iterate(run: Run, approved_at: int, rework: int, escalated: bool) -> None:
    flow = deps(
        "design; implement<design; rework<implement; escalate<rework; package<rework,escalate",
        rework={"loop_until": "results.rework.approved", "loop_max": "inputs.rounds"},
        escalate={"when": "not results.rework.approved"},
    )
    handlers = {"rework": lambda view: {"approved": view.iteration + 1 >= approved_at}}
    assert run(flow, handlers, inputs={"rounds": 2}).success
    expected = Counter({"design": 1, "implement": 1, "rework": rework, "package": 1})
    assert run.counts == expected + Counter({"escalate": int(escalated)})


def test_a_handler_may_use_langgraphs_own_functions_in_both_forms(run: Run) -> None:
    from langgraph.config import get_config
    from langgraph.types import interrupt

    def asks(view: Any) -> Any:
        assert get_config()["configurable"]["thread_id"] == "t"
        return {"said": interrupt("well?")}

    flow, saver = deps("a; b<a"), InMemorySaver()
    paused = run(flow, {"a": asks}, checkpointer=saver, thread_id="t")
    assert paused.interrupt is not None
    assert (paused.interrupt.node_id, paused.interrupt.payload) == ("a", "well?")
    assert run(flow, {"a": asks}, checkpointer=saver, thread_id="t").interrupt == paused.interrupt
    done = run(flow, {"a": asks}, checkpointer=saver, thread_id="t", resume="fine")
    assert done.context.node_results["a"].output == {"said": "fine"}

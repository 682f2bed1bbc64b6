"""A graph whose nodes nobody can wrap, seen by its own stream; and engines that say themselves where calls are seen."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph

from graphlift.parity import Case, Observation, Tap, observe, run_gate
from graphlift.parity.engines import TappedEngine
from graphlift.parity.rules import builtin_rules
from graphlift.parity.shadow import Budget, Mirror, Sighting
from graphlift.parity.streaming import arun_tapped, run_tapped


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    total: int


def graph(**bodies: Any) -> Any:
    built: Any = StateGraph(State)
    for name in ("price", "tax", "ship"):
        built.add_node(name, bodies.get(name, lambda state, name=name: {"log": [name]}))
    built.add_edge(START, "price")
    for name in ("tax", "ship"):
        built.add_edge("price", name)
    return built.compile()


def seen(function: Any, case: Case | None = None) -> Observation:
    return observe(TappedEngine("graph", "candidate", function), case or Case("c", "w"))


def success(state: Any) -> dict[str, Any]:
    return {"success": True, "data": state}


def test_tasks_are_activations_with_what_they_saw_and_returned() -> None:
    run = seen(lambda case, tap: success(run_tapped(tap, graph(), {"log": []})))
    assert [(item.key, item.saw.content, item.returned and item.returned.content) for item in run.activations] == [
        ("price#1", {"data": {"log": []}}, {"log": ["price"]}),
        ("ship#1", {"data": {"log": ["price"]}}, {"log": ["ship"]}),
        ("tax#1", {"data": {"log": ["price"]}}, {"log": ["tax"]}),
    ]
    price, ship, tax = run.activations
    assert price.before(tax)
    assert not ship.before(tax)
    assert run.traced
    assert run.outcome is not None
    assert run.outcome.data is not None
    assert run.outcome.data["log"].content == ["price", "ship", "tax"]


def test_a_task_that_raises_ends_so_and_the_graph_raises() -> None:
    def fail(state: Any) -> Any:
        raise ValueError("no rate")

    run = seen(lambda case, tap: success(run_tapped(tap, graph(tax=fail), {"log": []})))
    assert run.by_node["tax"][0].raised == "ValueError: no rate"
    assert run.broken is not None
    assert run.broken.kind == "raised"


def test_on_an_event_loop() -> None:
    async def function(case: Case, tap: Tap) -> Any:
        return success(await arun_tapped(tap, graph(), {"log": []}))

    assert sorted(seen(function).by_node) == ["price", "ship", "tax"]


def test_nodes_of_subgraphs_have_their_parents_name() -> None:
    outer: Any = StateGraph(State)
    outer.add_node("order", graph())
    outer.add_edge(START, "order")
    compiled = outer.compile()
    run = seen(lambda case, tap: success(run_tapped(tap, compiled, {"log": []}, subgraphs=True)))
    assert sorted(run.by_node) == ["order", "order/price", "order/ship", "order/tax"]


def test_a_shadow_that_does_not_sample_a_run_records_nothing_of_its_stream() -> None:
    candidate = TappedEngine("graph", "candidate", lambda case, tap: success(run_tapped(tap, graph(), {"log": []})))
    shadow = Mirror(candidate, sinks=[], budget=Budget(sample=0.0))
    state = shadow.serve_sync(Case("c", "w"), lambda tap: run_tapped(tap, graph(), {"log": []}))
    assert (state, shadow.counts.shadowed) == ({"log": ["price", "ship", "tax"]}, 0)


def test_a_shadow_sees_a_graph_by_its_stream() -> None:
    seen: list[Sighting] = []
    shadow = Mirror(TappedEngine("graph", "candidate", lambda case, tap: success({})), sinks=[seen.append])
    shadow.serve_sync(Case("c", "w"), lambda tap: success(run_tapped(tap, graph(), {"log": []})))
    shadow.drain()
    ((found,),) = [one.divergences for one in seen]
    assert (found.rule, found.subject) == ("GL151", "log")
    assert found.cause in [f"written by {node} under the legacy engine only" for node in ("tax", "ship")]


def test_what_runs_already_cannot_be_stubbed() -> None:
    case = Case("c", "w", stubs={"price": 3})
    run = seen(lambda case, tap: success(run_tapped(tap, graph(), {"log": []})), case)
    assert run.broken is not None
    assert "its stub or recording cannot answer for it" in run.broken.error


class Walker:
    """Runs each node in a method of its own."""

    def run(self) -> dict[str, Any]:
        state: dict[str, Any] = {"log": []}
        for name in ("price", "tax", "ship"):
            state = {"log": state["log"] + self.execute_node(name, state)["log"]}
        return success(state)

    def execute_node(self, name: str, state: dict[str, Any]) -> dict[str, Any]:
        return {"log": [name]}


def test_a_walker_with_methods_against_a_graph_with_a_stream(tmp_path: Path) -> None:
    def walk(case: Case, tap: Tap) -> Any:
        return tap.methods(Walker(), ["execute_node"], sees=lambda args, more: {"data": args[1]}).run()

    engines = [
        TappedEngine("walker", "legacy", walk),
        TappedEngine("graph", "candidate", lambda case, tap: success(run_tapped(tap, graph(), {"log": []}))),
    ]
    case = Case("c", "w", {"of": "ours"}, edges={"tax": ["price"], "ship": ["price"]})
    report = run_gate(engines, [case], builtin_rules(), root=tmp_path)
    first, last = (item.divergence for item in report.findings)
    assert (first.rule, first.node, first.cause) == ("GL111", "ship", "under the candidate, ship began before tax did")
    assert (last.rule, last.subject) == ("GL151", "log")

"""GL171: the run ended normally, and a waiting edge still holds arrivals."""

from __future__ import annotations

import operator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from graphlift.adapters.scheduler import stalled_edges
from graphlift.parity import Case, Outcome, Report, Tap, run_gate
from graphlift.parity.rules import builtin_rules


class State(TypedDict):
    log: Annotated[list[str], operator.add]


class Routed:
    """a picks b or c, [b, c] → d on LangGraph, as a team would wire it; `inside` puts that into a subgraph."""

    sources: tuple[str, ...] = ()

    def __init__(self, side: Any, *, inside: bool = False, succeeds: bool = True) -> None:
        self.side, self.name, self.inside, self.succeeds = side, side, inside, succeeds

    def run(self, case: Case, tap: Tap) -> Outcome:
        made = StateGraph(State)
        for name in "abcd":
            made.add_node(name, tap.handlers[name])
        made.add_edge(START, "a")
        made.add_conditional_edges("a", lambda state: case.inputs["picks"], ["b", "c"])
        made.add_edge(["b", "c"], "d")
        if self.inside:
            outer = StateGraph(State)
            outer.add_node("group", made.compile())
            outer.add_edge(START, "group")
            made = outer
        app = made.compile(checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "t"}}
        app.invoke({"log": []}, config)
        return Outcome(self.succeeds, {}, waiting=stalled_edges(app, config))


def node(name: str) -> Any:
    return lambda state: {"log": [name]}


CASE = Case("routed", definition={"of": "ours"}, inputs={"picks": "b"}, handlers={name: node(name) for name in "abcd"})


def judged(legacy: Any, candidate: Any, case: Case = CASE) -> Report:
    return run_gate([legacy, candidate], [case], builtin_rules(), root=Path.cwd())


def found(legacy: Any, candidate: Any, case: Case = CASE) -> list[tuple[str, str | None]]:
    divergences = [item.divergence for item in judged(legacy, candidate, case).findings]
    return [(item.rule, item.node) for item in divergences if item.family == "liveness"]


def test_a_join_that_no_run_of_either_engine_releases() -> None:
    report = judged(Routed("legacy"), Routed("candidate"))
    (item,) = [item.divergence for item in report.findings if item.divergence.rule == "GL171"]
    assert (item.node, item.legacy, item.candidate) == ("d", "holds arrivals", "holds arrivals")
    assert item.cause == "the run ended normally, and the waiting edge into d still holds b: c never came"


def test_it_is_seen_inside_a_subgraph() -> None:
    assert found(Routed("legacy", inside=True), Routed("candidate", inside=True)) == [("GL171", "d")]


def test_where_the_case_knows_the_graph_it_is_named_once() -> None:
    edges = {"a": (), "b": ("a?",), "c": ("a?",), "d": ("b", "c")}
    assert found(Routed("legacy"), Routed("candidate"), replace(CASE, edges=edges)) == [("GL170", "d")]


def test_one_side_is_enough_and_a_side_that_says_nothing_is_not_blamed() -> None:
    class Silent(Routed):
        def run(self, case: Case, tap: Tap) -> Outcome:
            return replace(super().run(case, tap), waiting=None)

    report = judged(Silent("legacy"), Routed("candidate"))
    (item,) = [item.divergence for item in report.findings if item.divergence.rule == "GL171"]
    assert (item.legacy, item.candidate) == ("holds nothing", "holds arrivals")


@pytest.mark.parametrize("picks", [["b", "c"]])
def test_a_join_that_released_and_a_run_that_failed_are_not_told(picks: Any) -> None:
    whole = replace(CASE, inputs={"picks": picks})
    assert found(Routed("legacy"), Routed("candidate"), whole) == []
    assert found(Routed("legacy", succeeds=False), Routed("candidate", succeeds=False)) == []

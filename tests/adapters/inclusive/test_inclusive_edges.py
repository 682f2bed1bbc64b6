"""Each boundary of an inclusive edge, one test a boundary."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import RunControl
from langgraph.types import Command, Send, interrupt

from graphlift.adapters.errors import WorkflowError
from graphlift.adapters.inclusive import CompiledInclusiveGraph, InclusiveStateGraph, Release, waiting_release
from graphlift.adapters.scheduler import explain, waiting_edges

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    told: Annotated[list[Release | None], operator.add]
    pick: list[str]


def note(name: str) -> Callable[[State], Any]:
    return lambda state: {"log": [name]}


def join(state: State) -> Any:
    return {"log": ["join"], "told": [waiting_release()]}


def graph(*names: str, kind: Any = InclusiveStateGraph) -> Any:
    """`pick` goes to the nodes that the input names; `join` is there to be a target."""
    made = kind(State)
    made.add_node("pick", note("pick"))
    made.add_node("join", join)
    for name in names:
        made.add_node(name, note(name))
    made.add_edge(START, "pick")
    made.add_conditional_edges("pick", lambda state: state["pick"], [*names, "join", END])
    return made


def run(made: Any, *pick: str, **options: Any) -> Any:
    return made.compile(**options).invoke({"log": [], "told": [], "pick": list(pick)}, CONFIG)


def test_runs_once_with_whichever_arrived() -> None:
    made = graph("a", "b", "c").add_edge(["a", "b", "c"], "join", inclusive=True)
    out = run(made, "a", "c")
    assert out["log"] == ["pick", "a", "c", "join"]
    assert out["told"] == [Release("join", ("a", "c"), ("b",))]


def test_a_complete_edge_is_an_ordinary_one() -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    assert run(made, "a", "b")["told"] == [None]


def test_an_edge_that_nobody_wrote_to_stays_silent() -> None:
    made = graph("a", "b", "c").add_edge(["a", "b"], "join", inclusive=True)
    assert run(made, "c")["log"] == ["pick", "c"]


def test_without_the_option_the_contract_is_langgraphs() -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join")
    saver = InMemorySaver()
    assert run(made, "a", checkpointer=saver)["log"] == ["pick", "a"]
    assert [edge.missing for edge in waiting_edges(saver, CONFIG)] == [("b",)]


@pytest.mark.parametrize(
    ("pick", "order"),
    [
        (["a"], ["pick", "a", "join"]),
        (["c1"], ["pick", "c1", "c2", "c3", "join"]),
        (["a", "c1"], ["pick", "a", "c1", "c2", "c3", "join"]),
    ],
)
def test_uneven_depths_settle_before_the_release(pick: list[str], order: list[str]) -> None:
    made = graph("a", "b", "c1", "c2", "c3").add_edge("c1", "c2").add_edge("c2", "c3")
    made.add_edge(["a", "b", "c3"], "join", inclusive=True)
    assert run(made, *pick)["log"] == order


def test_a_send_in_flight_holds_the_release() -> None:
    made = graph("a", "b", "dispatch")
    made.add_conditional_edges("dispatch", lambda state: [Send("b", {})], ["b"])
    made.add_edge(["a", "b"], "join", inclusive=True)
    out = run(made, "a", "dispatch")
    assert out["log"] == ["pick", "a", "dispatch", "b", "join"]
    assert out["told"] == [None]


def test_a_send_straight_at_the_target_runs_it_separately() -> None:
    made = graph("a", "b")
    made.add_conditional_edges("a", lambda state: [Send("join", {})], ["join"])
    made.add_edge(["a", "b"], "join", inclusive=True)
    out = run(made, "a")
    assert out["told"] == [None, Release("join", ("a",), ("b",))]


def test_releases_cascade_from_upstream() -> None:
    made = graph("a", "b", "c")
    made.add_node("last", lambda state: {"log": ["last"], "told": [waiting_release()]})
    made.add_edge(["a", "b"], "join", inclusive=True)
    made.add_edge(["join", "c"], "last", inclusive=True)
    out = run(made, "a")
    assert out["log"] == ["pick", "a", "join", "last"]
    assert out["told"] == [Release("join", ("a",), ("b",)), Release("last", ("join",), ("c",))]


def test_a_downstream_edge_waits_for_an_upstream_release_that_may_complete_it() -> None:
    made = graph("a", "b", "c")
    made.add_node("last", lambda state: {"log": ["last"], "told": [waiting_release()]})
    made.add_edge(["a", "b"], "join", inclusive=True)
    made.add_edge(["join", "c"], "last", inclusive=True)
    out = run(made, "a", "c")
    assert out["log"] == ["pick", "a", "c", "join", "last"]
    assert out["told"] == [Release("join", ("a",), ("b",)), None]


def test_the_edge_arms_again_in_a_loop() -> None:
    made = graph("a", "b")
    made.add_edge(["a", "b"], "join", inclusive=True)
    made.add_conditional_edges("join", lambda s: "a" if s["log"].count("join") < 3 else END, ["a", END])
    out = run(made, "a")
    assert out["log"] == ["pick", "a", "join", "a", "join", "a", "join"]
    assert out["told"] == [Release("join", ("a",), ("b",))] * 3


def test_two_edges_into_one_target_release_as_one_and_tell_the_union() -> None:
    made = graph("a", "b", "c", "d")
    made.add_edge(["a", "b"], "join", inclusive=True)
    made.add_edge(["b", "c", "d"], "join", inclusive=True)
    out = run(made, "a", "c")
    assert out["told"] == [Release("join", ("a", "c"), ("b", "d"))]


def test_mutual_edges_end_at_the_recursion_limit() -> None:
    made = graph("a", "x")
    made.add_edge(["a", "x"], "join", inclusive=True)
    made.add_edge(["a", "join"], "x", inclusive=True)
    with pytest.raises(GraphRecursionError):
        made.compile().invoke({"log": [], "told": [], "pick": ["a"]}, {**CONFIG, "recursion_limit": 12})


@pytest.mark.parametrize("kind", ["interrupt_before", "interrupt_after"])
def test_an_interrupt_at_the_release_keeps_next_honest(kind: str) -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver(), **{kind: ["join" if kind == "interrupt_before" else "a"]})
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    assert app.get_state(CONFIG).next == ("join",)
    # Its target is scheduled, so this is no stall.
    assert waiting_edges(app, CONFIG) == ()
    out = app.invoke(None, CONFIG)
    assert out["told"] == [Release("join", ("a",), ("b",))]
    assert app.get_state(CONFIG).next == ()


def test_the_checkpoint_says_only_what_happened() -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    saver = InMemorySaver()
    app = made.compile(checkpointer=saver, interrupt_before=["join"])
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    found = explain(saver, "t")
    (trigger,) = [t for state in found.due for t in state.triggers]
    assert trigger.join is not None
    assert (trigger.join.arrived, trigger.join.missing, trigger.join.released) == ({"a"}, {"b"}, True)


def test_a_question_inside_the_target_keeps_the_record() -> None:
    made = graph("a", "b")
    made.add_node("ask", lambda state: {"log": [interrupt("go?")], "told": [waiting_release()]})
    made.add_edge(["a", "b"], "ask", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver())
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    out = app.invoke(Command(resume="yes"), CONFIG)
    assert out["told"] == [Release("ask", ("a",), ("b",))]


def test_a_failed_target_keeps_the_record_for_the_resume() -> None:
    fails = [True]

    def flaky(state: State) -> Any:
        if fails.pop() if fails else False:
            raise RuntimeError("once")
        return {"told": [waiting_release()]}

    made = graph("a", "b")
    made.add_node("flaky", flaky)
    made.add_edge(["a", "b"], "flaky", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver())
    with pytest.raises(RuntimeError, match="once"):
        app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    assert app.invoke(None, CONFIG)["told"] == [Release("flaky", ("a",), ("b",))]


def test_a_fork_from_before_the_release_releases_once() -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver())
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    before = next(state for state in app.get_state_history(CONFIG) if state.next == ("join",))
    out = app.invoke(None, before.config)
    assert out["log"] == ["pick", "a", "join"]
    assert app.get_state(CONFIG).next == ()


def test_update_state_as_the_missing_node_completes_the_edge() -> None:
    made = graph("a", "b", "slow").add_edge("a", "slow")
    made.add_edge(["a", "b"], "join", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver(), interrupt_before=["slow"])
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    app.update_state(CONFIG, {"log": ["by hand"]}, as_node="b")
    out = app.invoke(None, CONFIG)
    assert out["log"].count("join") == 1
    assert out["told"] == [None]


def test_an_unrelated_update_keeps_the_target_next() -> None:
    made = graph("a", "b", "other")
    made.add_edge(["a", "b"], "join", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver(), interrupt_before=["join"])
    app.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    app.update_state(CONFIG, {"log": ["edited"]}, as_node="other")
    assert app.get_state(CONFIG).next == ("join",)
    out = app.invoke(None, CONFIG)
    assert out["log"] == ["pick", "a", "edited", "join"]
    assert out["told"] == [Release("join", ("a",), ("b",))]


def test_a_drain_at_the_release_leaves_work_and_says_so() -> None:
    control = RunControl()

    def last(state: State) -> Any:
        control.request_drain("deploy")
        return {"log": ["a"]}

    made = graph("b")
    made.add_node("a", last)
    made.add_edge("pick", "a")
    made.add_edge(["a", "b"], "join", inclusive=True)
    app = made.compile(checkpointer=InMemorySaver())
    with pytest.raises(GraphDrained, match="deploy"):
        app.invoke({"log": [], "told": [], "pick": [END]}, CONFIG, control=control)
    assert app.get_state(CONFIG).next == ("join",)
    assert app.invoke(None, CONFIG)["told"] == [Release("join", ("a",), ("b",))]


def test_inside_a_subgraph() -> None:
    inner = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    outer = StateGraph(State)
    outer.add_node("sub", inner.compile())
    outer.add_node("after", note("after"))
    outer.add_edge(START, "sub")
    outer.add_edge("sub", "after")
    saver = InMemorySaver()
    out = outer.compile(checkpointer=saver).invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    assert out["log"] == ["pick", "a", "join", "after"]
    assert out["told"] == [Release("join", ("a",), ("b",))]
    assert waiting_edges(saver, CONFIG) == ()


def test_a_subgraph_that_still_runs_holds_the_outer_edge() -> None:
    inner = StateGraph(State)
    for name in ("one", "two", "three"):
        inner.add_node(name, note(name))
    inner.add_edge(START, "one").add_edge("one", "two").add_edge("two", "three")
    made = graph("a", "b")
    made.add_node("sub", inner.compile())
    made.add_edge("pick", "sub")
    made.add_edge(["a", "b", "sub"], "join", inclusive=True)
    out = run(made, "a")
    assert out["log"][-1] == "join"
    assert out["told"] == [Release("join", ("a", "sub"), ("b",))]


def test_the_option_taken_off_a_live_thread_makes_it_a_plain_edge() -> None:
    saver = InMemorySaver()
    on = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True)
    on.compile(checkpointer=saver, interrupt_before=["join"]).invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    off = graph("a", "b").add_edge(["a", "b"], "join").compile(checkpointer=saver)
    assert off.get_state(CONFIG).next == ()
    assert [(edge.arrived, edge.missing) for edge in waiting_edges(off, CONFIG)] == [(("a",), ("b",))]
    off.update_state(CONFIG, {"log": ["b"]}, as_node="b")
    assert off.invoke(None, CONFIG)["told"] == [None]


def test_the_option_put_on_a_live_thread_releases_what_it_holds() -> None:
    saver = InMemorySaver()
    off = graph("a", "b", "z", kind=StateGraph).add_edge(["a", "b"], "join").compile(checkpointer=saver)
    off.invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    on = graph("a", "b", "z").add_edge(["a", "b"], "join", inclusive=True).compile(checkpointer=saver)
    on.update_state(CONFIG, {"log": ["z"]}, as_node="z")
    assert on.invoke(None, CONFIG)["told"] == [Release("join", ("a",), ("b",))]


def test_a_thread_of_an_inclusive_graph_with_nothing_released_loads_in_stock_langgraph() -> None:
    saver = InMemorySaver()
    on = graph("a", "b", "c").add_edge(["a", "b"], "join", inclusive=True).add_edge("a", "c")
    on.compile(checkpointer=saver, interrupt_before=["c"]).invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    stock = (
        graph("a", "b", "c", kind=StateGraph)
        .add_edge(["a", "b"], "join")
        .add_edge("a", "c")
        .compile(checkpointer=saver)
    )
    assert stock.get_state(CONFIG).next == ("c",)
    assert stock.invoke(None, CONFIG)["log"] == ["pick", "a", "c"]


def deferring(kind: Any, defer: bool) -> Any:
    made = kind(State)
    for name in ("a", "b", "z"):
        made.add_node(name, note(name))
    made.add_node("join", join, defer=defer)
    made.add_edge(START, "a")
    made.add_edge(["a", "b"], "join")
    return made


@pytest.mark.parametrize(("before", "after"), [(True, False), (False, True)])
def test_defer_toggled_on_a_live_thread(before: bool, after: bool) -> None:
    saver = InMemorySaver()
    deferring(InclusiveStateGraph, before).compile(checkpointer=saver).invoke({"log": [], "told": []}, CONFIG)
    other = deferring(InclusiveStateGraph, after).compile(checkpointer=saver)
    assert [edge.arrived for edge in waiting_edges(other, CONFIG)] == [("a",)]
    other.update_state(CONFIG, {"log": ["b"]}, as_node="b")
    assert other.invoke(None, CONFIG)["log"][-1] == "join"


def test_a_node_taken_off_the_edge_cannot_wedge_it() -> None:
    saver = InMemorySaver()
    old = graph("a", "b", "c").add_edge(["a", "b", "c"], "join", inclusive=True)
    old.add_edge("a", "c")
    old.compile(checkpointer=saver, interrupt_before=["c"]).invoke({"log": [], "told": [], "pick": ["a"]}, CONFIG)
    made = graph("a", "b", "c")
    made.add_edge(["b", "c"], "join", inclusive=True).add_edge("a", "c")
    assert made.compile(checkpointer=saver).invoke(None, CONFIG)["told"] == [Release("join", ("c",), ("b",))]


def test_defer_and_inclusive_are_refused_at_compile_time() -> None:
    made = InclusiveStateGraph(State)
    for name in ("a", "b"):
        made.add_node(name, note(name))
    made.add_node("join", join, defer=True)
    made.add_edge(START, "a").add_edge(["a", "b"], "join", inclusive=True)
    with pytest.raises(WorkflowError, match="the edge into 'join' is inclusive and the node has defer=True"):
        made.compile()


def test_deferred_nodes_elsewhere_run_before_the_release() -> None:
    made = graph("a", "b")
    made.add_node("late", note("late"), defer=True)
    made.add_edge("a", "late")
    made.add_edge(["a", "b"], "join", inclusive=True)
    assert run(made, "a")["log"] == ["pick", "a", "late", "join"]


def test_a_single_start_node_cannot_be_inclusive() -> None:
    with pytest.raises(WorkflowError, match="from one node"):
        graph("a").add_edge("a", "join", inclusive=True)


def test_the_last_call_of_add_edge_decides() -> None:
    made = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True).add_edge(["a", "b"], "join")
    assert run(made, "a")["log"] == ["pick", "a"]


def test_async_and_copies_of_the_graph() -> None:
    app = graph("a", "b").add_edge(["a", "b"], "join", inclusive=True).compile()
    copy = app.with_config(tags=["x"])
    assert isinstance(copy, CompiledInclusiveGraph)
    out = asyncio.run(copy.ainvoke({"log": [], "told": [], "pick": ["a"]}, CONFIG))
    assert out["told"] == [Release("join", ("a",), ("b",))]


def test_an_edge_to_end_is_harmless() -> None:
    made = graph("a", "b").add_edge(["a", "b"], END, inclusive=True)
    assert run(made, "a")["log"] == ["pick", "a"]


def test_outside_a_target_there_is_no_record() -> None:
    seen = []
    made = graph("a")
    made.add_node("probe", lambda state: seen.append(waiting_release()))
    made.add_edge("a", "probe")
    run(made, "a")
    assert seen == [None]
    assert waiting_release({}) is None


@pytest.mark.parametrize("concurrent", [1, 8])
def test_threads_do_not_share_a_round(concurrent: int) -> None:
    app = graph("a", "b", "c").add_edge(["a", "b", "c"], "join", inclusive=True).compile()
    from concurrent.futures import ThreadPoolExecutor

    def one(place: int) -> Any:
        given = {"log": [], "told": [], "pick": [("a", "b", "c")[place % 3]]}
        return app.invoke(given, {"configurable": {"thread_id": str(place)}})["told"]

    with ThreadPoolExecutor(concurrent) as pool:
        results = list(pool.map(one, range(60)))
    assert results == [[Release("join", (n,), tuple(x for x in "abc" if x != n))] for n in ("abc" * 20)]

"""What explain says of each shape that surprises people: one test a shape, numbered as the shapes are (L1 to L21)."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from graphlift.adapters.scheduler import Explanation, explain, waiting_edges

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    key: str
    shared: dict[str, int]


Body = Callable[[State], Any]


def note(name: str) -> Body:
    return lambda state: {"log": [name]}


def graph(text: str, **bodies: Body) -> StateGraph[State]:
    """`a>b` is an edge, `a,b>c` separate edges, `a+b>c` one waiting edge; `>` alone starts and ends."""
    made = StateGraph(State)
    parts = [part.split(">") for part in text.split()]
    names = dict.fromkeys(n for part in parts for side in part for n in side.replace("+", ",").split(",") if n)
    for name in names:
        made.add_node(name, bodies.get(name, note(name)))
    for *sources, last in [[side or edge for side, edge in zip(part, (START, END), strict=True)] for part in parts]:
        for target in last.split(","):
            if "+" in sources[0]:
                made.add_edge(sources[0].split("+"), target)
            else:
                for source in sources[0].split(","):
                    made.add_edge(source, target)
    return made


def ran(made: StateGraph[State], error: type[BaseException] | None = None, **limits: Any) -> Explanation:
    saver = InMemorySaver()
    app = made.compile(checkpointer=saver)
    try:
        app.invoke({"log": []}, {**CONFIG, **limits})
    except BaseException as raised:
        if error is None or not isinstance(raised, error):
            raise
    offline, exact = explain(saver, "t"), explain(saver, "t", graph=app)
    # Both readings agree on everything that ran.
    assert [(r.step, r.node, r.kind, r.fired) for r in offline.rows] == [
        (r.step, r.node, r.kind, r.fired) for r in exact.rows
    ]
    assert offline.waiting == exact.waiting == waiting_edges(app, CONFIG)
    return exact


def times(explanation: Explanation, node: str) -> list[tuple[int, list[str]]]:
    """(superstep, writers of what triggered it) of each activation of a node."""
    return [
        (row.step, sorted(name for fired in row.fired for name in fired.writers))
        for row in explanation.rows
        if row.node == node and row.ran
    ]


def test_L1_uneven_fan_in_by_separate_edges_runs_twice() -> None:
    found = ran(graph(">a a>b,c b>d c>x x>d"))
    assert times(found, "d") == [(3, ["b"]), (4, ["x"])]
    assert [(repeat.node, len(repeat.activations)) for repeat in found.repeats] == [("d", 2)]


def test_L2_a_conditional_and_a_plain_edge_at_other_depths_run_it_twice() -> None:
    made = graph(">a a>c c>b")
    made.add_conditional_edges("a", lambda state: "b", ["b"])
    assert times(ran(made), "b") == [(2, ["a"]), (3, ["c"])]


def test_L2_at_equal_depths_once() -> None:
    made = graph(">a,c c>b")
    made.add_conditional_edges("a", lambda state: "b", ["b"])
    assert times(ran(made), "b") == [(2, ["a", "c"])]


def test_L3_a_barrier_over_exclusive_branches_never_fires() -> None:
    made = graph(">a b+c>d d>e")
    made.add_conditional_edges("a", lambda state: "b", ["b", "c"])
    found = ran(made)
    assert times(found, "d") == times(found, "e") == []
    assert [(w.target, w.arrived, w.missing, w.status) for w in found.waiting] == [("d", ("b",), ("c",), "stalled")]
    assert found.ending.kind == "quiescent"


def test_L4_a_plain_edge_runs_the_barriers_target_early() -> None:
    made = graph(">a a>b,c p+q>d c>d")
    made.add_conditional_edges("b", lambda state: "p", ["p", "q"])
    found = ran(made)
    assert times(found, "d") == [(3, ["c"])]
    assert [(w.target, w.arrived, w.missing) for w in found.waiting] == [("d", ("p",), ("q",))]


def test_L5_two_of_three_picked() -> None:
    made = graph(">a x+y+z>e")
    made.add_conditional_edges("a", lambda state: ["x", "z"], ["x", "y", "z"])
    assert [(w.arrived, w.missing) for w in ran(made).waiting] == [(("x", "z"), ("y",))]


def test_L6_a_descendant_runs_before_its_slower_ancestor() -> None:
    found = ran(graph(">a a>b b>c c>d d>e a>e"))
    assert times(found, "e")[0][0] < times(found, "d")[0][0]


def test_L7_L8_a_superstep_is_one_step_for_all() -> None:
    found = ran(graph(">a a>b1,c b1>b2"))
    assert [row.step for row in found.rows if row.node in ("b1", "c")] == [2, 2]


def test_L9_two_writers_of_a_plain_key_fail_the_superstep() -> None:
    made = graph(">a a>b,c", b=lambda state: {"key": "same"}, c=lambda state: {"key": "same"})
    found = ran(made, InvalidUpdateError)
    assert {state.node for state in found.due} == {"b", "c"}
    assert {task.status for task in found.ending.tasks} == {"finished"}


def test_L10_a_send_to_a_barriers_target_runs_it_now_and_again() -> None:
    made = graph(">a,b a+b>d")
    made.add_conditional_edges("a", lambda state: [Send("d", {})], ["d"])
    found = ran(made)
    assert [(row.step, row.kind) for row in found.rows if row.node == "d"] == [(2, "send"), (2, "edge")]


def test_L11_the_dependent_of_a_loop_body_runs_once_an_iteration() -> None:
    made = graph(">a a>out")
    made.add_conditional_edges("a", lambda state: "a" if state["log"].count("a") < 3 else END, ["a", END])
    assert len(times(ran(made), "out")) == 3


def test_L12_a_barrier_is_a_set() -> None:
    made = graph(">a,b a+b>c")
    made.add_conditional_edges("a", lambda state: "a" if state["log"].count("a") < 4 else END, ["a", END])
    found = ran(made)
    # Fired by the first arrival of each; what the loop wrote afterwards is held, and says so.
    assert times(found, "c") == [(2, ["a", "b"])]
    assert [(w.target, w.arrived, w.missing) for w in found.waiting] == [("c", ("a",), ("b",))]


def test_L13_a_route_to_an_unknown_node_leaves_a_run_that_ended_by_itself() -> None:
    found = ran(graph(">a", a=lambda state: Command(goto="nowhere")))
    assert found.ending.kind == "quiescent"
    assert [row.node for row in found.rows if row.ran] == ["__start__", "a"]


def test_L14_a_router_that_returns_nothing_ends_its_branch() -> None:
    made = graph(">a b>c")
    made.add_conditional_edges("a", lambda state: [], ["b"])
    found = ran(made)
    assert found.ending.kind == "quiescent"
    assert [t.reason for state in found.nodes if state.node == "b" for t in state.triggers] == ["never written"]


def boom(state: State) -> Any:
    raise RuntimeError("no stock")


class Telling(InMemorySaver):
    """Tells when the writes of b are recorded; LangGraph does not wait for a sibling that is still at it."""

    def __init__(self) -> None:
        super().__init__()
        self.recorded = threading.Event()

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        super().put_writes(config, writes, task_id, task_path)
        if task_path.endswith(", b"):
            self.recorded.set()


def test_L15_a_failed_task_beside_a_finished_one() -> None:
    saver = Telling()

    def late_boom(state: State) -> Any:
        assert saver.recorded.wait(10)
        return boom(state)

    app = graph(">a,b a>c b>c", a=late_boom).compile(checkpointer=saver)
    with pytest.raises(RuntimeError, match="no stock"):
        app.invoke({"log": []}, CONFIG)
    found = explain(saver, "t")
    assert found.ending.kind == "failed task"
    assert found.ending.sentence == "a failed: RuntimeError('no stock')"
    assert {(task.node, task.status) for task in found.ending.tasks} == {("a", "failed"), ("b", "finished")}


def test_L16_one_of_two_failures_is_enough_to_name() -> None:
    found = ran(graph(">a,b", a=boom, b=boom), RuntimeError)
    assert found.ending.kind == "failed task"
    assert "failed" in {task.status for task in found.ending.tasks}


def test_L17_a_change_in_place_is_no_write_and_no_trigger_tells_of_it() -> None:
    def change(state: State) -> dict[str, Any]:
        state["shared"]["x"] = 1
        return {"log": ["a"]}

    def read(state: State) -> dict[str, Any]:
        return {"log": [f"x={state['shared'].get('x')}"]}

    saver = InMemorySaver()
    app = graph(">a a>b", a=change, b=read).compile(checkpointer=saver)
    assert app.invoke({"log": [], "shared": {}}, CONFIG)["log"] == ["a", "x=1"]
    found = explain(saver, "t", graph=app)
    # The table is that of any healthy run: the leak is nothing that the scheduler knows.
    assert (times(found, "a"), times(found, "b")) == ([(1, ["__start__"])], [(2, ["a"])])
    assert (found.ending.kind, found.waiting, found.unknown) == ("quiescent", (), ())
    versions = [
        saved.checkpoint["channel_versions"]["shared"] for saved in saver.list(CONFIG) if saved.metadata["step"] > 0
    ]
    assert len(set(versions)) == 1


def test_L18_L20_writers_of_one_superstep_are_listed_in_it() -> None:
    found = ran(graph(">a a>z,b"))
    assert [row.node for row in found.rows if row.step == 2] == ["b", "z"]


def test_L19_parallel_interrupts() -> None:
    ask: Body = lambda state: {"log": [interrupt("which size?")]}  # noqa: E731
    found = ran(graph(">a,b", a=ask, b=ask))
    assert found.ending.kind == "interrupt in a node"
    assert found.ending.sentence == "a, b waits for an answer: which size?"
    assert [task.status for task in found.ending.tasks] == ["interrupted", "interrupted"]


def test_L21_a_step_that_only_depends_on_itself_is_never_due() -> None:
    made = graph(">a b>b")
    with pytest.raises(ValueError, match=r"."):
        StateGraph(State).add_node("a", note("a")).add_edge("a", "a").compile()
    found = ran(made)
    assert times(found, "b") == []
    assert [t.reason for state in found.nodes if state.node == "b" for t in state.triggers] == ["never written"]

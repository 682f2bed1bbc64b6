"""How runs end, resume, fork and nest: what explain says in each case, with the graph and from the saver alone."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels import EphemeralValue, LastValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import NodeBuilder, Pregel
from langgraph.types import Command, Send, interrupt

from graphlift.adapters.errors import UsageError
from graphlift.adapters.scheduler import Explanation, explain, stalled_edges, waiting_edges

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    log: Annotated[list[str], operator.add]


def chain(*names: str) -> StateGraph[State]:
    made = StateGraph(State)
    for name in names:
        made.add_node(name, lambda state, name=name: {"log": [name]})
    for a, b in zip((START, *names), names, strict=False):
        made.add_edge(a, b)
    return made


def nodes(found: Explanation) -> list[tuple[int, str]]:
    return [(row.step, row.node) for row in found.rows if row.ran and row.node != "__start__"]


def test_quiescent() -> None:
    saver = InMemorySaver()
    chain("a", "b").compile(checkpointer=saver).invoke({"log": []}, CONFIG)
    found = explain(saver, "t")
    assert (found.ending.kind, found.ending.certain, found.due) == ("quiescent", True, ())
    assert found.ending.supersteps == 4


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_recursion_limit_is_told_when_it_is_known(limit: int) -> None:
    saver = InMemorySaver()
    app = chain("a", "b", "c", "d").compile(checkpointer=saver)
    with pytest.raises(GraphRecursionError):
        app.invoke({"log": []}, {**CONFIG, "recursion_limit": limit})
    told = explain(saver, "t", recursion_limit=limit)
    assert (told.ending.kind, told.ending.certain) == ("recursion limit", True)
    assert explain(saver, "t", graph=app.with_config(recursion_limit=limit)).ending.kind == "recursion limit"
    unknown = explain(saver, "t").ending
    assert (unknown.kind, unknown.certain) == ("stopped with nodes due", False)
    assert explain(saver, "t", recursion_limit=limit + 1).ending.kind == "stopped with nodes due"


def test_the_recursion_limit_of_a_second_input_counts_from_there() -> None:
    saver = InMemorySaver()
    app = chain("a", "b", "c", "d").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    with pytest.raises(GraphRecursionError):
        app.invoke({"log": []}, {**CONFIG, "recursion_limit": 2})
    assert explain(saver, "t", recursion_limit=2).ending.kind == "recursion limit"


def test_interrupts_before_and_after_need_the_graph() -> None:
    for kind in ("before", "after"):
        saver = InMemorySaver()
        breaks: dict[str, Any] = {f"interrupt_{kind}": ["b"]}
        app = chain("a", "b", "c").compile(checkpointer=saver, **breaks)
        app.invoke({"log": []}, CONFIG)
        assert explain(saver, "t", graph=app).ending.kind == f"interrupt {kind}"
        assert explain(saver, "t").ending.kind == "stopped with nodes due"
        app.invoke(None, CONFIG)
        assert nodes(explain(saver, "t", graph=app)) == [(1, "a"), (2, "b"), (3, "c")]


def test_an_answered_interrupt_is_history() -> None:
    saver = InMemorySaver()
    made = StateGraph(State)
    made.add_node("ask", lambda state: {"log": [interrupt({"size": "?"})]})
    made.add_edge(START, "ask")
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    waiting = explain(saver, "t")
    assert waiting.ending.kind == "interrupt in a node"
    assert waiting.ending.sentence == "ask waits for an answer: {'size': '?'}"
    app.invoke(Command(resume="xl"), CONFIG)
    assert explain(saver, "t").ending.kind == "quiescent"


def test_a_pending_send() -> None:
    saver = InMemorySaver()
    made = chain("a", "b")
    made.add_node("worker", lambda state: {"log": ["w"]})
    made.add_conditional_edges("b", lambda state: [Send("worker", {}), Send("worker", {})], ["worker"])
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG, interrupt_after=["b"])
    found = explain(saver, "t")
    assert found.ending.kind == "pending Send"
    assert [(state.node, state.index) for state in found.due] == [("worker", 0), ("worker", 1)]
    app.invoke(None, CONFIG)
    found = explain(saver, "t")
    sends = [row for row in found.rows if row.kind == "send"]
    assert [(row.node, row.fired[0].writers) for row in sends] == [("worker", ("b",)), ("worker", ("b",))]
    assert found.repeats == ()


def test_a_new_input_drops_what_was_due() -> None:
    saver = InMemorySaver()
    app = chain("a", "b").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG, interrupt_before=["b"])
    app.invoke({"log": []}, CONFIG)
    found = explain(saver, "t")
    assert [(row.node, row.run) for row in found.rows if row.kind == "dropped"] == [("b", 2)]
    assert nodes(found) == [(1, "a"), (4, "a"), (5, "b")]


def test_the_same_node_in_two_runs_is_no_repeat() -> None:
    saver = InMemorySaver()
    app = chain("a").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    app.invoke({"log": []}, CONFIG)
    assert explain(saver, "t").repeats == ()


def test_update_state_and_its_consequence() -> None:
    saver = InMemorySaver()
    app = chain("a", "b", "c").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    app.update_state(CONFIG, {"log": ["by hand"]}, as_node="a")
    found = explain(saver, "t")
    assert [state.node for state in found.due] == ["b"]
    assert found.rows[-1].kind == "update"
    app.invoke(None, CONFIG)
    assert nodes(explain(saver, "t"))[-2:] == [(5, "b"), (6, "c")]


def test_a_fork_is_listed_by_its_parent_and_each_branch_has_its_own_history() -> None:
    saver = InMemorySaver()
    app = chain("a", "b").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    first = explain(saver, "t")
    after_a = next(s for s in app.get_state_history(CONFIG) if s.next == ("b",))
    app.invoke(None, after_a.config)
    found = explain(saver, "t")
    (fork,) = found.forks
    assert fork.parent == after_a.config["configurable"]["checkpoint_id"]
    assert len(fork.children) == 2
    assert [row.node for row in found.rows if row.ran] == ["__start__", "a", "b"]
    assert "fork" in {row.kind for row in found.rows}
    again = explain(saver, "t", checkpoint=first.checkpoint)
    assert again.rows == first.rows


def test_a_command_is_named_as_the_writer() -> None:
    saver = InMemorySaver()
    app = chain("a", "b", "c").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG, interrupt_before=["b"])
    app.invoke(Command(goto="c"), CONFIG)
    found = explain(saver, "t")
    rows = [(row.node, [f.writers for f in row.fired]) for row in found.rows if row.node in ("b", "c")]
    assert rows == [("b", [("a",)]), ("c", [("Command",)]), ("c", [("b",)])]


def test_exit_durability_keeps_one_checkpoint_and_says_what_is_lost() -> None:
    saver = InMemorySaver()
    chain("a", "b").compile(checkpointer=saver).invoke({"log": []}, CONFIG, durability="exit")
    found = explain(saver, "t")
    assert found.rows == ()
    assert "what ran before the oldest checkpoint kept here" in found.unknown


def test_an_error_handler_is_a_row_of_its_own() -> None:
    def boom(state: State) -> Any:
        raise RuntimeError("down")

    saver = InMemorySaver()
    made = StateGraph(State)
    made.add_node("call", boom, error_handler=lambda state: {"log": ["handled"]})
    made.add_edge(START, "call")
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    for graph in (None, app):
        rows = explain(saver, "t", graph=graph).rows
        assert [(row.kind, row.failed) for row in rows if row.ran][1:] == [("edge", True), ("handler", False)]
        assert rows[-1].fired[0].writers == ("call",)


def test_a_stall_in_a_subgraph_is_found_by_its_path_once() -> None:
    inner = chain("pick")
    for name in ("x", "y", "end"):
        inner.add_node(name, lambda state: {"log": []})
    inner.add_conditional_edges("pick", lambda state: "x", ["x", "y"])
    inner.add_edge(["x", "y"], "end")
    outer = chain("before")
    outer.add_node("sub", inner.compile())
    outer.add_edge("before", "sub")
    outer.add_conditional_edges("sub", lambda s: "before" if s["log"].count("before") < 3 else END, ["before", END])
    saver = InMemorySaver()
    app = outer.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    for source in (saver, app):
        (edge,) = waiting_edges(source, CONFIG)
        assert (edge.path, edge.target, edge.arrived, edge.missing) == ("sub", "end", ("x",), ("y",))
        assert edge.namespace.startswith("sub:")
        assert waiting_edges(source, CONFIG, subgraphs=False) == ()
    found = explain(saver, "t", namespace="sub", graph=app)
    assert [row.node for row in found.rows if row.ran] == ["__start__", "pick", "x"]
    assert sum(one.path == "sub" for one in explain(saver, "t").namespaces) == len(
        {one.name for one in explain(saver, "t").namespaces}
    )


def test_an_edge_whose_run_still_goes_on_is_pending_not_stalled() -> None:
    saver = InMemorySaver()
    made = chain("a", "b", "c")
    made.add_node("end", lambda state: {"log": []})
    made.add_edge(["a", "c"], "end")
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG, interrupt_before=["c"])
    assert [edge.status for edge in waiting_edges(app, CONFIG)] == ["pending"]
    assert stalled_edges(app, CONFIG) == ()
    app.invoke(None, CONFIG)
    assert waiting_edges(app, CONFIG) == ()


def test_an_earlier_checkpoint_has_its_own_waiting_edges() -> None:
    saver = InMemorySaver()
    made = chain("a", "b", "c")
    made.add_node("end", lambda state: {"log": []})
    made.add_edge(["a", "c"], "end")
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    after_a = next(s for s in app.get_state_history(CONFIG) if s.next == ("b",))
    assert [edge.arrived for edge in waiting_edges(saver, after_a.config)] == [("a",)]


def test_plus_in_a_nodes_name_is_cut_by_what_history_shows() -> None:
    saver = InMemorySaver()
    made = chain("go")
    for name in ("a+b", "c", "end"):
        made.add_node(name, lambda state: {"log": []})
    made.add_conditional_edges("go", lambda state: "a+b", ["a+b", "c"])
    made.add_edge(["a+b", "c"], "end")
    app = made.compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    (edge,) = waiting_edges(saver, CONFIG)
    assert (edge.arrived, edge.missing) == (("a+b",), ("c",))
    assert waiting_edges(app, CONFIG)[0].missing == ("c",)


def test_the_functional_api() -> None:
    @task
    def double(x: int) -> int:
        return 2 * x

    saver = InMemorySaver()

    @entrypoint(checkpointer=saver)
    def flow(x: int) -> int:
        return double(x).result()

    assert flow.invoke(4, CONFIG) == 8
    for graph in (None, flow):
        found = explain(saver, "t", graph=graph)
        assert found.ending.kind == "quiescent"
        assert [row.node for row in found.rows if row.ran] == ["flow"]


def test_a_plain_pregel_graph() -> None:
    saver = InMemorySaver()
    app: Any = Pregel(
        nodes={
            "one": NodeBuilder().subscribe_only("a").do(lambda x: x + "1").write_to("b"),
            "two": NodeBuilder().subscribe_only("b").do(lambda x: x + "2").write_to("c"),
        },
        channels={"a": EphemeralValue(str), "b": LastValue(str), "c": EphemeralValue(str)},
        input_channels=["a"],
        output_channels=["c"],
        checkpointer=saver,
    )
    app.invoke({"a": "x"}, CONFIG)
    for graph in (None, app):
        found = explain(saver, "t", graph=graph)
        assert [(row.step, row.node) for row in found.rows if row.ran] == [(0, "one"), (1, "two")]
        assert found.ending.kind == "quiescent"


def test_async_runs_read_alike() -> None:
    saver = InMemorySaver()
    app = chain("a", "b").compile(checkpointer=saver)
    asyncio.run(app.ainvoke({"log": []}, CONFIG))
    assert nodes(explain(saver, "t")) == [(1, "a"), (2, "b")]


def test_versions_are_compared_and_never_parsed() -> None:
    class Letters(InMemorySaver):
        def get_next_version(self, current: Any, channel: None) -> Any:
            return "a" if not current else current + "a"

    saver = Letters()
    chain("a", "b").compile(checkpointer=saver).invoke({"log": []}, CONFIG)
    found = explain(saver, "t")
    (row,) = [row for row in found.rows if row.node == "b"]
    assert (row.fired[0].seen, row.fired[0].consumed) == (None, "aaa")
    assert found.ordinals("aaa") == 3


def test_what_is_not_there_is_said_with_what_is() -> None:
    saver = InMemorySaver()
    app = chain("a").compile(checkpointer=saver)
    app.invoke({"log": []}, CONFIG)
    with pytest.raises(UsageError, match="no checkpoint of thread 'x'") as error:
        explain(saver, "x")
    assert error.value.mend == "name one of its threads: 't'"
    with pytest.raises(UsageError, match="no namespace 'sub'"):
        explain(saver, "t", namespace="sub")
    with pytest.raises(UsageError, match="no checkpoint 'zz'"):
        explain(saver, "t", checkpoint="zz")
    with pytest.raises(UsageError, match="no checkpointer"):
        waiting_edges(chain("a").compile(), CONFIG)
    with pytest.raises(UsageError, match="names no thread"):
        waiting_edges(saver, {})

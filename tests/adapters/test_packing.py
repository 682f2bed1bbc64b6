"""What a thread gives back after it was kept is what it was given, tuples included."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from graphlift.adapters import DependencyStep, DependencyWorkflow, SuccessorWorkflow, TaskNode, compile_workflow
from graphlift.adapters.packing import pack, unpack

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
@settings(deadline=None, database=None)
def test_packed_values_survive_the_serializer(value: Any) -> None:
    serializer = JsonPlusSerializer()
    kept = unpack(serializer.loads_typed(serializer.dumps_typed(pack(value))))
    assert repr(kept) == repr(value)


def test_values_without_tuples_are_not_copied() -> None:
    value = {"a": [1, {"b": [2]}]}
    assert pack(value) is value
    assert unpack(value) is value


@pytest.mark.parametrize("above", [0, 99], ids=["frontier", "edges"])
@pytest.mark.parametrize("style", ["successor", "dependency"])
def test_a_resumed_run_sees_what_a_whole_one_sees(style: str, above: int) -> None:
    flow: Any = SuccessorWorkflow(name="w", start="a", nodes=(TaskNode(name="a", next=("b",)), TaskNode(name="b")))
    if style == "dependency":
        flow = DependencyWorkflow(
            name="w", steps=(DependencyStep(name="a"), DependencyStep(name="b", depends_on=("a",)))
        )
    crash, seen = [True], []

    def second(view: Any) -> Any:
        if crash[0]:
            raise KeyboardInterrupt
        seen.append((view.results["a"], view.inputs["pair"], view.data["pair"]))
        return {"done": (1, [(2,)])}

    handlers = {"a": lambda view: {"point": (1, (2, 3))}, "b": second}
    with SqliteSaver.from_conn_string(":memory:") as saver:
        compiled = compile_workflow(flow, handlers, checkpointer=saver, frontier_above=above)
        with pytest.raises(KeyboardInterrupt):
            compiled.run({"pair": (1, 2)}, thread_id="t")
        crash[0] = False
        result = compiled.run({"pair": (1, 2)}, thread_id="t")
        again = compiled.run(thread_id="t")
    assert seen == [({"point": (1, (2, 3))}, (1, 2), (1, 2))]
    assert result.context == again.context
    assert again.context.node_results["b"].output == {"done": (1, [(2,)])}
    assert again.context.data["pair"] == (1, 2)

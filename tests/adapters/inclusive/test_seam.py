"""What inclusive edges and explain rely on in LangGraph without a private name for it: each is named when it moves."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.base import BaseChannel
from langgraph.graph import START, StateGraph

from graphlift.adapters.inclusive import InclusiveStateGraph
from graphlift.adapters.langgraph_private import TASKS


class State(TypedDict):
    log: Annotated[list[str], operator.add]


def built(kind: Any = StateGraph) -> Any:
    made = kind(State)
    for name in ("a", "b", "c"):
        made.add_node(name, lambda state: {"log": []})
    made.add_edge(START, "a")
    made.add_edge("a", "b")
    made.add_edge(["a", "b"], "c")
    return made


def test_channels_have_the_names_by_which_a_saver_is_read() -> None:
    channels = set(built().compile().channels)
    assert {"__start__", "branch:to:a", "branch:to:b", "branch:to:c", "join:a+b:c"} <= channels


@pytest.mark.parametrize("name", ["edges", "waiting_edges", "branches", "nodes"])
def test_a_builder_has(name: str) -> None:
    assert hasattr(built(), name), f"StateGraph.{name} moved; adapters/inclusive/builder.py reads it"


@pytest.mark.parametrize("name", ["defer", "ends", "error_handler_node"])
def test_a_nodes_specification_has(name: str) -> None:
    assert hasattr(built().nodes["a"], name), f"StateNodeSpec.{name} moved; adapters/inclusive/builder.py reads it"


def test_the_sends_are_indexed_and_nothing_else_is_changed() -> None:
    stock, ours = built().compile(), built(InclusiveStateGraph).compile()
    assert ours.trigger_to_nodes == {**stock.trigger_to_nodes, TASKS: ()}
    assert set(ours.channels) == {*stock.channels, "__waiting_round__"}
    assert next(iter(ours.channels)) == "__waiting_round__"


def test_every_channel_is_told_of_the_end_in_the_order_of_the_graph() -> None:
    told: list[str] = []

    class Told(BaseChannel[Any, Any, Any]):
        ValueType = UpdateType = object  # type: ignore[assignment]

        def from_checkpoint(self, checkpoint: Any) -> Told:
            made = Told(self.typ)
            made.key = self.key
            return made

        def get(self) -> Any:
            from langgraph.errors import EmptyChannelError

            raise EmptyChannelError

        def update(self, values: Any) -> bool:
            return False

        def finish(self) -> bool:
            told.append(self.key)
            return False

    app = built().compile()
    for key in ("z", "a"):
        app.channels[key] = Told(object, key)
    app.invoke({"log": []})
    assert told == ["z", "a"], "BaseChannel.finish is no longer called once a run, in the order of the channels"

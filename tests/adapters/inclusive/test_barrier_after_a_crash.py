"""A checkpoint written late must not record an arrival from after it. LangGraph's own barrier does; graphlift's do not.

A hard exit is played by a saver that writes one checkpoint only after the next superstep was applied, and no later one.
"""

from __future__ import annotations

import operator
import threading
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from graphlift.adapters.barrier import own_barriers
from graphlift.adapters.inclusive import InclusiveStateGraph

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}
LATE = 1


class State(TypedDict):
    log: Annotated[list[str], operator.add]


class Exit(Exception):
    """The process is gone."""


class LateSaver(InMemorySaver):
    """Writes the checkpoint of superstep LATE when `applied` is set, and none after it."""

    def __init__(self) -> None:
        super().__init__()
        self.applied = threading.Event()
        self.alive = True

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        if self.alive and metadata["step"] == LATE:
            assert self.applied.wait(10)
        if self.alive and metadata["step"] > LATE:
            raise Exit
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        # What ran after the late checkpoint had not been written either when the process died.
        if not self.alive or config["configurable"]["checkpoint_id"] in self.early:
            super().put_writes(config, writes, task_id, task_path)

    early: frozenset[str] = frozenset()


def wired(kind: Any, saver: LateSaver, **edge: Any) -> Any:
    made = kind(State)
    for name in ("a", "b", "c", "join"):
        made.add_node(name, lambda state, name=name: _body(name, saver))
    made.add_edge(START, "a")
    made.add_edge("a", "b")
    made.add_edge("b", "c")
    made.add_edge(["a", "b"], "join", **edge)
    return made.compile(checkpointer=saver)


def _body(name: str, saver: LateSaver) -> dict[str, list[str]]:
    if name == "c":
        # b's arrival has been applied by now.
        saver.applied.set()
    return {"log": [name]}


def crashed_and_resumed(app: Any, saver: LateSaver) -> list[str]:
    with pytest.raises(Exit):
        app.invoke({"log": []}, CONFIG, durability="async")
    saver.alive = False
    return app.invoke(None, CONFIG)["log"]


def test_the_defect_of_the_stock_barrier_is_still_there() -> None:
    saver = LateSaver()
    # The arrival of b was recorded before it happened, so the real one changes nothing, and the join never runs.
    assert crashed_and_resumed(wired(StateGraph, saver), saver) == ["a", "b", "c"]


def test_graphlifts_barrier_waits_for_the_real_arrival() -> None:
    saver = LateSaver()
    app = wired(StateGraph, saver)
    own_barriers(app.channels)
    assert crashed_and_resumed(app, saver) == ["a", "b", "c", "join"]


@pytest.mark.parametrize("edge", [{}, {"inclusive": True}])
def test_so_do_the_barriers_of_an_inclusive_graph(edge: dict[str, bool]) -> None:
    saver = LateSaver()
    assert crashed_and_resumed(wired(InclusiveStateGraph, saver, **edge), saver) == ["a", "b", "c", "join"]

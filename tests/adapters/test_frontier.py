"""The frontier form's parts: the scheduler's checkpoints, the layers, and what keeps checkpoints small."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import (
    DependencyStep,
    DependencyWorkflow,
    SuccessorWorkflow,
    TaskNode,
    compile_workflow,
    frontier,
)
from graphlift.adapters.frontier_channels import (
    AGAIN,
    BEGIN,
    DONE,
    STOP,
    Countdown,
    Plan,
    Walk,
    from_runs,
    to_runs,
    token,
)
from graphlift.adapters.layers import RECENT, Layers, add_layer

QUICK = settings(deadline=None, database=None)


@given(st.lists(st.integers(0, 40)))
@QUICK
def test_runs_give_the_numbers_back(numbers: list[int]) -> None:
    assert from_runs(to_runs(numbers)) == numbers


def test_runs_of_consecutive_numbers_are_short() -> None:
    assert to_runs(list(range(3, 20_000))) == [3, 19_997]


DELTAS = st.lists(st.dictionaries(st.integers(0, 600).map(str), st.integers(), max_size=40), max_size=30)


@given(DELTAS, st.integers(0, 30))
@QUICK
def test_layers_are_a_dict_in_any_batching_and_change_nothing_in_place(deltas: list[dict[str, int]], cut: int) -> None:
    plain: dict[str, int] = {}
    layers: list[Any] = []
    for delta in deltas:
        before = [dict(layer) for layer in layers]
        grown = add_layer(layers, [delta])
        assert [dict(layer) for layer in layers] == before
        layers, plain = grown, {**plain, **delta}
        assert len(layers[1]) <= RECENT
    assert dict(Layers(layers)) == plain
    assert len(Layers(layers)) == len(plain)
    assert dict(Layers(add_layer(add_layer([], deltas[:cut]), deltas[cut:]))) == plain


def due(channel: Any) -> list[int]:
    return [send.arg for send in channel.get()] if channel.is_available() else []


DIAMOND = Plan(("a", "b", "c", "d", "e"), ((1, 2), (3,), (3,), (4,), ()), (0, 1, 1, 2, 1), width=1)


def test_a_countdown_keeps_to_its_width_and_waits_for_every_dependency() -> None:
    channel = Countdown(DIAMOND)
    seen = []
    channel.update([token(BEGIN, None)])
    while due(channel):
        (step,) = due(channel)
        seen.append(step)
        again = step == 2 and seen.count(2) < 3
        channel.update([token(AGAIN if again else DONE, step)])
    assert seen == [0, 1, 2, 2, 2, 3, 4]


@pytest.mark.parametrize("width", [1, 2, 9])
def test_a_countdown_goes_on_from_any_of_its_checkpoints(width: int) -> None:
    plan = Plan(DIAMOND.nodes, DIAMOND.dependents, DIAMOND.degrees, width)
    channel = Countdown(plan)
    channel.update([token(BEGIN, None)])
    order = []
    while due(channel):
        ran = due(channel)
        order += ran
        kept = channel.checkpoint()
        channel.update([token(DONE, step) for step in ran])
        restored = Countdown(plan).from_checkpoint(kept)
        assert due(restored) == ran
        restored.update([token(DONE, step) for step in ran])
        assert restored.checkpoint() == channel.checkpoint()
    assert order == [0, 1, 2, 3, 4]


LOOP = Plan(("a", "b", "c", "d"), ((2,), (3,), (), ()), (0, 0, 1, 1), width=9, loops=frozenset({0}))


def test_a_loop_takes_a_round_a_turn_and_one_more_to_be_left() -> None:
    channel, rounds = Countdown(LOOP), list[list[int]]()
    channel.update([token(BEGIN, None)])
    while due(channel):
        rounds.append(due(channel))
        again = rounds[-1].count(0) and len(rounds) < 2
        channel = channel.copy()
        channel.update([token(AGAIN if step == 0 and again else DONE, step) for step in rounds[-1]])
    # 0 loops in rounds 1 and 2 and is left in a round of its own, in which nothing else is due.
    assert rounds == [[0, 1], [0, 3], [2]]


@pytest.mark.parametrize(("width", "supersteps"), [(1, [[0], [1], [2]]), (2, [[0, 1], [2]]), (9, [[0, 1, 2]])])
def test_after_a_stop_the_round_goes_on_and_no_other_begins(width: int, supersteps: list[list[int]]) -> None:
    plan = Plan(("a", "b", "c", "d"), ((3,), (), (), ()), (0, 0, 0, 1), width)
    channel, ran = Countdown(plan), list[list[int]]()
    channel.update([token(BEGIN, None)])
    while due(channel):
        ran.append(due(channel))
        channel = channel.copy()
        channel.update([token(STOP if step == 1 else DONE, step) for step in ran[-1]])
    assert ran == supersteps


def test_a_done_step_counts_once() -> None:
    channel = Countdown(DIAMOND)
    channel.update([token(BEGIN, None)])
    channel.update([token(DONE, 0)])
    channel.update([token(DONE, 1)])
    channel.update([token(DONE, 1), token(DONE, 1)])
    assert 3 not in due(channel)


def test_a_walk_puts_every_node_on_the_frontier_once_and_stops_at_a_failure() -> None:
    channel = Walk(Plan(("a", "b", "c"), (), (), width=1, begin=0))
    channel.update([token(BEGIN, 0)])
    channel.update([token(DONE, 0, [1, 2, 0])])
    assert (due(channel), channel.queue) == ([1], [1, 2])
    channel.update([token(DONE, 1, [2, 0])])
    assert channel.queue == [2]
    assert channel.from_checkpoint(channel.checkpoint()).queue == [2]
    channel.update([token(DONE, 2, None)])
    assert due(channel) == []


def chain(style: str, size: int) -> Any:
    names = [f"s{index}" for index in range(size)]
    if style == "successor":
        nodes = tuple(TaskNode(name=name, next=tuple(names[index + 1 : index + 2])) for index, name in enumerate(names))
        return SuccessorWorkflow(name="w", start="s0", nodes=nodes)
    steps = (DependencyStep(name=name, depends_on=tuple(names[max(0, i - 1) : i])) for i, name in enumerate(names))
    return DependencyWorkflow(name="w", steps=tuple(steps))


@pytest.mark.parametrize("style", ["successor", "dependency"])
def test_checkpoints_of_a_long_chain_do_not_grow_with_it(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "NAMED_UP_TO", 10)
    flow, saver = chain(style, 30), InMemorySaver()
    handlers = {f"s{index}": lambda view: 1 for index in range(30)}
    compiled = compile_workflow(flow, handlers, checkpointer=saver, frontier_above=0)
    assert compiled.run({}, thread_id="t").success
    saved = saver.get_tuple({"configurable": {"thread_id": "t"}})
    assert saved is not None
    assert len(saved.checkpoint["versions_seen"]) <= 3
    assert set(compile_workflow(flow, handlers, frontier_above=0).graph.nodes) == {"__start__", *handlers}


def test_the_form_is_chosen_by_the_number_of_steps_and_can_be_set() -> None:
    handlers = {f"s{index}": lambda view: 1 for index in range(200)}
    assert compile_workflow(chain("dependency", 20), handlers).form == "edges"
    assert compile_workflow(chain("dependency", 200), handlers).form == "frontier"
    assert compile_workflow(chain("dependency", 200), handlers, frontier_above=200).form == "edges"


def test_no_superstep_is_wider_than_the_limit() -> None:
    names = [f"s{index}" for index in range(50)]
    flow = DependencyWorkflow(name="w", steps=tuple(DependencyStep(name=name) for name in names))
    compiled = compile_workflow(flow, {name: lambda view: 1 for name in names}, frontier_above=0, frontier_width=8)
    tasks = [part for part in compiled.graph.stream(_begin(compiled), stream_mode="debug") if part["type"] == "task"]
    widths = [sum(part["step"] == step for part in tasks) for step in range(1, 8)]
    assert widths == [8, 8, 8, 8, 8, 8, 2]


@pytest.mark.parametrize(
    ("config", "width"),
    [
        ({}, frontier.SYNC_WIDTH),
        ({"max_concurrency": 4}, frontier.SYNC_WIDTH),
        ({"max_concurrency": 40}, 40),
        ({"max_concurrency": 500}, 60),
    ],
)
def test_a_synchronous_superstep_is_no_wider_than_its_threads(config: dict[str, Any], width: int) -> None:
    compiled = hundred()
    tasks = [
        part for part in compiled.graph.stream(_begin(compiled), config, stream_mode="debug") if part["type"] == "task"
    ]
    assert max(Counter(part["step"] for part in tasks).values()) == width
    assert len(tasks) == 100


async def collect_async(compiled: Any) -> list[Any]:
    return [
        part async for part in compiled.graph.astream(_begin(compiled), stream_mode="debug") if part["type"] == "task"
    ]


def test_an_asynchronous_superstep_is_as_wide_as_the_limit() -> None:
    tasks = asyncio.run(collect_async(hundred()))
    assert sorted(Counter(part["step"] for part in tasks).values()) == [40, 60]


def hundred() -> Any:
    """A hundred independent steps, at most sixty a superstep."""
    names = [f"s{index}" for index in range(100)]
    flow = DependencyWorkflow(name="w", steps=tuple(DependencyStep(name=name) for name in names))
    return compile_workflow(flow, {name: lambda view: 1 for name in names}, frontier_above=0, frontier_width=60)


def _begin(compiled: Any) -> Any:
    return {"run": {"definition": compiled.mark, "inputs": {}}, "steps": {}}

"""GL120: what happened before what."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest


def walk(*names: str) -> Any:
    def run(h: Any) -> None:
        for name in names:
            getattr(h, name)()

    return run


def test_two_nodes_in_the_opposite_order(check: Any) -> None:
    cause = "a ended before b began; under the candidate it is the other way round"
    assert check("GL120", walk("a", "b"), walk("b", "a")) == [("b", "a, then b", "b, then a", cause)]


def test_a_node_that_moved_to_the_front_is_told_once(check: Any) -> None:
    found = check("GL120", walk("a", "b", "c", "d"), walk("d", "a", "b", "c"))
    assert [(node, legacy) for node, legacy, _, _ in found] == [("d", "c, then d")]


def test_nodes_that_one_moved_behind_are_told_each(check: Any) -> None:
    found = check("GL120", walk("a", "b", "c"), walk("b", "c", "a"))
    assert [(node, legacy) for node, legacy, _, _ in found] == [("b", "a, then b"), ("c", "a, then c")]


def test_the_second_activation_of_a_loop_counts_by_itself(divergences: Any) -> None:
    (found,) = divergences("GL120", walk("a", "a", "b"), walk("a", "b", "a"))
    assert (found.node, found.activation, found.cause.split(";")[0]) == ("b", 0, "a ended before b began")


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "x", "b", "c"), ("a", "c")])
def test_the_same_order_with_nodes_more_or_less_is_no_alarm(check: Any, names: tuple[str, ...]) -> None:
    assert check("GL120", walk("a", "b", "c"), walk(*names)) == []


def test_nodes_that_overlap_have_no_order(check: Any) -> None:
    async def patient(data: Any = None) -> None:
        await asyncio.sleep(0)

    async def together(h: Any) -> None:
        await asyncio.gather(h.b(), h.a())

    async def in_turn(h: Any) -> None:
        await h.a()
        await h.b()

    def run(main: Any) -> Any:
        return lambda h: asyncio.run(main(h))

    assert check("GL120", run(in_turn), run(together), a=patient, b=patient) == []


def test_a_long_run_is_compared_quickly(check: Any) -> None:
    names = ["a", "b"] * 5000
    assert check("GL120", walk(*names), walk(*names)) == []


JOIN = {"a": [], "b": [], "x": ["b"], "d": ["a", "x"]}


def test_with_a_graph_only_what_a_node_waits_for_counts(check: Any) -> None:
    assert check("GL120", walk("a", "b", "x", "d"), walk("b", "x", "a", "d"), JOIN) == []
    cause = (
        "uneven join: its sources are at depths a 0 and x 1; "
        "x ended before d began; under the candidate it is the other way round"
    )
    found = check("GL120", walk("a", "b", "x", "d"), walk("a", "b", "d", "x"), JOIN)
    assert found == [("d", "x, then d", "d, then x", cause)]


def test_with_a_graph_to_overlap_is_not_to_wait(check: Any) -> None:
    async def patient(data: Any = None) -> None:
        await asyncio.sleep(0)

    async def together(h: Any) -> None:
        await asyncio.gather(h.b(), h.a())

    async def in_turn(h: Any) -> None:
        await h.a()
        await h.b()

    def run(main: Any) -> Any:
        return lambda h: asyncio.run(main(h))

    found = check("GL120", run(in_turn), run(together), {"b": ["a"]}, a=patient, b=patient)
    assert [item[1:3] for item in found] == [("a, then b", "b beside a")]


def test_a_source_that_did_not_run_stands_for_its_own_sources(check: Any) -> None:
    edges = {"a": [], "b": ["a"], "d": ["b"]}
    assert [item[0] for item in check("GL120", walk("a", "d"), walk("d", "a"), edges)] == ["d"]

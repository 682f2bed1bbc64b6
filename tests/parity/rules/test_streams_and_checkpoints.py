"""GL154 and GL155: stream events, and the shape of the last checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.parity import Event, Outcome


def emits(*events: tuple[str, str, Any]) -> Any:
    return lambda h: Outcome(success=True, events=[Event(kind, node, data) for kind, node, data in events])


A, B = ("start", "a", None), ("end", "a", 1)


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (emits(A), ("a", "start, end", "start", "the engines emit other events")),
        (emits(B, A), ("a", "start, end", "end, start", "the same events in another order")),
        (emits(A, ("end", "a", 2)), ("a", "start, end", "start, end", "the event end carries something else than 1")),
    ],
)
def test_other_events(check: Any, candidate: Any, told: Any) -> None:
    assert check("GL154", emits(A, B), candidate) == [told]


def test_a_wiring_node_that_surfaces(check: Any) -> None:
    found = check("GL154", emits(A), emits(A, ("end", "__loop_exit__a", None)))
    assert found == [("__loop_exit__a", "no event", "end", "the engines emit other events")]


def test_the_order_between_nodes_is_no_alarm(check: Any) -> None:
    other = ("start", "b", None)
    assert check("GL154", emits(A, other, B), emits(other, A, B)) == []


def test_an_engine_that_shows_no_events_is_not_compared(check: Any) -> None:
    assert check("GL154", emits(A), lambda h: {"success": True}) == []


def saves(*checkpoints: Any) -> Any:
    return lambda h: Outcome(success=True, checkpoints=checkpoints)


def test_a_key_or_a_type_that_differs(divergences: Any) -> None:
    (found,) = divergences("GL155", saves({"data": {"n": 1}, "at": 1}), saves({"data": {"n": "1"}}))
    assert (found.legacy, found.candidate) == ("at: int, data.n: int", "data.n: str")
    assert found.paths == ("at", "data.n")


def test_number_and_values_are_no_alarm(check: Any) -> None:
    assert check("GL155", saves({"n": 1}, {"n": 2}), saves({"n": 3})) == []


def test_none_at_all_is_another_shape(check: Any) -> None:
    assert [item[2] for item in check("GL155", saves({"n": 1}), saves())] == ["(checkpoints): none"]

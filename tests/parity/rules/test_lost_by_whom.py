"""GL152 blames the engine whose last write was undone, not the one whose earlier write was replaced by right."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.parity import Activation, Case, Observation, Outcome, Value
from graphlift.parity.rules.results import LOST


def ran(side: str, final: dict[str, Any], *writes: tuple[str, int, int, Any]) -> Observation:
    trace = tuple(
        Activation(node, 0, begin, end, Value.of({}), returned=Value.of(returned))
        for node, begin, end, returned in writes
    )
    data = {key: Value.of(value) for key, value in final.items()}
    return Observation("e", side, "result", Outcome(True, data), trace)  # type: ignore[arg-type]


LOOK_UP = ("look_up", 1, 2, {"stock": 12})
COUNT = ("count", 3, 5, {"stock": 4})
ASK = ("ask", 4, 6, {"price": 2})


@pytest.mark.parametrize(
    ("legacy", "candidate", "cause"),
    [
        (12, 4, "count wrote stock on both engines; the legacy engine lost the write"),
        (4, 12, "count wrote stock on both engines; the candidate lost the write"),
    ],
)
def test_the_later_write_is_the_one_that_was_lost(legacy: int, candidate: int, cause: str) -> None:
    pair = [
        ran(side, {"stock": stock, "price": 2}, LOOK_UP, COUNT, ASK)
        for side, stock in (("legacy", legacy), ("candidate", candidate))
    ]
    found = LOST.check(Case("c", "w", {}), *pair)
    assert [(item.node, item.cause) for item in found] == [("count", cause)]


def test_of_two_writes_at_once_neither_replaces_the_other() -> None:
    at_once = (("a", 1, 3, {"n": 1}), ("b", 2, 4, {"n": 2}))
    found = LOST.check(Case("c", "w", {}), ran("legacy", {"n": 1}, *at_once), ran("candidate", {"n": 2}, *at_once))
    assert [item.node for item in found] == ["a"]


def test_a_write_that_both_kept_is_no_finding() -> None:
    pair = [ran(side, {"stock": 4, "price": 2}, LOOK_UP, COUNT, ASK) for side in ("legacy", "candidate")]
    assert LOST.check(Case("c", "w", {}), *pair) == []

"""GL104: how many turns a loop step took."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.adapters import NodeView, parse_workflow

LOOP = parse_workflow(
    {
        "style": "dependency",
        "name": "w",
        "steps": [
            {"name": "a", "loop_until": "results.a == 9", "loop_max": 3},
            {"name": "b", "depends_on": ["a"]},
        ],
    }
)


def turns(count: int) -> Any:
    def run(h: Any) -> None:
        for _ in range(count):
            h.a()

    return run


@pytest.mark.parametrize(
    ("legacy", "candidate", "cause"),
    [
        (3, 4, "loop_max is 3, and the candidate is off by one: 4 turns"),
        (4, 3, "loop_max is 3, and the legacy engine is off by one: 4 turns"),
        (1, 2, "loop_max is 3; the legacy engine left after 1 turn, the candidate after 2"),
    ],
)
def test_another_number_of_turns(divergences: Any, legacy: int, candidate: int, cause: str) -> None:
    (found,) = divergences("GL104", turns(legacy), turns(candidate), LOOP)
    assert (found.legacy, found.candidate, found.cause) == (
        f"{legacy} turn{'s' * (legacy > 1)}",
        f"{candidate} turns",
        cause,
    )
    assert found.activation == min(legacy, candidate)


def test_a_loop_is_not_told_as_a_run_count_as_well(check: Any) -> None:
    assert check("GL101", turns(3), turns(4), LOOP) == []


def test_a_loop_is_known_without_a_graph_by_its_iteration(check: Any) -> None:
    def iterations(count: int) -> Any:
        return lambda h: {"success": True, "log": [h.a(NodeView("a", iteration=n)) for n in range(count)]}

    cause = "a left its loop after 2 turns under the legacy engine, after 3 under the candidate"
    assert check("GL104", iterations(2), iterations(3)) == [("a", "2 turns", "3 turns", cause)]
    assert check("GL101", iterations(2), iterations(3)) == []


def test_equal_turns_are_no_alarm(check: Any) -> None:
    assert check("GL104", turns(3), turns(3), LOOP) == []

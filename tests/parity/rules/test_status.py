"""GL130: how each node ended."""

from __future__ import annotations

from typing import Any

import pytest


def ends(**nodes: Any) -> Any:
    return lambda h: {"success": True, "node_results": nodes}


def test_another_status_is_told_with_the_error(check: Any) -> None:
    legacy = ends(a={"status": "completed"})
    candidate = ends(a={"status": "failed", "error": "ValueError: no"})
    assert check("GL130", legacy, candidate) == [("a", "completed", "failed", "error: ValueError: no")]


def test_another_status_without_an_error(check: Any) -> None:
    found = check("GL130", ends(a={"status": "skipped"}), ends(a={"status": "completed"}))
    assert found == [("a", "skipped", "completed", "the engines judge the same run of the node differently")]


def test_a_result_on_one_engine_only(check: Any) -> None:
    both = {"a": {"status": "completed"}}
    found = check("GL130", ends(**both), ends(**both, b={"status": "completed"}))
    assert found == [("b", "no result", "completed", "the legacy engine has no result for this node")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"status": "completed"}, {"status": "SUCCESS"}),
        ({"status": "failed"}, {"status": "error"}),
        ({"status": "cancelled"}, {"status": "canceled"}),
        ({"success": True}, {"status": "done"}),
        ({"success": False}, {"status": "failed"}),
    ],
)
def test_other_words_for_the_same_end_are_no_alarm(check: Any, one: Any, other: Any) -> None:
    assert check("GL130", ends(a=one), ends(a=other)) == []


def test_an_engine_that_shows_no_nodes_is_not_compared(check: Any) -> None:
    assert check("GL130", ends(a={"status": "completed"}), lambda h: {"success": True}) == []

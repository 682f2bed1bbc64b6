"""GL130, GL131, GL132: how each node ended."""

from __future__ import annotations

from typing import Any

import pytest


def ends(**nodes: Any) -> Any:
    return lambda h: {"success": True, "node_results": nodes}


def test_another_status_is_told_with_the_error(check: Any) -> None:
    legacy = ends(a={"status": "completed"})
    candidate = ends(a={"status": "failed", "error": "ValueError: no"})
    cause = "the engines judge it differently; its body was not seen"
    assert check("GL130", legacy, candidate) == [("a", "completed", "failed (ValueError: no)", cause)]


def test_a_body_that_raised_under_both_engines_and_is_reported_differently(check: Any) -> None:
    def fail(data: Any = None) -> None:
        raise ValueError("no")

    def run(status: str) -> Any:
        def call(h: Any) -> Any:
            with pytest.raises(ValueError, match="no"):
                h.a()
            return {"success": False, "steps": {"a": {"status": status}}}

        return call

    cause = "its last activation raised ValueError: no under both engines; they report it differently"
    assert check("GL130", run("failed"), run("cancelled"), a=fail) == [("a", "failed", "cancelled", cause)]


def test_a_result_on_one_engine_only(check: Any) -> None:
    both = {"a": {"status": "completed"}}
    found = check("GL131", ends(**both), ends(**both, b={"status": "skipped"}))
    assert found == [("b", "no result", "skipped", "only the candidate engine's result lists b")]


def test_a_skip_for_another_reason(check: Any) -> None:
    legacy = ends(a={"status": "skipped", "reason": "condition"})
    candidate = ends(a={"status": "skipped", "reason": "upstream-failed"})
    assert [item[:3] for item in check("GL132", legacy, candidate)] == [("a", "condition", "upstream-failed")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"status": "completed"}, {"status": "SUCCESS"}),
        ({"status": "failed"}, {"status": "error"}),
        ({"status": "cancelled"}, {"status": "canceled"}),
        ({"success": True}, {"status": "done"}),
        ({"success": False}, {"status": "failed"}),
        ({"status": "skipped", "reason": "condition"}, {"status": "skipped"}),
    ],
)
@pytest.mark.parametrize("rule", ["GL130", "GL131", "GL132"])
def test_other_words_for_the_same_end_are_no_alarm(check: Any, rule: str, one: Any, other: Any) -> None:
    assert check(rule, ends(a=one), ends(a=other)) == []


def test_an_engine_that_shows_no_nodes_is_not_compared(check: Any) -> None:
    for rule in ("GL130", "GL131", "GL132"):
        assert check(rule, ends(a={"status": "completed"}), lambda h: {"success": True}) == []

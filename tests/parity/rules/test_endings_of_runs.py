"""GL140 to GL144: how the run as a whole ended."""

from __future__ import annotations

from typing import Any

import pytest


def ended(success: bool, error: str | None = None, paused: str | None = None, asks: Any = None) -> Any:
    pause = {"node_id": paused, "payload": asks} if paused else None
    return lambda h: {"success": success, "error": error, "interrupt": pause}


def test_the_candidate_fails_alone(check: Any) -> None:
    found = check("GL140", ended(True), ended(False, "ValueError: no"))
    assert found == [(None, "success", "ValueError: no", "no node failed: the run as a whole did")]


def test_a_failure_that_went_missing(check: Any) -> None:
    def legacy(h: Any) -> Any:
        return {"success": False, "error": "A: 1", "steps": {"a": {"status": "failed"}}}

    found = check("GL141", legacy, ended(True))
    assert found == [(None, "A: 1", "success", "a failed under the legacy engine")]


def test_a_failure_without_an_error_is_one_too(check: Any) -> None:
    assert check("GL141", ended(False), ended(True))[0][1] == "failure without an error"


def test_another_error(check: Any) -> None:
    found = check("GL142", ended(False, "A: 1"), ended(False, "B: 2"))
    assert found == [(None, "A: 1", "B: 2", "under the legacy engine nothing failed, under the candidate nothing")]


def test_another_error_of_one_node(check: Any) -> None:
    def run(error: str) -> Any:
        return lambda h: {"success": True, "steps": {"a": {"status": "failed", "error": error}}}

    assert check("GL142", run("A: 1"), run("B: 2")) == [("a", "A: 1", "B: 2", "a ended failed")]


@pytest.mark.parametrize(
    ("legacy", "candidate", "told"),
    [
        (ended(True), ended(False, paused="sign"), (None, "no pause", "sign asks null")),
        (ended(False, paused="ask"), ended(False, paused="sign"), ("sign", "ask asks null", "sign asks null")),
        (ended(False, paused="sign"), ended(True), ("sign", "sign asks null", "no pause")),
        (ended(False, paused="sign", asks="a"), ended(False, paused="sign", asks="b"), None),
    ],
    ids=["candidate only", "another node", "legacy only", "another question"],
)
def test_another_pause(check: Any, legacy: Any, candidate: Any, told: Any) -> None:
    ((node, one, other, cause),) = check("GL144", legacy, candidate)
    if told is None:
        assert (node, one, other, cause) == (
            "sign",
            'sign asks "a"',
            'sign asks "b"',
            "the person is asked something else",
        )
    else:
        assert (one, other) == told[1:]
    assert check("GL140", legacy, candidate) == []
    assert check("GL141", legacy, candidate) == []


@pytest.mark.parametrize("rule", ["GL140", "GL141", "GL142", "GL144"])
@pytest.mark.parametrize(
    ("legacy", "candidate"),
    [
        (ended(True), ended(True)),
        (ended(False, "A: 1"), ended(False, "A: 1")),
        (ended(False, paused="ask"), ended(False, paused="ask")),
        (ended(False, "A: <T object at 0x7f12>"), ended(False, "A: <T object at 0x7fab>")),
    ],
    ids=["both succeed", "one error", "one pause", "an address in the error"],
)
def test_the_same_ending_is_no_alarm(check: Any, rule: str, legacy: Any, candidate: Any) -> None:
    assert check(rule, legacy, candidate) == []


def test_the_directions_do_not_mix(check: Any) -> None:
    assert check("GL141", ended(True), ended(False, "A: 1")) == []
    assert check("GL140", ended(False, "A: 1"), ended(True)) == []

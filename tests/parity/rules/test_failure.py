"""GL140 and GL141: how the run as a whole ended."""

from __future__ import annotations

from typing import Any

import pytest


def ended(success: bool, error: str | None = None, paused: str | None = None) -> Any:
    return lambda h: {"success": success, "error": error, "interrupt": {"node_id": paused} if paused else None}


def test_the_candidate_fails_alone(check: Any) -> None:
    found = check("GL140", ended(True), ended(False, "ValueError: no"))
    cause = "the candidate fails where the legacy engine does not"
    assert found == [(None, "the run succeeded", "failed: ValueError: no", cause)]


def test_another_error(check: Any) -> None:
    found = check("GL140", ended(False, "A: 1"), ended(False, "B: 2"))
    assert found == [(None, "failed: A: 1", "failed: B: 2", "the run ended with another error")]


def test_the_candidate_pauses_where_the_legacy_engine_ends(check: Any) -> None:
    found = check("GL140", ended(True), ended(False, paused="sign"))
    assert found == [
        (None, "the run succeeded", "paused at sign", "the candidate waits for a person, the legacy engine does not")
    ]


def test_they_pause_at_different_nodes(check: Any) -> None:
    found = check("GL140", ended(False, paused="ask"), ended(False, paused="sign"))
    assert found == [(None, "paused at ask", "paused at sign", "the run waits at another node")]


def test_a_failure_that_went_missing(check: Any) -> None:
    found = check("GL141", ended(False, "A: 1"), ended(True))
    assert found == [(None, "failed: A: 1", "the run succeeded", "a failure of the legacy engine went missing")]


def test_a_pause_that_went_missing(check: Any) -> None:
    found = check("GL141", ended(False, paused="sign"), ended(True))
    assert found == [(None, "paused at sign", "the run succeeded", "a pause of the legacy engine went missing")]


def test_no_success_without_an_error(check: Any) -> None:
    found = check("GL141", ended(False), ended(True))
    assert found[0][1] == "did not succeed, without an error"


@pytest.mark.parametrize("rule", ["GL140", "GL141"])
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

"""GL200 to GL204: a run that gives no result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graphlift.parity import Activation, Observation, Value
from graphlift.parity.judging import check as compare
from graphlift.parity.observation import Broken, RecordedOutcome
from graphlift.parity.rules import builtin_rules


def fine(h: Any) -> None:
    h.a()


def refuses(h: Any) -> None:
    raise TypeError("no such option")


def breaks(h: Any) -> None:
    h.a()
    raise RuntimeError("lost")


def test_a_candidate_that_does_not_compile(check: Any) -> None:
    cause = "the candidate engine (candidate) stopped before any node ran"
    assert check("GL200", fine, refuses) == [(None, "ran 1 activations", "refused: TypeError: no such option", cause)]
    assert check("GL203", fine, refuses) == []


def test_both_refuse_alike(check: Any) -> None:
    for rule in ("GL200", "GL203", "GL142"):
        assert check(rule, refuses, refuses) == []


def test_two_equal_crashes_before_any_node_prove_nothing(check: Any) -> None:
    cause = "both engines raise before any node runs: two equal crashes prove nothing"
    told = "raises TypeError: no such option"
    assert check("GL204", refuses, refuses) == [(None, told, told, cause)]


def test_a_crash_after_a_node_ran_was_compared(check: Any) -> None:
    assert check("GL204", breaks, breaks) == []
    assert check("GL204", fine, refuses) == []


def test_one_engine_raises_where_the_other_returns(check: Any) -> None:
    found = check("GL203", breaks, lambda h: {"success": False, "error": h.a() or "RuntimeError: lost"})
    cause = "the legacy engine itself raises"
    assert found == [(None, "raises RuntimeError: lost", "returns a failure (RuntimeError: lost)", cause)]


def test_both_raise(check: Any) -> None:
    assert check("GL203", breaks, breaks) == []
    assert check("GL142", breaks, breaks) == []


RULES = builtin_rules()
OPEN = Activation("hang", 0, 1, None, Value.of({}))
ENDED = Observation("legacy", "e", (OPEN,), RecordedOutcome(success=True), traced=True)
HANGS = Observation("candidate", "e", (OPEN,), broken=Broken("timeout", "did not end within 3 s"), traced=True)
DIES = replace(HANGS, broken=Broken("crashed", "its process ended with exit code 3"))


@pytest.mark.parametrize(("broken", "rule"), [(HANGS, "GL202"), (DIES, "GL201")])
def test_a_run_that_was_lost_is_told_with_the_node_it_was_in(broken: Observation, rule: str) -> None:
    found = [item for item in compare(RULES, ENDED, broken) if item.rule == rule]
    assert [(item.node, item.legacy, item.candidate, item.cause) for item in found] == [
        ("hang", "ended, 1 activations", broken.error, "the candidate engine ended in hang")
    ]


@pytest.mark.parametrize(("broken", "rule"), [(HANGS, "GL202"), (DIES, "GL201")])
def test_a_case_that_neither_can_run_proves_nothing_and_fails(broken: Observation, rule: str) -> None:
    found = compare(RULES, replace(broken, side="legacy"), broken)
    assert [(item.rule, item.cause) for item in found] == [(rule, "both engines ended in hang")]


def test_a_lost_run_is_judged_only_as_such() -> None:
    assert {item.rule for item in compare(RULES, ENDED, HANGS)} == {"GL140", "GL202"}

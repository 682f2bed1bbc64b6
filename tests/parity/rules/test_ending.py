"""GL200: a run without a result."""

from __future__ import annotations

from typing import Any

from graphlift.parity import Activation, Case, Observation, Outcome, Value
from graphlift.parity.rules.ending import RULE


def good(h: Any) -> None:
    h.a()


def broken(h: Any) -> None:
    h.a()
    raise LookupError("no such node")


def observation(ended: Any, *running: str, error: str | None = None) -> Observation:
    trace = tuple(Activation(node, 0, at, None, Value.of(None)) for at, node in enumerate(running, 1))
    return Observation("e", "candidate", ended, Outcome(True) if ended == "result" else None, trace, error)


def found(legacy: Observation, candidate: Observation) -> list[tuple[str | None, str, str, str]]:
    return [(d.node, d.legacy, d.candidate, d.cause) for d in RULE.check(Case("c", "w", {}), legacy, candidate)]


def test_the_candidate_raises(check: Any) -> None:
    told = "raised: LookupError: no such node"
    assert check("GL200", good, broken) == [(None, "gave a result", told, "before or between its nodes")]


def test_the_legacy_engine_raises(check: Any) -> None:
    assert [item[1:3] for item in check("GL200", broken, good)] == [
        ("raised: LookupError: no such node", "gave a result")
    ]


def test_both_raise(check: Any) -> None:
    ((_, _, _, cause),) = check("GL200", broken, broken)
    assert cause == "on both engines: the case proves nothing until one of them runs it"


def test_the_node_that_ran_is_named() -> None:
    hung = observation("timeout", "a", "b", error="no result within 2 s")
    told = "did not end in time: no result within 2 s"
    assert found(observation("result"), hung) == [("b", "gave a result", told, "while b ran")]


def test_a_process_that_went_away() -> None:
    gone = observation("crashed", "a", error="exit code 9")
    told = "its process went away: exit code 9"
    assert found(observation("result"), gone) == [("a", "gave a result", told, "while a ran")]


def test_something_that_is_no_outcome_is_no_result(check: Any) -> None:
    ((_, _, candidate, _),) = check("GL200", good, lambda h: "done")
    assert candidate.startswith("raised: UsageError: a str does not say whether the run succeeded")


def test_two_results_are_no_alarm(check: Any) -> None:
    assert check("GL200", good, good) == []

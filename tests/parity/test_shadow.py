"""Mirror mode: the caller gets what the legacy engine gives, and learns nothing of the candidate."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters.errors import ConfigurationError, UsageError
from graphlift.parity import Case, Outcome, Tap
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.shadow import Budget, JsonLines, Logging, Mirror, Sighting, read_sightings

CASE = Case("order-1", "order", {"w": 1})


class Shop:
    """A walker with a handler that has an effect."""

    def __init__(self) -> None:
        self.charged: list[int] = []

    def charge(self, data: dict[str, Any]) -> dict[str, Any]:
        self.charged.append(data["amount"])
        return {"receipt": len(self.charged)}

    def execute(self, tap: Tap, amount: int = 5) -> dict[str, Any]:
        charge = tap.wrap("charge", self.charge)
        return {"success": True, "data": {**charge({"amount": amount})}}

    async def aexecute(self, tap: Tap) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.execute(tap)


def candidate(run: Callable[[Callable[..., Any]], Any]) -> OutcomeEngine:
    """A candidate that gets the tapped handler; the real one must never run."""

    class Engine(OutcomeEngine):
        def run(self, case: Case, tap: Tap) -> Any:
            return self._read(run(tap.wrap("charge", real)))

    def real(data: Any) -> Any:
        raise AssertionError("the candidate must never run a handler")

    return Engine("graph", "candidate", lambda case, handlers: None)


def same(charge: Callable[..., Any]) -> Any:
    return {"success": True, "data": charge({"amount": 5})}


def shadow(run: Any, **more: Any) -> tuple[Mirror, list[Sighting]]:
    seen: list[Sighting] = []
    return Mirror(candidate(run), sinks=[seen.append], **more), seen


def rules(seen: list[Sighting]) -> set[str]:
    return {item.rule for sighting in seen for item in sighting.divergences}


def test_the_effect_happens_once_and_an_equal_candidate_is_silent() -> None:
    shop = Shop()
    it, seen = shadow(same)
    assert it.serve_sync(CASE, shop.execute) == {"success": True, "data": {"receipt": 1}}
    it.drain()
    assert shop.charged == [5]
    assert seen == [Sighting("order-1", "order")]
    assert (it.counts.served, it.counts.shadowed, it.counts.differing) == (1, 1, 0)


def test_an_asynchronous_engine_is_served_too() -> None:
    shop = Shop()
    it, seen = shadow(same)
    assert asyncio.run(it.serve(CASE, shop.aexecute))["data"] == {"receipt": 1}
    it.drain()
    assert (shop.charged, rules(seen)) == ([5], set())


def test_a_candidate_that_differs_is_told_with_rule_and_cause() -> None:
    it, seen = shadow(lambda charge: charge({"amount": 5}) and charge({"amount": 5}) and same(charge))
    it.serve_sync(CASE, Shop().execute)
    it.drain()
    assert {"GL101", "GL210"} <= rules(seen)
    assert it.counts.differing == 1


def test_another_input_is_a_miss_and_runs_nothing() -> None:
    shop = Shop()
    it, seen = shadow(lambda charge: {"success": True, "data": charge({"amount": 6})})
    it.serve_sync(CASE, shop.execute)
    it.drain()
    assert shop.charged == [5]
    assert "GL210" in rules(seen)


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3), KeyboardInterrupt(), GeneratorExit()], ids=repr)
def test_whatever_the_candidate_raises_the_caller_is_served(error: BaseException) -> None:
    def fail(charge: Any) -> Any:
        raise error

    it, seen = shadow(fail)
    for _ in range(3):
        assert it.serve_sync(CASE, Shop().execute)["success"] is True
    it.drain()
    assert len(seen) == 3
    assert rules(seen) & {"GL140", "GL200", "GL203"}


def test_the_legacy_engines_own_exception_reaches_the_caller() -> None:
    def fails(tap: Tap) -> Any:
        tap.wrap("charge", Shop().charge)({"amount": 5})
        raise LookupError("gone")

    it, seen = shadow(same)
    with pytest.raises(LookupError, match="gone"):
        it.serve_sync(CASE, fails)
    it.drain()
    assert {"GL141", "GL203"} <= rules(seen)


def test_the_caller_may_change_the_result_at_once() -> None:
    it, seen = shadow(same)
    result = it.serve_sync(CASE, Shop().execute)
    result["data"].clear()
    it.drain()
    assert rules(seen) == set()


def test_a_candidate_that_hangs_is_left_behind_and_in_the_end_switched_off() -> None:
    never = threading.Event()
    it, seen = shadow(lambda charge: never.wait(), budget=Budget(seconds=0.01, failures=2))
    for _ in range(2):
        it.serve_sync(CASE, Shop().execute)
        it.drain()
    assert not it.is_on
    assert [sighting.failed for sighting in seen] == ["did not end within 0.01 s"] * 2
    assert it.serve_sync(CASE, Shop().execute)["success"] is True
    it.drain()
    assert (len(seen), it.counts.shadowed) == (2, 2)
    never.set()


def test_the_caller_never_waits_for_room() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(charge: Any) -> Any:
        begun.set()
        go_on.wait()
        return same(charge)

    it, seen = shadow(slow, budget=Budget(waiting=1))
    it.serve_sync(CASE, Shop().execute)
    begun.wait()
    for _ in range(3):
        it.serve_sync(CASE, Shop().execute)
    assert it.counts.dropped == 2
    go_on.set()
    it.drain()
    assert len(seen) == 2


def test_a_run_with_too_many_activations_is_dropped() -> None:
    def many(tap: Tap) -> Any:
        call = tap.wrap("charge", Shop().charge)
        return [call({"amount": n}) for n in range(3)] and {"success": True}

    it, seen = shadow(same, budget=Budget(activations=2))
    assert it.serve_sync(CASE, many) == {"success": True}
    it.drain()
    assert (it.counts.dropped, seen) == (1, [])


def test_only_a_share_is_sampled_and_the_rest_is_not_wrapped() -> None:
    shop = Shop()
    it, seen = shadow(same, budget=Budget(sample=0.25), seed=1)
    wrapped: list[bool] = []

    def execute(tap: Tap) -> Any:
        wrapped.append(tap.wrap("charge", shop.charge) != shop.charge)
        return shop.execute(tap)

    for _ in range(200):
        it.serve_sync(CASE, execute)
    it.drain()
    assert 25 <= sum(wrapped) == it.counts.shadowed + it.counts.dropped <= 80
    assert len(seen) == it.counts.shadowed
    assert shop.charged == [5] * 200


def test_a_result_that_cannot_be_read_is_logged_not_raised(caplog: pytest.LogCaptureFixture) -> None:
    it, seen = shadow(same)
    assert it.serve_sync(CASE, lambda tap: object()) is not None
    it.drain()
    assert (it.counts.failed, seen) == (1, [])
    assert "the run of order-1 cannot be shadowed" in caplog.text


def test_a_sink_that_fails_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Sighting] = []

    def broken(sighting: Sighting) -> None:
        raise OSError("disk full")

    it = Mirror(candidate(same), sinks=[broken, seen.append])
    it.serve_sync(CASE, Shop().execute)
    it.drain()
    assert (len(seen), it.counts.untold) == (1, 1)
    assert "a sink of the shadow failed" in caplog.text


def test_sightings_are_written_as_json_lines_and_read_again(tmp_path: Path) -> None:
    path, seen = tmp_path / "shadow.jsonl", []
    it = Mirror(
        candidate(lambda charge: {"success": False, "error": "E: no"}), sinks=[JsonLines(str(path)), seen.append]
    )
    for _ in range(2):
        it.serve_sync(CASE, Shop().execute)
    it.drain()
    read = read_sightings(path, "shadow.jsonl")
    assert [item.to_json() for item in read] == [item.to_json() for item in seen]
    assert read[0].divergences[0].rule.startswith("GL")


def test_a_line_that_is_no_sighting_is_told(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text("{}\n")
    with pytest.raises(ConfigurationError, match="is no sighting") as caught:
        read_sightings(tmp_path / "s.jsonl", "s.jsonl")
    assert caught.value.where == "s.jsonl:1"


def test_sightings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        it = Mirror(candidate(lambda charge: {"success": False, "error": "E: no"}), sinks=[Logging()])
        it.serve_sync(CASE, Shop().execute)
        it.drain()
    assert "shadow of order-1: GL140 at the run" in caplog.text


@pytest.mark.parametrize("wrong", [{"sample": 1.5}, {"seconds": 0}, {"waiting": 0}, {"failures": 0}])
def test_what_is_no_budget(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is no budget"):
        Budget(**wrong)


def test_the_outcome_may_be_read_in_the_teams_own_way() -> None:
    it, seen = shadow(same, read=lambda result: Outcome(success=result["success"], data=dict(result["data"])))
    it.serve_sync(CASE, Shop().execute)
    it.drain()
    assert rules(seen) == set()


def test_a_normaliser_is_applied_on_both_sides() -> None:
    ticks = iter(range(100))

    def stamped(charge: Callable[..., Any]) -> Any:
        return {"success": True, "data": charge({"amount": 5, "at": next(ticks)})}

    def without_stamp(value: Any) -> Any:
        return {key: item for key, item in value.items() if key != "at"} if isinstance(value, dict) else value

    def tidy(value: Any) -> Any:
        value = without_stamp(value)
        return {key: without_stamp(item) for key, item in value.items()} if isinstance(value, dict) else value

    it, seen = shadow(stamped)
    case = Case("order-1", "order", {"w": 1}, normalise=tidy)
    it.serve_sync(case, lambda tap: stamped(tap.wrap("charge", Shop().charge)))
    it.drain()
    assert rules(seen) == set()


def test_a_replay_gives_way_while_a_caller_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.shadow.traffic.PATIENCE", 60.0)
    ran = threading.Event()

    def replays(charge: Callable[..., Any]) -> Any:
        ran.set()
        return same(charge)

    made, seen = shadow(replays, budget=Budget(seconds=120))
    shop = Shop()

    early: list[bool] = []

    def outer(tap: Tap) -> Any:
        result = made.serve_sync(CASE, shop.execute)
        early.append(ran.wait(0.05))
        return result

    made.serve_sync(CASE, outer)
    assert early == [False]
    made.drain()
    assert ran.is_set()
    assert len(seen) == 2

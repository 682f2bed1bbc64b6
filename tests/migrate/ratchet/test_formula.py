"""The decision itself, over all small numbers: a number fails above max(min(cap now, cap then or a raise), number then)."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.ratchet.book import Book, Raise, Rule
from graphlift.migrate.ratchet.judge import Facts, Past, Side, judge, judge_loosening
from graphlift.migrate.ratchet.keys import Key
from graphlift.migrate.ratchet.measuring import Measured, Measurement, Registry
from graphlift.migrate.ratchet.metrics.base import Reading
from graphlift.migrate.ratchet.metrics.lines import Lines

KEY = Key("lines", "a.py")
RULE = Rule(id="a", metric="lines", paths=("a.py",))
TODAY = datetime.date(2030, 1, 1)
NUMBER = st.integers(0, 6)
MAYBE = st.none() | NUMBER


def raised(to: int, days: int | None) -> Raise:
    expires = None if days is None else TODAY + datetime.timedelta(days)
    return Raise.model_validate({"key": str(KEY), "to": to, "reason": "r", "owner": "o", "expires": expires})


def facts(now: int, cap: int, value_then: int | None, cap_then: int | None, raises: tuple[Raise, ...]) -> Facts:
    then = Side(Book(rule=(RULE,)), {} if cap_then is None else {KEY: cap_then})
    past = Past(then, {}, lambda key: value_then, lambda path: value_then is not None)
    return Facts(
        registry=Registry.of([Lines()]),
        now=Side(Book.model_validate({"rule": (RULE,), "raise": raises}), {KEY: cap}),
        measurement=Measurement({KEY: Measured(Reading(now, "a.py"), (RULE,))}),
        exists=lambda path: True,
        past=past,
        today=TODAY,
    )


RAISES = st.builds(raised, NUMBER, st.none() | st.integers(-2, 2)) | st.none()


@given(NUMBER, NUMBER, MAYBE, MAYBE, RAISES)
def test_a_number_fails_by_the_formula(
    now: int, cap: int, value_then: int | None, cap_then: int | None, entry: Raise | None
) -> None:
    found = {finding.code for finding in judge(facts(now, cap, value_then, cap_then, (entry,) if entry else ()))}
    counts = entry is not None and (entry.expires is None or entry.expires >= TODAY)
    allowed = cap_then
    if counts and entry is not None and entry.to is not None and cap_then is not None:
        allowed = max(cap_then, entry.to)
    limit = max(cap if allowed is None else min(cap, allowed), -1 if value_then is None else value_then)
    assert ("grown" in found) is (now > limit)
    assert ("loosened-cap" in found) is (allowed is not None and cap > allowed and now <= allowed)


@given(NUMBER, NUMBER, MAYBE, MAYBE, RAISES)
def test_a_cap_that_rose_is_a_loosening_whatever_the_number_is(
    now: int, cap: int, value_then: int | None, cap_then: int | None, entry: Raise | None
) -> None:
    found = {f.code for f in judge_loosening(facts(now, cap, value_then, cap_then, (entry,) if entry else ()))}
    counts = entry is not None and entry.to is not None and (entry.expires is None or entry.expires >= TODAY)
    allowed = cap_then if cap_then is None or not counts or entry is None else max(cap_then, entry.to or 0)
    assert found == ({"loosened-cap"} if allowed is not None and cap > allowed else set())


@given(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def test_nothing_that_gets_stricter_turns_a_green_check_red(
    now: int, cap: int, then: int, cap_then: int, less: int
) -> None:
    """A number that falls never does."""
    if not judge(facts(now, cap, then, cap_then, ())):
        assert not judge(facts(max(0, now - less), cap, then, cap_then, ()))

"""GL160: a handler that changes its input in place."""

from __future__ import annotations

from typing import Any


def greedy(data: Any) -> None:
    data["taken"] = True


def live(h: Any) -> None:
    h.a({"n": 1})


def test_one_engine_shows_the_change(check: Any) -> None:
    class Frozen(dict[str, Any]):
        def __setitem__(self, key: str, value: Any) -> None:
            pass

    found = check("GL160", live, lambda h: h.a(Frozen(n=1)) and None, a=greedy)
    cause = "one engine hands out the live state, the other a copy"
    assert found == [("a", "changed its input in place", "left its input alone", cause)]


def test_the_same_change_on_both_is_no_difference(check: Any) -> None:
    assert check("GL160", live, live, a=greedy) == []


def test_a_handler_that_only_reads_is_no_alarm(check: Any) -> None:
    assert check("GL160", live, live) == []

"""GL160: a handler that changes its input in place."""

from __future__ import annotations

from typing import Any


class Frozen(dict[str, Any]):
    def __setitem__(self, key: str, value: Any) -> None:
        pass


def greedy(data: Any) -> None:
    data["taken"] = True


def live(h: Any) -> None:
    h.a({"n": 1})


def test_one_engine_shows_the_change(check: Any) -> None:
    found = check("GL160", live, lambda h: h.a(Frozen(n=1)) and None, a=greedy)
    cause = "a changes data.taken in place; the change in place happens under one engine only"
    assert found == [("a", "changes data.taken", "changes nothing in place", cause)]


def sharing(shared: bool) -> Any:
    def run(h: Any) -> None:
        data = {"n": 1}
        h.a(data if shared else dict(data))
        h.b(data)

    return run


def test_a_change_that_leaks_under_one_engine(check: Any) -> None:
    cause = "a changes data.taken in place; later nodes see the change under the legacy engine only"
    found = check("GL160", sharing(True), sharing(False), a=greedy)
    assert found == [("a", "changes data.taken", "changes data.taken", cause)]


def test_the_same_change_on_both_is_no_difference(check: Any) -> None:
    assert check("GL160", sharing(True), sharing(True), a=greedy) == []
    assert check("GL160", sharing(False), sharing(False), a=greedy) == []


def test_a_handler_that_only_reads_is_no_alarm(check: Any) -> None:
    assert check("GL160", live, live) == []

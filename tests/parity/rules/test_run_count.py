"""GL101: how often each node ran."""

from __future__ import annotations

from typing import Any

import pytest


def once(h: Any) -> None:
    h.a(), h.b(), h.d()


def test_a_node_that_ran_twice_is_told_with_what_it_ran_after(check: Any) -> None:
    def twice(h: Any) -> None:
        h.a(), h.d(), h.b(), h.d()

    cause = "on the candidate engine it ran after a, after b"
    assert check("GL101", once, twice) == [("d", "ran 1 time", "ran 2 times", cause)]


def test_a_node_that_never_ran(check: Any) -> None:
    def without(h: Any) -> None:
        h.a(), h.b()

    assert check("GL101", once, without) == [("d", "ran 1 time", "never ran", "on the legacy engine it ran after b")]


def test_a_node_that_ran_first_of_all(check: Any) -> None:
    assert check("GL101", lambda h: None, lambda h: h.a() and None) == [
        ("a", "never ran", "ran 1 time", "on the candidate engine it ran at the start")
    ]


def test_every_node_that_differs_is_told_by_name(check: Any) -> None:
    def other(h: Any) -> None:
        h.d(), h.d(), h.a(), h.a()

    found = check("GL101", once, other)
    assert [(node, legacy, candidate) for node, legacy, candidate, _ in found] == [
        ("a", "ran 1 time", "ran 2 times"),
        ("b", "ran 1 time", "never ran"),
        ("d", "ran 1 time", "ran 2 times"),
    ]


@pytest.mark.parametrize(
    "candidate",
    [once, lambda h: print(h.d(), h.b(), h.a()), lambda h: {"success": False, "error": h.a() or h.b() or h.d()}],
    ids=["the same", "another order", "another ending"],
)
def test_equal_counts_are_no_alarm(check: Any, candidate: Any) -> None:
    assert check("GL101", once, candidate) == []


def test_a_run_that_raised_is_not_counted(check: Any) -> None:
    def broken(h: Any) -> None:
        h.a()
        raise RuntimeError

    assert check("GL101", once, broken) == []

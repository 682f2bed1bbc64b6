"""GL110: what each activation saw."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_key_that_was_not_there_yet(check: Any) -> None:
    found = check("GL110", lambda h: h.d({"x": 1, "y": 2}) and None, lambda h: h.d({"y": 2}) and None)
    assert found == [("d", '{"x": 1, "y": 2}', '{"y": 2}', "the candidate did not see x")]


def test_a_key_that_was_there_too_early(check: Any) -> None:
    found = check("GL110", lambda h: h.d({}) and None, lambda h: h.d({"x": 1, "y": 1}) and None)
    assert found == [("d", "{}", '{"x": 1, "y": 1}', "only the candidate saw x, y")]


def test_a_stale_value_is_told_with_its_path(check: Any) -> None:
    def run(total: int) -> Any:
        return lambda h: h.d({"data": {"cart": {"total": total}}, "results": {"a": 1}}) and None

    (found,) = check("GL110", run(1), run(2))
    assert found[3] == "data.cart.total has another value"


def test_only_the_activation_that_differs_is_told(divergences: Any) -> None:
    def run(second: int) -> Any:
        return lambda h: {"success": True, "steps": [h.d({"n": number}) for number in (0, second, 9)]}

    (found,) = divergences("GL110", run(1), run(2))
    assert (found.node, found.activation, found.legacy, found.candidate) == ("d", 1, '{"n": 1}', '{"n": 2}')


def test_it_is_told_although_the_outputs_agree(check: Any) -> None:
    def run(seen: int) -> Any:
        return lambda h: {"success": True, "data": {"out": h.d({"n": seen})}}

    found = check("GL110", run(1), run(2), d=lambda data: "always the same")
    assert [item[0] for item in found] == ["d"]


def test_a_value_that_is_no_mapping(check: Any) -> None:
    assert check("GL110", lambda h: h.d(1) and None, lambda h: h.d(2) and None) == [
        ("d", "1", "2", "the input as a whole has another value")
    ]


def test_values_too_large_to_show_still_differ(check: Any) -> None:
    def run(last: str) -> Any:
        return lambda h: h.d({"text": "x" * 9000 + last}) and None

    ((node, legacy, candidate, cause),) = check("GL110", run("a"), run("b"))
    assert (node, cause) == ("d", "text has another value")
    assert legacy != candidate


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"tags": {"x", "y", "z"}}, {"tags": {"z", "y", "x"}}),
        ({"service": object()}, {"service": object()}),
        ({"rate": float("nan")}, {"rate": float("nan")}),
    ],
)
def test_equal_inputs_are_no_alarm(check: Any, one: Any, other: Any) -> None:
    assert check("GL110", lambda h: h.d(one) and None, lambda h: h.d(other) and None) == []


def test_a_node_that_only_one_engine_ran_has_no_input_to_compare(check: Any) -> None:
    assert check("GL110", lambda h: h.a({"x": 1}) and None, lambda h: h.b({"x": 1}) and None) == []

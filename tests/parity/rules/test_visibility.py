"""GL110 to GL113: what each activation saw."""

from __future__ import annotations

from typing import Any

import pytest

EDGES = {"a": [], "b": [], "x": ["b"], "d": ["a", "x"]}


def test_a_value_that_was_not_there_yet_names_its_writer_and_the_join(check: Any) -> None:
    def legacy(h: Any) -> None:
        data = {**h.a({}), **h.x({})}
        h.d(data)

    def early(h: Any) -> None:
        h.d(dict(h.a({})))
        h.x({})

    handlers = {"a": lambda data: {"design": 1}, "x": lambda data: {"tests": 2}}
    cause = "under the candidate, d began before x did; uneven join: its sources are at depths a 0 and x 1"
    assert check("GL110", legacy, early, EDGES, **handlers) == [("d", "data.tests = 2", "data.tests absent", cause)]


def test_null_is_missing_too(check: Any) -> None:
    found = check("GL110", lambda h: h.d({"x": 1}) and None, lambda h: h.d({"x": None}) and None)
    assert [(node, legacy, candidate) for node, legacy, candidate, _ in found] == [("d", "data.x = 1", "data.x = null")]


def test_an_old_value_is_stale(check: Any) -> None:
    def run(merges: bool) -> Any:
        def call(h: Any) -> None:
            data = {"n": 0}
            wrote = h.a(dict(data))
            h.d({**data, **wrote} if merges else data)

        return call

    cause = "under the candidate, a had ended, but what it wrote was not there"
    found = check("GL111", run(True), run(False), a=lambda data: {"n": 1})
    assert found == [("d", "data.n = 1", "data.n = 0", cause)]


def test_an_old_value_under_the_legacy_engine_is_early_under_the_candidate(check: Any) -> None:
    def run(merges: bool) -> Any:
        def call(h: Any) -> None:
            wrote = h.a({"n": 0})
            h.d(wrote if merges else {"n": 0})

        return call

    found = check("GL112", run(False), run(True), a=lambda data: {"n": 1})
    assert [item[:3] for item in found] == [("d", "data.n = 0", "data.n = 1")]
    assert check("GL111", run(False), run(True), a=lambda data: {"n": 1}) == []


def test_a_value_that_was_there_too_early(check: Any) -> None:
    found = check("GL112", lambda h: h.d({}) and None, lambda h: h.d({"x": 1}) and None)
    assert [item[:3] for item in found] == [("d", "data.x absent", "data.x = 1")]


def test_another_value(check: Any) -> None:
    found = check("GL113", lambda h: h.d({"x": 1}) and None, lambda h: h.d({"x": 2}) and None)
    assert found == [
        ("d", "data.x = 1", "data.x = 2", "no node had run before it: the engines themselves give it another input")
    ]


def test_a_change_in_place_is_named(check: Any) -> None:
    def keep(data: Any) -> None:
        data["items"].append(1)

    def run(shared: bool) -> Any:
        def call(h: Any) -> None:
            items: list[int] = []
            h.a({"items": items if shared else list(items)})
            h.d({"items": items})

        return call

    (found,) = check("GL113", run(True), run(False), a=keep) or check("GL111", run(True), run(False), a=keep)
    assert found[3].endswith("a changes its input in place")


def test_only_the_activation_that_differs_is_told(divergences: Any) -> None:
    def run(second: int) -> Any:
        return lambda h: {"success": True, "steps": [h.d({"n": number}) for number in (0, second, 9)]}

    (found,) = divergences("GL113", run(1), run(2))
    assert (found.node, found.activation, found.legacy, found.candidate) == ("d", 1, "data.n = 1", "data.n = 2")


def test_it_is_told_although_the_outputs_agree(check: Any) -> None:
    def run(seen: int) -> Any:
        return lambda h: {"success": True, "data": {"out": h.d({"n": seen})}}

    found = check("GL113", run(1), run(2), d=lambda data: "always the same")
    assert [item[0] for item in found] == ["d"]


def test_a_value_that_is_no_mapping(check: Any) -> None:
    found = check("GL113", lambda h: h.d(1) and None, lambda h: h.d(2) and None)
    assert [item[:3] for item in found] == [("d", "arguments.0 = 1", "arguments.0 = 2")]


def test_values_too_large_to_keep_still_differ_at_a_place(divergences: Any) -> None:
    def run(last: str) -> Any:
        return lambda h: h.d({"text": "x" * 20_000 + last, "n": 1}) and None

    (found,) = divergences("GL113", run("a"), run("b"))
    assert (found.node, found.paths) == ("d", ("data.text",))
    assert found.legacy != found.candidate


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"tags": {"x", "y", "z"}}, {"tags": {"z", "y", "x"}}),
        ({"service": object()}, {"service": object()}),
        ({"rate": float("nan")}, {"rate": float("nan")}),
    ],
)
@pytest.mark.parametrize("rule", ["GL110", "GL111", "GL112", "GL113"])
def test_equal_inputs_are_no_alarm(check: Any, rule: str, one: Any, other: Any) -> None:
    assert check(rule, lambda h: h.d(one) and None, lambda h: h.d(other) and None) == []


def test_a_node_that_only_one_engine_ran_has_no_input_to_compare(check: Any) -> None:
    assert check("GL113", lambda h: h.a({"x": 1}) and None, lambda h: h.b({"x": 1}) and None) == []

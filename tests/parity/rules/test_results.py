"""GL150, GL151 and GL152: outputs, final state, lost updates."""

from __future__ import annotations

from typing import Any

import pytest


def output(seen: Any, shown: Any = None) -> Any:
    def run(h: Any) -> Any:
        returned = h.a(seen)
        return {"success": True, "node_results": {"a": {"status": "completed", "output": shown or returned}}}

    return run


def test_an_output_that_differs_because_the_input_did(check: Any) -> None:
    found = check("GL150", output({"n": 1}), output({"n": 2}))
    assert found == [("a", '{"n": 1}', '{"n": 2}', "its last activation saw other input (see GL110)")]


def test_an_output_that_the_engine_made_differ(check: Any) -> None:
    found = check("GL150", output({"n": 1}), output({"n": 1}, {"result": {"n": 1}}))
    cause = "its handler returned the same; the engine makes another output of it"
    assert found == [("a", '{"n": 1}', '{"result": {"n": 1}}', cause)]


def test_a_handler_that_answers_otherwise_for_the_same_input(check: Any) -> None:
    answers = iter([1, 2])
    found = check("GL150", output({}), output({}), a=lambda data: next(answers))
    assert found == [("a", "1", "2", "its handler returned another value for the same input")]


def test_equal_outputs_are_no_alarm(check: Any) -> None:
    assert check("GL150", output({"n": 1, "m": 2}), output({"m": 2, "n": 1})) == []


def test_an_output_that_one_engine_does_not_show(check: Any) -> None:
    without = {"success": True, "node_results": {"a": {"status": "completed"}}}
    assert check("GL150", output({"n": 1}), lambda h: without) == []


def state(**data: Any) -> Any:
    return lambda h: {"success": True, "data": data}


def test_a_key_with_another_value(check: Any) -> None:
    found = check("GL151", state(n=1, m=0), state(n=2, m=0))
    assert found == [(None, "n = 1", "n = 2", "the key n ends with another value")]


def test_a_key_that_only_one_engine_has(check: Any) -> None:
    assert check("GL151", state(n=1), state()) == [
        (None, "n = 1", "n is absent", "only the legacy engine has the key n")
    ]
    assert check("GL151", state(), state(n=1)) == [(None, "n is absent", "n = 1", "only the candidate has the key n")]


def test_none_is_not_absent(check: Any) -> None:
    assert check("GL151", state(n=None), state()) == [
        (None, "n = null", "n is absent", "only the legacy engine has the key n")
    ]


def test_two_keys_are_two_findings(divergences: Any) -> None:
    found = divergences("GL151", state(n=1, m=1), state(n=2, m=2))
    assert [item.subject for item in found] == ["m", "n"]
    assert len({item.key for item in found}) == 2


@pytest.mark.parametrize("candidate", [state(n=1, s={"a", "b"}), state(s={"b", "a"}, n=1)])
def test_an_equal_state_is_no_alarm(check: Any, candidate: Any) -> None:
    assert check("GL151", state(n=1, s={"b", "a"}), candidate) == []


def merging(*order: str, keep: bool = True) -> Any:
    def run(h: Any) -> Any:
        data: dict[str, Any] = {"x": 0, "y": 0}
        writes = [getattr(h, name)(dict(data)) for name in order]
        for written in writes:
            data.update(written if keep else {"x": 0, "y": 0, **written})
        return {"success": True, "data": data}

    return run


def writes(**changed: int) -> Any:
    return lambda data: changed


def test_a_join_that_overwrites_a_sibling_loses_an_update(check: Any) -> None:
    found = check("GL152", merging("a", "b"), merging("a", "b", keep=False), a=writes(x=1), b=writes(y=1))
    assert found == [("a", "x = 1", "x = 0", "a wrote x on both engines; the candidate lost the write")]


def test_a_lost_update_is_no_other_state_as_well(check: Any) -> None:
    assert check("GL151", merging("a", "b"), merging("a", "b", keep=False), a=writes(x=1), b=writes(y=1)) == []


def test_a_large_value_that_was_lost_is_still_told_from_its_digest(check: Any) -> None:
    large = ["item"] * 2000
    args = (merging("a", "b"), merging("a", "b", keep=False))
    found = check("GL152", *args, a=lambda data: {"x": large}, b=writes(y=1))
    assert [(node, cause) for node, _, _, cause in found] == [
        ("a", "a wrote x on both engines; the candidate lost the write")
    ]


def test_a_write_of_another_value_is_no_lost_update(check: Any) -> None:
    assert check("GL152", state(n=1), state(n=2)) == []

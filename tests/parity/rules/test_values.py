"""GL150 to GL153: outputs, final state, lost updates, the order of writes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

NOBODY = "no activation that was seen writes it; it comes from the engine or from an untapped node"
LOST = "a wrote x last, but the candidate engine ends with the value from before"


def output(seen: Any, shown: Any = None) -> Any:
    def run(h: Any) -> Any:
        returned = h.a(seen)
        return {"success": True, "node_results": {"a": {"status": "completed", "output": shown or returned}}}

    return run


def test_an_output_that_differs_because_the_input_did(check: Any) -> None:
    found = check("GL150", output({"n": 1}), output({"n": 2}))
    assert found == [("a", '{"n": 1}', '{"n": 2}', "it saw another input")]


def test_an_output_that_the_engine_made_differ(check: Any) -> None:
    found = check("GL150", output({"n": 1}), output({"n": 1}, {"result": {"n": 1}}))
    cause = "every activation of a returned the same; the engines report another output"
    assert found == [("a", '{"n": 1}', '{"result": {"n": 1}}', cause)]


NOT_A_FUNCTION = (
    "it saw the same and answered otherwise: the answer depends on more than the input (a clock, a counter, a service), "
    "or the engines call different handlers"
)


def test_a_handler_that_answers_otherwise_for_the_same_input(check: Any) -> None:
    answers = iter([1, 2])
    found = check("GL150", output({}), output({}), a=lambda data: next(answers))
    assert found == [("a", "1", "2", NOT_A_FUNCTION)]


def test_equal_outputs_are_no_alarm(check: Any) -> None:
    assert check("GL150", output({"n": 1, "m": 2}), output({"m": 2, "n": 1})) == []


def test_an_output_that_one_engine_does_not_show(check: Any) -> None:
    without = {"success": True, "node_results": {"a": {"status": "completed"}}}
    assert check("GL150", output({"n": 1}), lambda h: without) == []


def state(**data: Any) -> Any:
    return lambda h: {"success": True, "data": data}


def test_a_key_with_another_value(check: Any) -> None:
    found = check("GL151", state(n=1, m=0), state(n=2, m=0))
    assert found == [(None, "n = 1", "n = 2", NOBODY)]


def test_a_key_that_only_one_engine_has(check: Any) -> None:
    assert check("GL151", state(n=1), state()) == [(None, "n = 1", "n is absent", NOBODY)]
    assert check("GL151", state(), state(n=1)) == [(None, "n is absent", "n = 1", NOBODY)]


def test_none_is_not_absent(check: Any) -> None:
    assert check("GL151", state(n=None), state()) == [(None, "n = null", "n is absent", NOBODY)]


def test_two_keys_are_two_findings(divergences: Any) -> None:
    found = divergences("GL151", state(n=1, m=1), state(n=2, m=2))
    assert [item.subject for item in found] == ["m", "n"]
    assert len({item.place for item in found}) == 2


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
    assert found == [("a", "x = 1", "x = 0", LOST)]


def test_a_lost_update_is_no_other_state_as_well(check: Any) -> None:
    assert check("GL151", merging("a", "b"), merging("a", "b", keep=False), a=writes(x=1), b=writes(y=1)) == []


def test_a_large_value_that_was_lost_is_still_told_from_its_digest(check: Any) -> None:
    large = ["item"] * 2000
    args = (merging("a", "b"), merging("a", "b", keep=False))
    found = check("GL152", *args, a=lambda data: {"x": large}, b=writes(y=1))
    assert [(node, cause) for node, _, _, cause in found] == [("a", LOST)]


def test_a_write_of_another_value_is_no_lost_update(check: Any) -> None:
    assert check("GL152", state(n=1), state(n=2)) == []


def interleaved(final: int, *, at_once: bool) -> Any:
    """`a` writes 12, then `b` writes 4 and `c` writes nothing, one after the other or at once."""

    def run(h: Any) -> Any:
        h.a({})

        async def both() -> None:
            if at_once:
                await asyncio.gather(h.b({}), h.c({}))
            else:
                await h.b({})
                await h.c({})

        asyncio.run(both())
        return {"success": True, "data": {"stock": final}}

    return run


@pytest.mark.parametrize(("legacy", "candidate", "side"), [(12, 4, "legacy"), (4, 12, "candidate")])
def test_the_engine_is_blamed_that_ends_with_the_older_write(
    check: Any, legacy: int, candidate: int, side: str
) -> None:
    async def write(data: Any) -> Any:
        await asyncio.sleep(0)
        return {"stock": 4}

    async def nothing(data: Any) -> Any:
        await asyncio.sleep(0)
        return {}

    handlers = {"a": lambda data: {"stock": 12}, "b": write, "c": nothing}
    pair = interleaved(legacy, at_once=True), interleaved(candidate, at_once=True)
    cause = (
        f"b wrote stock last, but the {side} engine ends with the older value of a; "
        "c ran beside it and may have given back a whole old copy"
    )
    assert [(item[0], item[3]) for item in check("GL152", *pair, **handlers)] == [("b", cause)]


def test_of_two_writes_at_once_another_one_is_kept(check: Any) -> None:
    def run(final: int) -> Any:
        async def both(h: Any) -> None:
            await asyncio.gather(h.a({}), h.b({}))

        def call(h: Any) -> Any:
            asyncio.run(both(h))
            return {"success": True, "data": {"n": final}}

        return call

    def writing(value: int) -> Any:
        async def write(data: Any) -> Any:
            await asyncio.sleep(0)
            return {"n": value}

        return write

    handlers = {"a": writing(1), "b": writing(2)}
    cause = "a and b both write n; the legacy engine keeps what a wrote, the candidate what b wrote"
    assert check("GL153", run(1), run(2), **handlers) == [("b", "n = 1", "n = 2", cause)]
    assert check("GL152", run(1), run(2), **handlers) == []
    assert check("GL151", run(1), run(2), **handlers) == []


def test_who_wrote_the_key_last_is_the_cause(check: Any) -> None:
    def run(writer: str) -> Any:
        return lambda h: {"success": True, "data": getattr(h, writer)({})}

    handlers = {"a": writes(n=1), "b": writes(n=2)}
    cause = "last written by a under the legacy engine, by b under the candidate"
    assert check("GL151", run("a"), run("b"), **handlers) == [(None, "n = 1", "n = 2", cause)]

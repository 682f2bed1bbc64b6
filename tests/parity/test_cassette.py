"""Cassettes: handlers with effects run once, under the legacy engine, and are replayed under the other."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters.errors import ConfigurationError
from graphlift.parity import Case, Report, Value, run_gate
from graphlift.parity.cassette import Answer, Cassette, CassetteMissError, answered, load_cassette
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.plain import plain
from graphlift.parity.rules import builtin_rules
from graphlift.parity.unplain import CannotRebuildError, rebuild


def runs(*inputs: int) -> Callable[[Case, Mapping[str, Callable[..., Any]]], Any]:
    """An engine that charges once for each of `inputs`, and reports what came back."""

    def run(case: Case, handlers: Mapping[str, Callable[..., Any]]) -> Any:
        total: list[Any] = []
        for amount in inputs:
            try:
                total.append(handlers["charge"]({"amount": amount}))
            except Exception as error:
                total.append(f"{type(error).__name__}: {error}")
        return {"success": True, "data": {"receipts": total}}

    return run


def gate(tmp_path: Path, charge: Any, legacy: Any, candidate: Any, **more: Any) -> Report:
    case = Case("pay", "w", {"w": 1}, handlers={"charge": charge}, recorded=("charge",))
    engines = [OutcomeEngine("l", "legacy", legacy), OutcomeEngine("c", "candidate", candidate)]
    return run_gate(engines, [case], builtin_rules(), root=tmp_path, **more)


class Gateway:
    """A handler with an effect: each call is charged, and each receipt has another number."""

    def __init__(self) -> None:
        self.charged: list[int] = []

    def __call__(self, data: Mapping[str, Any]) -> Any:
        self.charged.append(data["amount"])
        return {"receipt": len(self.charged)}


def test_the_effect_happens_once_and_both_engines_get_its_answer(tmp_path: Path) -> None:
    gateway = Gateway()
    report = gate(tmp_path, gateway, runs(5, 7), runs(5, 7))
    assert gateway.charged == [5, 7]
    assert report.findings == ()


def test_an_answer_is_found_by_its_input_not_by_the_order_of_calls(tmp_path: Path) -> None:
    report = gate(tmp_path, Gateway(), runs(5, 7), runs(7, 5))
    assert {(item.divergence.rule, item.divergence.activation) for item in report.findings} >= {
        ("GL210", 0),
        ("GL210", 1),
    }


def test_a_miss_is_a_divergence_and_never_runs_the_handler(tmp_path: Path) -> None:
    gateway = Gateway()
    report = gate(tmp_path, gateway, runs(5), runs(6))
    assert gateway.charged == [5]
    (miss,) = [item.divergence for item in report.findings if item.divergence.rule == "GL210"]
    assert (miss.node, miss.activation, miss.legacy, miss.candidate) == ("charge", 0, "recorded", "not recorded")
    assert miss.cause == "no recording of activation 1 of charge with this input"


def test_an_error_is_replayed_with_its_type_and_message(tmp_path: Path) -> None:
    class Declined(Exception):
        pass

    def decline(data: Any) -> Any:
        raise (Declined("no money") if data["amount"] > 5 else KeyError("card"))

    assert gate(tmp_path, decline, runs(5, 7), runs(5, 7)).findings == ()


def test_what_json_cannot_rebuild_is_refused_when_it_is_asked_for(tmp_path: Path) -> None:
    @dataclass
    class Receipt:
        number: int

    report = gate(tmp_path, lambda data: Receipt(1), runs(5), runs(5))
    assert "GL210" in {item.divergence.rule for item in report.findings}


def test_a_kept_cassette_lets_no_engine_run_the_handler(tmp_path: Path) -> None:
    first, again = Gateway(), Gateway()
    cassette = Cassette()
    gate(tmp_path, first, runs(5), runs(5), cassette=cassette)
    assert cassette.changed
    cassette.save(tmp_path / "tape.jsonl")
    loaded = load_cassette(tmp_path / "tape.jsonl", "tape.jsonl")
    assert loaded.answers == cassette.answers
    assert not loaded.changed
    assert gate(tmp_path, again, runs(5), runs(5), cassette=loaded, record="none").findings == ()
    assert (again.charged, loaded.changed) == ([], False)


def test_record_once_adds_only_what_is_not_there_and_all_records_again(tmp_path: Path) -> None:
    cassette = Cassette()
    gate(tmp_path, Gateway(), runs(5), runs(5), cassette=cassette)
    once, every = Gateway(), Gateway()
    gate(tmp_path, once, runs(5, 6), runs(5, 6), cassette=cassette, record="once")
    assert once.charged == [6]
    gate(tmp_path, every, runs(5, 6), runs(5, 6), cassette=cassette, record="all")
    assert every.charged == [5, 6]


def test_the_file_is_sorted_json_lines_with_a_version(tmp_path: Path) -> None:
    cassette = Cassette()
    saw = Value.of({"n": 1})
    cassette.add([answered(("c", "b", 0), saw, {"x": 1}, None), answered(("c", "a", 0), saw, None, ValueError("no"))])
    head, *lines = [json.loads(line) for line in cassette.lines()]
    assert head == {"cassette": 1}
    assert lines == [
        {"case": "c", "node": "a", "activation": 0, "saw": saw.digest, "raised": ["ValueError", "no"]},
        {"case": "c", "node": "b", "activation": 0, "saw": saw.digest, "returned": {"x": 1}},
    ]


def test_a_value_is_redacted_before_it_is_written() -> None:
    cassette = Cassette()
    cassette.add([answered(("c", "login", 0), Value.of({}), {"token": "s3cret"}, None)])
    cassette.add([answered(("other", "login", 0), Value.of({}), {"token": "publ1c"}, None)])
    kept = "".join(cassette.lines({"c": lambda node, value: {**value, "token": "-"} if node == "login" else value}))
    assert ("s3cret" in kept, "publ1c" in kept) == (False, True)


def test_an_answer_that_is_too_large_is_not_kept() -> None:
    answer = answered(("c", "a", 0), Value.of({}), "x" * 1_000_001, None)
    assert answer.lost == "it is larger than 1000000 characters"
    with pytest.raises(CassetteMissError, match="what a answered cannot be replayed: it is larger"):
        answer.give()


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ('{"cassette": 2}\n', "t.jsonl:1", "version 2, not 1"),
        ("[]\n", "t.jsonl:1", "version None, not 1"),
        ('{"cassette": 1}\n{"case": 1}\n', "t.jsonl:2", "is no recording"),
        ('{"cassette": 1}\nnonsense\n', "t.jsonl:2", "is no recording"),
    ],
)
def test_a_file_that_is_no_cassette_is_told_with_its_line(tmp_path: Path, text: str, where: str, said: str) -> None:
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(ConfigurationError, match=said) as caught:
        load_cassette(tmp_path / "t.jsonl", "t.jsonl")
    assert caught.value.where == where


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.uuids()
    | st.fractions()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_rebuilt_is_equal_and_of_the_same_types(value: Any) -> None:
    again = rebuild(json.loads(json.dumps(plain(value))))
    assert again == value
    assert plain(again) == plain(value)


@given(st.sets(st.integers() | st.text()))
def test_sets_are_rebuilt(value: set[Any]) -> None:
    assert rebuild(plain(value)) == value


@pytest.mark.parametrize("value", [object(), test_sets_are_rebuilt, dt.timedelta(1), ValueError("x"), Path("x")])
def test_what_is_not_plain_data_is_refused(value: object) -> None:
    with pytest.raises(CannotRebuildError):
        rebuild(plain({"inside": [value]}))


def test_numbers_keep_their_kind() -> None:
    assert [type(rebuild(plain(value))) for value in (1, 1.0, True, decimal.Decimal(1))] == [
        int,
        float,
        bool,
        decimal.Decimal,
    ]


@given(st.text(), st.text(), st.integers(0, 9))
def test_an_answer_survives_the_file(case: str, node: str, activation: int) -> None:
    answer = Answer(case, node, activation, "d", {"k": [1, None]})
    assert Answer.from_json(json.loads(json.dumps(answer.to_json()))) == answer

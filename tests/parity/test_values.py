"""Values: equal ones have one digest in every process, different ones have not, and a record never changes."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import json
import random
import subprocess
import sys
import types
from pathlib import PurePosixPath
from typing import Any

import pytest
from graphlift.parity.values import SHOWN_SIZE, Value, digest_of, error_text, plain_of
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
KEYS = st.text() | st.integers() | st.booleans()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner) | st.tuples(inner, inner))


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Loud(str):
    pass


@dataclasses.dataclass
class Point:
    x: int
    y: int
    cache: object = dataclasses.field(default=None, compare=False)


class Model(BaseModel):
    name: str
    size: int = 1


class Money:
    def __init__(self, amount: int) -> None:
        self.amount = amount

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and other.amount == self.amount

    __hash__ = None  # type: ignore[assignment]


class Service:
    pass


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("not now")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1: "x", "1": "y"}, {"1": "y", 1: "x"}),
        ({"a", "b", "c"}, {"c", "b", "a"}),
        ({"a": 1}, collections.OrderedDict(a=1)),
        ({"a": 1}, types.MappingProxyType({"a": 1})),
        (0.0, -0.0),
        (float("nan"), float("nan")),
        (Point(1, 2), Point(1, 2, cache=object())),
        (Model(name="n"), Model(name="n", size=1)),
        (Money(3), Money(3)),
        (Service(), Service()),
        (ValueError("no"), ValueError("no")),
        (decimal.Decimal("1.10"), decimal.Decimal("1.10")),
        (b"ab", bytearray(b"ab")),
    ],
)
def test_equal_values_have_one_digest(one: object, other: object) -> None:
    assert digest_of(one) == digest_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        (1, True),
        (1, 1.0),
        (None, "None"),
        (None, False),
        ([], {}),
        ([1, 2], [2, 1]),
        ([1, 2], (1, 2)),
        ([], set()),
        ("x", b"x"),
        ("x", Loud("x")),
        ({"a": None}, {}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}),
        (Colour.RED, Colour.BLUE),
        (Colour.RED, 1),
        (Point(1, 2), Point(2, 1)),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Model(name="n"), Model(name="m")),
        (Money(3), Money(4)),
        (ValueError("no"), TypeError("no")),
        (ValueError("no"), ValueError("yes")),
        (PurePosixPath("a"), "a"),
        (float("inf"), float("-inf")),
        (10**400, 10**400 + 1),
        (2**53 + 1, 2**53 + 2),
        ({"$set": [1]}, {1}),
        ({"$tuple": [1]}, (1,)),
        ("é", "e\u0301"),
        ("\ud800", "\ud801"),
        (decimal.Decimal("1.1"), decimal.Decimal("1.10")),
        (len, sorted),
        (range(3), range(4)),
    ],
)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    assert digest_of(one) != digest_of(other)


def test_the_middle_of_a_large_array_counts() -> None:
    class Array:
        """What an array of a numeric library looks like: its repr leaves the middle out."""

        dtype, shape = "int64", (5000,)

        def __init__(self, middle: int) -> None:
            self.middle = middle

        def tolist(self) -> list[int]:
            return [0] * 2500 + [self.middle] + [0] * 2499

        def __repr__(self) -> str:
            return "array([0, ..., 0])"

    assert digest_of(Array(1)) != digest_of(Array(2))
    assert digest_of(Array(1)) == digest_of(Array(1))


def shuffled(value: Any, rng: random.Random) -> Any:
    """An equal value whose mappings were filled in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(item, rng)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    if isinstance(value, (list, tuple)):
        return type(value)(shuffled(item, rng) for item in value)
    return value


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_mappings_never_counts(value: Any, rng: random.Random) -> None:
    assert Value.of(value) == Value.of(shuffled(value, rng))


@given(VALUES, VALUES)
def test_one_digest_means_equal(one: Any, other: Any) -> None:
    # Python calls 1, 1.0 and True equal, and NaN unequal to itself, so only one direction can be asked.
    if digest_of(one) == digest_of(other) and not any("nan" in repr(item) for item in (one, other)):
        assert one == other


@given(VALUES)
def test_a_record_is_json_and_comes_back_equal(value: Any) -> None:
    record = Value.of(value)
    assert Value.from_json(json.loads(json.dumps(record.to_json()))) == record


SNIPPET = """
import json, sys
sys.path.insert(0, {path!r})
from graphlift.parity.values import digest_of
class Thing: pass
value = {{"set": {{"a", "b", "c", "d"}}, "map": {{frozenset({{"x", "y"}}): 1, 2: 3}}, "object": Thing(), "error": ValueError(Thing())}}
print(digest_of(value))
"""


def test_a_digest_is_the_same_in_every_process() -> None:
    import graphlift

    path = str(PurePosixPath(graphlift.__path__[0]).parent)
    digests = {
        subprocess.run(
            [sys.executable, "-c", SNIPPET.format(path=path)],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(digests) == 1


def test_a_later_change_does_not_reach_the_record() -> None:
    value: dict[str, Any] = {"items": [1], "deep": {"a": {"b": 1}}}
    record = Value.of(value)
    before = json.dumps(record.to_json())
    value["items"].append(2)
    value["deep"]["a"]["b"] = 2
    value["new"] = 1
    assert json.dumps(record.to_json()) == before
    assert record.shown == {"items": [1], "deep": {"a": {"b": 1}}}


@given(VALUES)
def test_recording_changes_nothing(value: Any) -> None:
    before = repr(value)
    Value.of(value)
    assert repr(value) == before


def test_a_cycle_ends_and_still_tells_its_content() -> None:
    one: list[Any] = [1]
    one.extend([one, one])
    other: list[Any] = [2]
    other.extend([other, other])
    assert plain_of(one) == [1, {"$deep": "list"}, {"$deep": "list"}]
    assert digest_of(one) != digest_of(other)


def test_deep_nesting_ends() -> None:
    value: Any = 0
    for _ in range(5000):
        value = [value]
    assert Value.of(value) == Value.of([[[value]]])


def test_a_value_whose_own_code_raises_is_told_by_its_type() -> None:
    assert plain_of({"a": Rude(), "b": 1}) == {"a": {"$unreadable": ["Rude", "RuntimeError"]}, "b": 1}


def test_an_address_is_no_part_of_a_value() -> None:
    assert plain_of(Service()) == plain_of(Service())
    assert error_text(ValueError(object())) == "ValueError: <object object>"
    assert error_text(KeyError()) == "KeyError"


def test_a_large_mapping_is_shown_by_key_and_compared_whole() -> None:
    one = {f"k{number:04}": "v" * 100 for number in range(500)}
    other = {**one, "k0499": "w"}
    record, changed = Value.of(one), Value.of(other)
    assert record.digest != changed.digest
    assert len(json.dumps(record.shown)) < 10_000
    assert record.shown["k0000"] == f"… {digest_of('v' * 100)}"
    assert record.shown != changed.shown


def test_a_large_text_is_cut_and_never_shown_alike_for_two_values() -> None:
    one, other = "x" * 5000 + "a", "x" * 5000 + "b"
    assert len(Value.of(one).shown) < SHOWN_SIZE
    assert Value.of(one).shown != Value.of(other).shown

"""Plain data: equal values have one digest in every process, different ones have not, and a record never changes."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import json
import random
import subprocess
import sys
import threading
import types
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphlift.parity import Value
from graphlift.parity.plain import digest, error_text, plain
from graphlift.parity.recorded import KEEP, record, shorten

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
    """A service: it holds something that is no data."""

    def __init__(self, name: str = "") -> None:
        self.name, self.lock = name, threading.Lock()


class Parcel:
    """Data in a class that does not say what equality means, as in much older code."""

    def __init__(self, weight: int, tags: list[str] | None = None) -> None:
        self.weight, self.tags = weight, tags or []
        self.owner: object = None


class Slotted:
    __slots__ = ("weight",)

    def __init__(self, weight: int) -> None:
        self.weight = weight


@dataclasses.dataclass
class Rude:
    value: int

    def __getattribute__(self, name: str) -> Any:
        if name == "value":
            raise RuntimeError("not now")
        return super().__getattribute__(name)


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
        (Service("a"), Service("b")),
        (Parcel(1, ["x"]), Parcel(1, ["x"])),
        (Slotted(1), Slotted(1)),
        (ValueError("no"), ValueError("no")),
        (decimal.Decimal("1.10"), decimal.Decimal("1.10")),
        (b"ab", bytearray(b"ab")),
    ],
)
def test_equal_values_have_one_digest(one: object, other: object) -> None:
    assert digest(one) == digest(other)


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
        ({"~": "set", "v": [1]}, {1}),
        ({"~": "tuple", "v": [1]}, (1,)),
        ("é", "e\u0301"),
        ("\ud800", "\ud801"),
        (decimal.Decimal("1.1"), decimal.Decimal("1.10")),
        (len, sorted),
        (range(3), range(4)),
        (Parcel(1), Parcel(2)),
        (Parcel(1, ["x"]), Parcel(1, ["y"])),
        ([Parcel(1)], [Parcel(2)]),
        (Slotted(1), Slotted(2)),
        (Parcel(1), Money(1)),
    ],
)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    assert digest(one) != digest(other)


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

    assert digest(Array(1)) != digest(Array(2))
    assert digest(Array(1)) == digest(Array(1))


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
    if digest(one) == digest(other) and not any("nan" in repr(item) for item in (one, other)):
        assert one == other


@given(VALUES)
def test_a_record_is_json_and_comes_back_equal(value: Any) -> None:
    record = Value.of(value)
    assert Value.from_json(json.loads(json.dumps(record.to_json()))) == record


SNIPPET = """
import json, sys
sys.path.insert(0, {path!r})
from graphlift.parity.plain import digest
class Thing: pass
value = {{"set": {{"a", "b", "c", "d"}}, "map": {{frozenset({{"x", "y"}}): 1, 2: 3}}, "object": Thing(), "error": ValueError(Thing())}}
print(digest(value))
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
    assert record.content == {"items": [1], "deep": {"a": {"b": 1}}}


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
    cycle = {"~": "cycle", "v": "list"}
    assert plain(one) == [1, cycle, cycle]
    assert digest(one) != digest(other)


def test_deep_nesting_ends_and_is_noted() -> None:
    value: Any = 0
    for _ in range(5000):
        value = [value]
    opaque: set[str] = set()
    plain(value, opaque)
    assert opaque == {"list nested deeper than 60"}


def test_a_value_whose_own_code_raises_is_told_by_its_type_and_noted() -> None:
    opaque: set[str] = set()
    assert plain({"a": Rude(1), "b": 1}, opaque) == {
        "a": {"~": "unreadable", "t": f"{__name__}.Rude", "v": "RuntimeError"},
        "b": 1,
    }
    assert opaque == {f"{__name__}.Rude, which raises RuntimeError when it is read"}


def test_an_object_without_a_value_is_told_by_its_type_and_noted() -> None:
    opaque: set[str] = set()
    assert plain(Service(), opaque) == {"~": "opaque", "v": f"{__name__}.Service"}
    assert opaque == {f"{__name__}.Service"}


def test_an_object_with_a_service_inside_is_a_service() -> None:
    opaque: set[str] = set()
    parcel = Parcel(1)
    parcel.owner = [Service()]
    assert plain({"parcel": parcel, "weight": 1}, opaque) == {
        "parcel": {"~": "opaque", "v": f"{__name__}.Parcel"},
        "weight": 1,
    }
    assert opaque == {f"{__name__}.Parcel"}


def test_an_object_with_very_much_inside_is_a_service() -> None:
    assert plain(Parcel(1, ["x"] * 100_000)) == {"~": "opaque", "v": f"{__name__}.Parcel"}


def test_objects_that_hold_each_other_end() -> None:
    one, other = Parcel(1), Parcel(2)
    one.owner, other.owner = other, one
    assert plain(one)["v"]["owner"]["v"]["owner"] == {"~": "cycle", "v": f"{__name__}.Parcel"}


def test_an_address_is_no_part_of_a_text() -> None:
    assert error_text(ValueError(object())) == "ValueError: <object object>"
    assert error_text(KeyError()) == "KeyError"


# records


def test_a_large_value_is_kept_by_its_parts() -> None:
    one = {"small": 1, "large": "x" * KEEP, "deep": {"a": {"b": 1}}}
    other = {**one, "deep": {"a": {"b": 2}}}
    first, second = record(one), record(other)
    assert (first.kept, first.content) == (False, None)
    differing = sorted(path for path in first.parts if first.parts[path] != second.parts[path])
    assert differing == [("deep",), ("deep", "a"), ("deep", "a", "b")]
    assert Value.from_json(json.loads(json.dumps(first.to_json()))) == first


def test_parts_of_a_kept_value_and_of_a_large_one_are_the_same() -> None:
    value = {"a": {"b": 1}, "c": [1, 2]}
    assert record(value, keep=0).parts == record(value).parts
    assert record(value, keep=0).digest == record(value).digest


def test_a_part_is_found_by_its_path() -> None:
    value = Value.of({"data": {"total": 3}})
    assert (value.at(("data", "total")), value.at(("data", "x")), value.at(("data", "total", "x"))) == (3, None, None)


def test_short_text() -> None:
    assert shorten(Value.of({"b": 1, "a": None})) == '{"a": null, "b": 1}'
    assert shorten("x" * 100, 10) == '"xxxxxxxx…'
    assert shorten(record("x" * 100, keep=10)).endswith("too large to keep>")


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__("declined")
        self.code = code


def test_an_error_is_told_by_its_attributes_too() -> None:
    assert digest(Declined(1)) != digest(Declined(2))
    assert digest(Declined(1)) == digest(Declined(1))
    assert digest(ValueError("a")) == digest(ValueError("a"))


@pytest.mark.parametrize("made", [lambda: (i for i in [1]), lambda: iter([1]), lambda: map(str, [1])])
def test_what_can_be_read_once_only_is_told_by_its_type_and_says_so(made: Any) -> None:
    opaque: set[str] = set()
    plain(made(), opaque)
    assert opaque == {type(made()).__name__}

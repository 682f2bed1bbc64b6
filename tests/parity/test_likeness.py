"""In what two values that differ are alike: rounding, type, order; and that other values are not."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.parity import Value
from graphlift.parity.likeness import likeness


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        (0.1 + 0.2, 0.3, "numbers 6e-17 apart, as floating point rounds"),
        (3, 3.0, "the same number as int and as float"),
        (1.23456, 1.23, "the number rounded to 2 places"),
        (1.2, 1.23456, "the number rounded to 1 place"),
        (2, 2.4, "the number rounded to 0 places"),
        (Decimal("1.50"), 1.5, "the same number as Decimal and as float"),
        ("5", 5, "the same number as str and as int"),
        ((1, 2), [1, 2], "the same content as tuple and as list"),
        ({2, 1}, [1, 2], "the same content as set and as list"),
        ([2, 1], [1, 2], "the same items in another order"),
        (dt.date(2030, 1, 2), "2030-01-02", "the same content as date and as str"),
        ({"x": {1: "a"}}, {"x": {"1": "a"}}, "the same keys as int and as str (at x)"),
        ({None: 1}, {"None": 1}, "the same keys as None and as str"),
        ({1: 0.1 + 0.2, "b": 2}, {1: 0.3, "b": 2}, "numbers 6e-17 apart, as floating point rounds (at 1)"),
        ({"a": {"b": 1}}, {"a": {"b": 1.0}}, "the same number as int and as float (at a.b)"),
        ([{"n": 1.0}], [{"n": 1.0 + 1e-12}], "numbers 1e-12 apart, as floating point rounds (at [0].n)"),
        (
            {"a": (1,), "b": 1.0},
            {"a": [1], "b": 1},
            "the same content as tuple and as list (at a) and the same number as float and as int (at b)",
        ),
    ],
)
def test_what_is_alike(one: Any, other: Any, how: str) -> None:
    assert likeness(Value.of(one), Value.of(other)) == how


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1.0, 1.6),
        ("a", "b"),
        (True, "yes"),
        (None, 0),
        ([1], [1, 2]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1.0, "b": "x"}, {"a": 1, "b": "y"}),
        (float("nan"), 1.0),
        (float("inf"), 1.0),
        (1, 1),
    ],
)
def test_what_is_not_alike(one: Any, other: Any) -> None:
    assert likeness(Value.of(one), Value.of(other)) is None


def test_a_value_that_is_not_there() -> None:
    assert likeness(None, Value.of(1)) is None


def test_a_value_that_was_too_large_to_keep() -> None:
    assert likeness(Value.of("x" * 100_000), Value.of("y")) is None


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_any_two_values_can_be_looked_at_either_way_round(one: Any, other: Any) -> None:
    there, back = likeness(Value.of(one), Value.of(other)), likeness(Value.of(other), Value.of(one))
    assert (there is None) == (back is None)
    assert likeness(Value.of(one), Value.of(one)) is None


KEYS = st.one_of(st.integers(-2, 2), st.sampled_from(["1", "a", "None"]), st.none(), st.tuples(st.integers(0, 1)))
TREES = st.recursive(
    st.one_of(st.integers(-2, 2), st.floats(allow_nan=False), st.text(max_size=2), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3), st.tuples(inner)),
    max_leaves=8,
)


@given(TREES, TREES)
def test_any_two_values_can_be_compared(one: Any, other: Any) -> None:
    told = likeness(Value.of(one), Value.of(other))
    assert told is None or Value.of(one).digest != Value.of(other).digest

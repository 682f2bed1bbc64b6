"""Names in a waiting edge's channel, and opaque versions, as properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters.scheduler.joins import Join, load, names_in, stored_join, target_of
from graphlift.adapters.scheduler.versions import Ordinals, newer, null_version

NAME = st.text("ab+", min_size=1, max_size=4).filter(lambda name: name.strip("+") == name and "++" not in name)


@given(st.lists(NAME, min_size=1, max_size=4, unique=True), st.sets(NAME), NAME)
def test_the_true_names_are_among_the_readings(names: list[str], others: set[str], target: str) -> None:
    channel = f"join:{'+'.join(names)}:{target}"
    found, certain = names_in(channel, {*names, *others}, ())
    # All arrived: only a reading that lists every one of them is left, and none lists fewer.
    complete, _ = names_in(channel, {*names, *others}, names)
    assert complete == frozenset(names)
    assert target_of(channel) == target
    if certain:
        assert found == frozenset(names)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5, unique=True))
def test_names_without_plus_are_certain(names: list[str]) -> None:
    assert names_in(f"join:{'+'.join(names)}:t", names, ()) == (frozenset(names), True)


def test_an_unseen_name_with_plus_is_read_plainly_until_history_shows_it() -> None:
    assert names_in("join:a+b+c:t", {"c"}, ()) == (frozenset({"a", "b", "c"}), True)
    assert names_in("join:a+b+c:t", {"a+b", "c"}, ()) == (frozenset({"a", "b", "c"}), False)
    assert names_in("join:a+b+c:t", {"c"}, {"a+b"}) == (frozenset({"a+b", "c"}), True)


@pytest.mark.parametrize(
    ("stored", "arrived", "released", "held"),
    [
        (None, set(), False, False),
        ({"a"}, {"a"}, False, False),
        ({"a", "b"}, {"a", "b"}, True, False),
        (({"a"}, False), {"a"}, False, False),
        (({"a", "b"}, False), {"a", "b"}, False, True),
        (({"a", "b"}, True), {"a", "b"}, True, False),
        (({"a"}, True), {"a"}, True, False),
        ([["a"], False], {"a"}, False, False),
    ],
)
def test_every_stored_form(stored: Any, arrived: set[str], released: bool, held: bool) -> None:
    join = stored_join("join:a+b:t", stored, frozenset({"a", "b"}), True)
    assert join == Join("join:a+b:t", "t", frozenset("ab"), frozenset(arrived), released, held)
    assert join.missing == {"a", "b"} - arrived
    assert load(stored)[0] == arrived


@given(st.sets(st.text(min_size=1, max_size=3), min_size=1))
def test_ordinals_keep_the_order_of_versions(versions: set[str]) -> None:
    ordinals = Ordinals(versions)
    assert [ordinals(version) for version in sorted(versions)] == list(range(1, len(versions) + 1))
    assert ordinals(None) is None


@given(st.integers(1, 9), st.integers(1, 9))
def test_newer_is_strict(first: int, second: int) -> None:
    assert newer(first, second) is (first > second)
    assert newer(first, None)
    assert not newer(None, first)
    assert not newer(None, None)


@pytest.mark.parametrize(("versions", "null"), [({"a": 3}, 0), ({"a": "x"}, ""), ({"a": 1.5}, 0.0), ({}, None)])
def test_the_null_version_is_of_the_savers_type(versions: dict[str, Any], null: Any) -> None:
    assert null_version(versions) == null

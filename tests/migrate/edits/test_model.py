"""Edits and plans: bytes outside an edit stay, and a plan is data that can be sent and read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters.errors import UsageError
from graphlift.migrate.edits import Edit, FileChange, Flag, OverlapError, Plan, splice
from graphlift.migrate.edits.model import difference


def test_splice_replaces_inserts_and_deletes() -> None:
    assert splice(b"abcdef", [Edit(4, 5, b""), Edit(0, 1, b"XY"), Edit(3, 3, b"-")]) == b"XYbc-df"


def test_insertions_at_one_place_keep_their_order_and_precede_a_replacement_there() -> None:
    assert splice(b"ab", [Edit(1, 2, b"B"), Edit(1, 1, b"1"), Edit(1, 1, b"2")]) == b"a12B"


@pytest.mark.parametrize("edits", [[Edit(0, 2, b""), Edit(1, 3, b"")], [Edit(0, 2, b"x"), Edit(0, 2, b"x")]])
def test_edits_that_share_bytes_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(OverlapError):
        splice(b"abcd", edits)


def test_an_edit_outside_of_the_file_is_refused() -> None:
    with pytest.raises(ValueError, match="outside of a file of 2 bytes"):
        splice(b"ab", [Edit(1, 3, b"")])


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_the_difference_of_two_contents_turns_one_into_the_other(before: bytes, after: bytes) -> None:
    edits = difference(before, after)
    assert splice(before, edits) == after
    assert (edits == ()) == (before == after)


@given(st.binary(min_size=1, max_size=80), st.data())
def test_bytes_outside_of_the_edits_stay(before: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(before)), min_size=2, max_size=8, unique=True)))
    edits = [Edit(a, b, data.draw(st.binary(max_size=4))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    kept, position = b"", 0
    for edit in edits:
        kept, position = kept + before[position : edit.start] + edit.new, edit.end
    assert splice(before, edits) == kept + before[position:]


def test_a_plan_is_sorted_and_drops_what_changes_nothing() -> None:
    flags = [Flag("b.py", 2, "k", "r"), Flag("a.py", 9, "k", "r"), Flag("b.py", 2, "k", "r")]
    plan = Plan.of([FileChange("b", b"1", b"2"), FileChange("c", b"1", b"1"), FileChange("a", None, b"")], flags)
    assert [change.path for change in plan.changes] == ["a", "b"]
    assert plan.flags == (flags[1], flags[0])
    assert plan
    assert not Plan.of([FileChange("c", b"1", b"1")], flags)


def test_a_path_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        Plan.of([FileChange("a", b"1", b"2"), FileChange("a", b"1", b"3")])


CHANGES = [
    FileChange("edited.py", b"a = 1\r\nb\xe9\r\n", b"a = 2\r\nb\xe9\r\n"),
    FileChange("latin.py", b"x\xe9", b"y\xe9\xea"),
    FileChange("new.py", None, b"n"),
    FileChange("gone.py", b"g", None),
]


def test_a_plan_survives_json() -> None:
    plan = Plan.of(CHANGES, [Flag("edited.py", 1, "kind", "why", "a.B")], [("rewrite-calls", 2)])
    held = {change.path: change.before for change in CHANGES if change.before is not None}
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict())), held.__getitem__) == plan


def test_a_plan_is_not_read_back_over_other_contents() -> None:
    data = Plan.of(CHANGES).to_dict()
    with pytest.raises(UsageError, match=r"(edited|gone|latin).py: the file changed since"):
        Plan.from_dict(data, lambda path: b"other")

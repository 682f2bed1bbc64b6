"""The people's file merged by its tables: before, and both sides."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.ratchet.merging import blocks, merge_rules

HEAD = "# People write here.\n\n"


def rule(name: str, more: str = "") -> str:
    return f'[[rule]]\nid = "{name}"\nmetric = "lines"\npaths = ["{name}.py"]\n{more}\n'


def raised(name: str, to: int = 9) -> str:
    return f'[[raise]]\nkey = "lines:{name}.py"\nto = {to}\nreason = "r"\nowner = "o"\n\n'


BASE = HEAD + rule("a") + rule("b")


def test_two_new_tables_are_both_there() -> None:
    merged = merge_rules(BASE, BASE + raised("a"), BASE + raised("b"))
    assert merged == (BASE + raised("a") + raised("b")).rstrip("\n") + "\n"


def test_a_new_table_stands_where_its_side_has_it() -> None:
    ours, theirs = BASE + raised("a") + raised("c"), BASE + raised("a") + raised("b") + raised("c")
    assert merge_rules(BASE + raised("a"), ours, theirs) == theirs.rstrip("\n") + "\n"


def test_changes_of_other_tables_are_both_taken() -> None:
    ours = HEAD + rule("a", "cap = 3\n") + rule("b")
    theirs = HEAD + rule("a") + "# about b\n" + rule("b", "owner = 'x'\n")
    expected = HEAD + rule("a", "cap = 3\n") + "# about b\n" + rule("b", "owner = 'x'\n")
    assert merge_rules(BASE, ours, theirs) == expected.rstrip("\n") + "\n"


def test_a_table_that_one_side_took_out_is_gone() -> None:
    assert merge_rules(BASE + raised("a"), BASE + raised("a"), BASE) == BASE.rstrip("\n") + "\n"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (BASE + raised("a", 9), BASE + raised("a", 10)),
        (HEAD + rule("a", "cap = 1\n") + rule("b"), HEAD + rule("a", "cap = 2\n") + rule("b")),
        (HEAD + rule("b"), HEAD + rule("a", "cap = 2\n") + rule("b")),
        ("# mine\n\n" + rule("a") + rule("b"), "# yours\n\n" + rule("a") + rule("b")),
        (BASE + "[[rule\n", BASE + raised("a")),
    ],
)
def test_a_contradiction_is_none(ours: str, theirs: str) -> None:
    assert merge_rules(BASE, ours, theirs) is None


def test_a_table_inside_of_a_rule_belongs_to_it() -> None:
    ours = HEAD + rule("a", '[rule.options]\ncontexts = ["live"]\n') + rule("b")
    assert [block.name[1] for block in blocks(ours)] == ["", "a", "b"]
    assert merge_rules(BASE, ours, BASE + raised("b")) == (ours + raised("b")).rstrip("\n") + "\n"


def test_a_header_in_a_text_of_several_lines_is_none() -> None:
    text = HEAD + rule("a", 'reason = """\n[[rule]]\n"""\n')
    assert [block.name[1] for block in blocks(text)] == ["", "a"]


def test_newlines_are_ours() -> None:
    crlf = (BASE + raised("a")).replace("\n", "\r\n")
    merged = merge_rules(BASE, crlf, BASE + raised("b"))
    assert merged is not None
    assert merged.count("\n") == merged.count("\r\n")


TABLES = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), max_size=4)


def text(tables: dict[str, int]) -> str:
    return HEAD + "".join(raised(name, to) for name, to in sorted(tables.items()))


@given(TABLES, TABLES, TABLES)
def test_merging_is_what_a_merge_of_dictionaries_is(base: Any, ours: Any, theirs: Any) -> None:
    merged = merge_rules(text(base), text(ours), text(theirs))
    clash = [
        name for name in "abcd"
        if ours.get(name) != base.get(name) and theirs.get(name) not in (base.get(name), ours.get(name))
    ]  # fmt: skip
    if clash:
        assert merged is None
        return
    chosen = {name: (theirs if ours.get(name) == base.get(name) else ours).get(name) for name in "abcd"}
    assert merged is not None
    found = {block.name[1]: block.content for block in blocks(merged) if block.name[0]}
    assert found == {f"lines:{name}.py": raised(name, to).strip("\n") for name, to in chosen.items() if to is not None}

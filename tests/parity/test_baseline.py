"""Known divergences: an entry that is expired, unmatched or exceeded fails, and edits keep what people wrote."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters import ConfigurationError
from graphlift.parity import Divergence
from graphlift.parity.baseline import Known, accept, judge, read_baseline

TODAY = dt.date(2030, 1, 1)


def known(rule: str = "GL101", case: str = "order/*", **more: Any) -> Known:
    return Known.model_validate(
        {"rule": rule, "case": case, "reason": "r", "owner": "ada", "expires": dt.date(2031, 1, 1), **more}
    )


def divergence(rule: str = "GL101", case: str = "order/small", node: str | None = "pay") -> Divergence:
    return Divergence(rule, "run count", node, None, "one", "two", "cause", case=case)


def judged(found: list[Divergence], entries: list[Known], ran: frozenset[str] | None = None) -> Any:
    result = judge(found, entries, TODAY, ran)
    return [entry for _, entry in result.divergences], [(item.kind, item.text) for item in result.problems]


@pytest.mark.parametrize(
    "entry",
    [
        known(),
        known(case="order/small"),
        known(case="*"),
        known(node="pay"),
        known(node="p*"),
        known(expires=TODAY),
        known(at_most=9),
    ],
)
def test_an_entry_that_is_about_it_makes_it_known(entry: Known) -> None:
    assert judged([divergence()], [entry]) == ([entry], [])


@pytest.mark.parametrize(
    "entry",
    [known(rule="GL110"), known(case="refund/*"), known(case="order"), known(node="ship"), known(case="ORDER/*")],
)
def test_an_entry_about_something_else_does_not(entry: Known) -> None:
    entries, problems = judged([divergence()], [entry])
    assert entries == [None]
    assert [kind for kind, _ in problems] == ["unmatched"]


def test_an_id_with_brackets_names_itself() -> None:
    entry = known(case="order[workers=4]")
    assert judged([divergence(case="order[workers=4]")], [entry]) == ([entry], [])


def test_an_entry_without_a_node_is_about_the_run_too() -> None:
    entry = known()
    assert judged([divergence(node=None)], [entry]) == ([entry], [])
    assert judged([divergence(node=None)], [known(node="pay")])[0] == [None]


def test_an_expired_entry_knows_nothing() -> None:
    text = "GL101 in order/* expired on 2029-12-31: mend the divergence, or renew with a reason"
    assert judged([divergence()], [known(expires=dt.date(2029, 12, 31))]) == ([None], [("expired", text)])


def test_an_expired_entry_fails_even_where_nothing_diverges() -> None:
    assert judged([], [known(expires=dt.date(2029, 12, 31))])[1][0][0] == "expired"


def test_an_expired_entry_does_not_hide_the_one_that_renews_it() -> None:
    old, new = known(expires=dt.date(2029, 12, 31)), known(case="order/small")
    entries, problems = judged([divergence()], [old, new])
    assert entries == [new]
    assert [kind for kind, _ in problems] == ["expired"]


def test_more_than_the_greatest_count() -> None:
    entry = known(at_most=2)
    entries, problems = judged([divergence(node=name) for name in "abc"], [entry])
    assert entries == [entry, entry, None]
    assert problems == [("exceeded", "GL101 in order/* was found 3 times, at most 2 are listed")]


def test_a_second_entry_takes_what_the_first_has_no_room_for() -> None:
    first, second = known(), known(case="order/small")
    assert judged([divergence(node="a"), divergence(node="b")], [first, second]) == ([first, second], [])


def test_an_unmatched_entry_fails() -> None:
    assert judged([], [known(node="pay")]) == (
        [],
        [("unmatched", "GL101 in order/* at pay does not happen (any more): delete the entry")],
    )


def test_an_entry_whose_case_is_misspelt_is_unmatched_once_every_case_ran() -> None:
    assert [kind for kind, _ in judged([], [known(case="odrer/*")])[1]] == ["unmatched"]


def test_an_entry_for_a_case_that_did_not_run_is_not_called_unmatched() -> None:
    assert judged([], [known(case="order/small")], frozenset({"refund"}))[1] == []
    assert [kind for kind, _ in judged([], [known(case="order/*")], frozenset({"order/small"}))[1]] == ["unmatched"]


# the file


def read(tmp_path: Path, text: str) -> tuple[Known, ...]:
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    return read_baseline(path, "known.toml")


ENTRY = """
[[divergence]]
rule = "GL101"
case = "order/small"
reason = "the walker ran it twice"
owner = "ada"
expires = 2031-01-01
"""


def test_no_file_is_no_entry(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "known.toml", "known.toml") == ()


def test_an_entry_is_read(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, ENTRY)
    assert (entry.rule, entry.case, entry.node, entry.at_most, entry.verdict) == (
        "GL101",
        "order/small",
        None,
        1,
        "intended",
    )
    assert entry.expires == dt.date(2031, 1, 1)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        (ENTRY.replace('"ada"', '""'), "known.toml:2", "divergence 1: owner: String should have at least 1 character"),
        (ENTRY + ENTRY.replace("rule", "rle"), "known.toml:9", "divergence 2: rule: Field required"),
        (ENTRY + "at_most = 0\n", "known.toml:2", "divergence 1: at_most: Input should be greater than or equal to 1"),
        (ENTRY + 'verdict = "fine"\n', "known.toml:2", "divergence 1: verdict: Input should be 'legacy bug'"),
        (ENTRY.replace("2031-01-01", '"soon"'), "known.toml:2", "divergence 1: expires: Input should be a valid date"),
        (ENTRY + "until = 3\n", "known.toml:2", "divergence 1: until: Extra inputs are not permitted"),
        ("[[divergence]\n", "known.toml:1", "is not valid TOML"),
        ("[[known]]\n", "known.toml", "unknown key 'known'"),
    ],
)
def test_a_wrong_entry_is_told_with_file_and_line(tmp_path: Path, text: str, where: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    assert caught.value.where == where
    assert message in str(caught.value)
    assert caught.value.mend


def test_a_table_that_is_no_list_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="divergence"):
        read(tmp_path, "[divergence]\nrule = 'GL101'\n")


# accept


def test_accepting_writes_a_file_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    first, second = known(node="pay"), known(rule="GL110", verdict="legacy bug", at_most=3)
    assert accept(path, [first, second], "known.toml") == (False, False)
    assert read_baseline(path, "known.toml") == (first, second)
    assert path.read_text(encoding="utf-8").startswith("# Known divergences between the engines.")
    assert [item.name for item in tmp_path.iterdir()] == ["known.toml"]


def test_comments_and_order_survive(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    text = "# ours\n" + ENTRY.replace('owner = "ada"', 'owner = "ada"  # ask her first') + "# the end\n"
    path.write_text(text, encoding="utf-8")
    accept(path, [known(rule="GL110")], "known.toml")
    after = path.read_text(encoding="utf-8")
    assert after.startswith(text.rstrip("\n").removesuffix("# the end"))
    assert "# the end" in after
    assert [entry.rule for entry in read_baseline(path, "known.toml")] == ["GL101", "GL110"]


def test_the_same_selector_is_renewed_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        ENTRY.replace('owner = "ada"', 'owner = "ada"  # ask her first') + ENTRY.replace("GL101", "GL110"),
        encoding="utf-8",
    )
    renewed = known(case="order/small", reason="still", expires=dt.date(2032, 1, 1))
    assert accept(path, [renewed, known(rule="GL120")], "known.toml") == (True, False)
    entries = read_baseline(path, "known.toml")
    assert [(entry.rule, entry.reason, entry.expires.year) for entry in entries] == [
        ("GL101", "still", 2032),
        ("GL110", "the walker ran it twice", 2031),
        ("GL120", "r", 2031),
    ]
    assert "# ask her first" in path.read_text(encoding="utf-8")


def test_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_bytes(ENTRY.replace("\n", "\r\n").encode())
    accept(path, [known()], "known.toml")
    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") > 10


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(ENTRY, encoding="utf-8")
    path.chmod(0o600)
    accept(path, [known()], "known.toml")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_wrong_as_it_is_stays_untouched(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text("[[divergence]\n", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        accept(path, [known()], "known.toml")
    assert path.read_text(encoding="utf-8") == "[[divergence]\n"

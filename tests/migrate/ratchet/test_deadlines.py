"""Goals and raises with a day: warned ahead, and afterwards a failure of changes that touch the place only."""

from __future__ import annotations

from typing import Any

import pytest

RULES = """\
[[rule]]
id = "walker"
metric = "lines"
paths = ["walker.py"]
owner = "flows"
goal = 2
by = 2030-06-30
"""


@pytest.fixture
def aimed(repo: Any) -> Any:
    repo.files({"walker.py": "1\n2\n3\n4\n", "other.py": "1\n", "ratchet.toml": RULES})
    repo.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    return repo


def found(repo: Any, day: str, *more: str) -> list[tuple[str, str]]:
    said = repo.check("--as-of", day, *more)
    return [(finding["code"], finding["level"]) for finding in said.json()["findings"]]


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2030-06-15", []),
        ("2030-06-16", [("due-soon", "warning")]),
        ("2030-06-30", [("due-soon", "warning")]),
        ("2030-07-01", [("overdue", "warning")]),
    ],
)
def test_a_build_that_does_not_touch_it_never_breaks(aimed: Any, day: str, expected: list[tuple[str, str]]) -> None:
    aimed.files({"other.py": "1\n2\n"})
    assert found(aimed, day) == expected
    assert aimed.check("--as-of", day).code == 0


def test_after_the_day_a_change_of_the_file_fails(aimed: Any) -> None:
    aimed.files({"walker.py": "1\n2\n4\n"})
    assert found(aimed, "2030-06-30") == [("due-soon", "warning")]
    assert found(aimed, "2030-07-01") == [("overdue", "error")]
    aimed.files({"walker.py": "1\n2\n"})
    assert found(aimed, "2030-07-01") == []


def test_absolute_only_warns(aimed: Any) -> None:
    assert found(aimed, "2031-01-01", "--absolute") == [("overdue", "warning")]


@pytest.fixture
def raised(repo: Any) -> Any:
    """A branch on which a cap was raised until a day."""
    repo.files({"walker.py": "1\n2\n3\n4\n", "other.py": "1\n", "ratchet.toml": RULES.partition("goal")[0]})
    repo.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"walker.py": "1\n2\n3\n4\n5\n"})
    raised = ("ratchet", "raise", "lines:walker.py", "--to", "5", "--reason", "couriers", "--owner", "ops")
    assert repo.run(*raised, "--expires", "2090-03-01").code == 0
    repo.commit()
    return repo


def test_a_raise_that_has_run_out(raised: Any) -> None:
    assert found(raised, "2090-02-01") == []
    assert found(raised, "2090-02-20") == [("due-soon", "warning")]
    # It allows nothing any more: neither the number nor the cap.
    assert found(raised, "2090-03-02") == [("grown", "error"), ("raise-expired", "error")]
    raised.git("switch", "--quiet", "--create", "later")
    raised.files({"other.py": "1\n2\n"})
    assert found(raised, "2090-03-02", "--base", "branch") == [("raise-expired", "warning")]


def test_without_a_former_cap_it_must_at_least_come_down(raised: Any) -> None:
    raised.files({"ratchet.toml": raised.read("ratchet.toml").replace("from = 4\n", "")})
    raised.commit()
    assert found(raised, "2090-03-02", "--absolute") == [("raise-expired", "warning")]
    raised.files({"walker.py": "1\n2\n3\n4\n"})
    raised.run("ratchet", "tighten")
    assert found(raised, "2090-03-02", "--absolute") == []


def test_a_loosened_rule_that_was_to_be_strict_again_is_named(raised: Any) -> None:
    entry = '\n[[raise]]\nkey = "rule:walker"\nreason = "moving"\nowner = "ops"\nexpires = 2090-03-01\n'
    raised.files({"ratchet.toml": raised.read("ratchet.toml").partition("\n[[raise]]")[0] + entry})
    raised.commit()
    raised.git("switch", "--quiet", "--create", "later")
    assert found(raised, "2090-02-20", "--base", "branch") == [("due-soon", "warning")]
    assert found(raised, "2090-03-02", "--base", "branch") == [("raise-expired", "warning")]


def test_a_raise_for_a_day_that_is_past_is_refused(raised: Any) -> None:
    before = raised.read("ratchet.toml")
    asked = ("ratchet", "raise", "lines:walker.py", "--to", "9", "--reason", "x", "--owner", "y", "--expires")
    said = raised.run(*asked, "2020-01-01")
    assert (said.code, said.error.splitlines()[0]) == (2, "2020-01-01 is past: such a raise allows nothing")
    assert raised.read("ratchet.toml") == before


def test_a_raise_written_by_hand_for_a_day_that_is_past_allows_nothing(raised: Any) -> None:
    text = raised.read("ratchet.toml").replace("2090-03-01", "2020-03-01")
    raised.files({"ratchet.toml": text})
    assert "grown" in [code for code, _ in found(raised, "2020-03-02")]


def test_a_raise_until_a_day_that_nobody_will_live_to_see_is_told(raised: Any) -> None:
    asked = ("ratchet", "raise", "lines:walker.py", "--to", "19", "--reason", "x", "--owner", "y", "--expires")
    said = raised.run(*asked, "9999-12-31")
    told = "warning: 9999-12-31 is more than a year away, which is as good as never"
    assert (said.code, said.error.splitlines()[0]) == (0, told)
    assert ("far-off", "warning") in found(raised, "2090-02-01", "--absolute")
    assert found(raised, "9999-01-01", "--absolute").count(("far-off", "warning")) == 0

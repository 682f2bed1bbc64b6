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


def test_a_raise_that_has_run_out(aimed: Any) -> None:
    aimed.files({"walker.py": "1\n2\n3\n4\n5\n", "ratchet.toml": RULES.replace("goal = 2\nby = 2030-06-30\n", "")})
    aimed.run(
        *("ratchet", "raise", "lines:walker.py", "--to", "5", "--reason", "couriers", "--owner", "ops"),
        *("--expires", "2030-03-01"),
    )
    aimed.commit()
    assert found(aimed, "2030-02-01") == []
    assert found(aimed, "2030-02-20") == [("due-soon", "warning")]
    assert found(aimed, "2030-03-02") == [("raise-expired", "error")]
    aimed.git("switch", "--quiet", "--create", "later")
    aimed.files({"other.py": "1\n2\n"})
    assert found(aimed, "2030-03-02", "--base", "branch") == [("raise-expired", "warning")]

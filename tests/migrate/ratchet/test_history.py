"""The burn-down from git's history, and the forecast."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.ratchet.history import forecast

RULES = '[[rule]]\nid = "walker"\nmetric = "lines"\npaths = ["walker.py"]\ngoal = 10\nby = 2026-01-12\n'


def days(*totals: int, step: int = 1) -> list[tuple[datetime.date, str, int]]:
    start = datetime.date(2026, 1, 1)
    return [(start + datetime.timedelta(days=index * step), "c", total) for index, total in enumerate(totals)]


@pytest.mark.parametrize(
    ("totals", "goal", "day"),
    [
        ((100, 90, 80), 0, "2026-01-11"),
        ((100, 90, 80), 70, "2026-01-04"),
        ((100, 100), 0, None),
        ((90, 100), 0, None),
        ((100,), 0, None),
        ((100, 0), 0, "2026-01-02"),
        ((100, 90), None, None),
    ],
)
def test_forecast(totals: tuple[int, ...], goal: int | None, day: str | None) -> None:
    assert forecast(days(*totals), goal) == (datetime.date.fromisoformat(day) if day else None)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9), st.integers(0, 1000), st.integers(0, 30))
def test_a_forecast_is_a_met_goals_day_or_lies_ahead(totals: list[int], goal: int, step: int) -> None:
    points = days(*totals, step=step)
    found = forecast(points, goal)
    if totals[-1] <= goal:
        assert found in [day for day, _, total in points if total <= goal]
    elif found is not None:
        assert found >= points[-1][0]


@pytest.fixture
def fallen(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Three commits on three days, from 40 lines to 20."""
    repo.files({"ratchet.toml": RULES})
    for day, count in ((1, 40), (2, 30), (3, 20)):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-01-0{day}T12:00:00+0000")
        repo.files({"walker.py": "x\n" * count})
        repo.run("ratchet", "tighten")
        repo.commit(f"down to {count}")
    return repo


def test_the_plot(fallen: Any) -> None:
    ids = fallen.git("log", "--reverse", "--format=%h", "--abbrev=8").splitlines()
    assert fallen.run("ratchet", "history").out == (
        "walker (lines)\n"
        f"  2026-01-01 {ids[0]} 40 {'#' * 40}\n"
        f"  2026-01-02 {ids[1]} 30 {'#' * 30}\n"
        f"  2026-01-03 {ids[2]} 20 {'#' * 20}\n"
        "  goal 10 by 2026-01-12: at this pace on 2026-01-04\n"
    )


def test_too_late(fallen: Any) -> None:
    fallen.files({"ratchet.toml": RULES.replace("goal = 10\nby = 2026-01-12", "goal = 0\nby = 2026-01-04")})
    assert "goal 0 by 2026-01-04: at this pace on 2026-01-05, too late\n" in fallen.run("ratchet", "history").out


def test_data(fallen: Any) -> None:
    (rule,) = fallen.run("ratchet", "history", "--format", "json").json()["rules"]
    assert [(point["day"], point["total"]) for point in rule["points"]] == [
        ("2026-01-01", 40),
        ("2026-01-02", 30),
        ("2026-01-03", 20),
    ]
    assert (rule["forecast"], rule["late"]) == ("2026-01-04", False)


def test_the_svg_is_well_formed_and_needs_nothing_else(fallen: Any) -> None:
    text = fallen.run("ratchet", "history", "--format", "svg").out
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "href" not in text
    paths = [node.attrib["d"] for node in root if node.tag.endswith("path")]
    assert paths[1] == "M 56.0 56.0 H 376.0 V 96.0 H 696.0 V 136.0"


def test_one_rule_and_no_rule(fallen: Any) -> None:
    assert fallen.run("ratchet", "history", "walker").code == 0
    assert fallen.run("ratchet", "history", "other").code == 2
    assert fallen.run("ratchet", "history", "--format", "png").code == 2


def test_before_the_first_commit(repo: Any) -> None:
    repo.files({"ratchet.toml": RULES, "walker.py": "x\n"})
    assert repo.run("ratchet", "history").out == "the lock has no history yet: commit it\n"

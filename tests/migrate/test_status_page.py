"""`graphlift status --html`, and the figures over time: from git's history of the lock, always the same, and never in the way."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest

from graphlift.migrate.ratchet.history import Series
from graphlift.migrate.status.charts import draw
from graphlift.migrate.status.page import as_html
from graphlift.migrate.status.stages import Stage
from graphlift.migrate.status.trend import MOST, Trend, condensed, tell

DAY = datetime.date.fromisoformat
TOML = '[[symbol]]\nlegacy = "old.Walker"\nto = "eng.Runner"\n'
RULES = """
[[rule]]
id = "walker-file"
metric = "lines"
paths = ["old.py"]
goal = 0
by = 2026-05-31
"""


@pytest.fixture
def dated(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A repository whose lock fell over three commits of known days."""
    files = {"graphlift.toml": TOML, "old.py": "class Walker:\n    pass\n", "eng.py": "class Runner: ...\n"}
    repo.files({**files, "ratchet.toml": RULES})
    for day, cap in (("2026-01-10", 90), ("2026-01-10", 80), ("2026-03-01", 40)):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00Z")
        repo.files({"ratchet.lock": f"{cap} lines:old.py\n"})
        repo.commit()
    return repo


def over_time(repo: Any) -> Any:
    return repo.run("status", "--format", "json").json()["over_time"]


def page(repo: Any) -> str:
    path = repo.root / ".graphlift" / "status.html"
    said = repo.run("status", "--html", str(path))
    assert said.code == 0, said.error
    return str(path.read_text(encoding="utf-8"))


def test_figures_over_time(dated: Any) -> None:
    assert over_time(dated) == {
        "note": None,
        "rules": [
            {
                "rule": "walker-file",
                "metric": "lines",
                "points": [
                    {"day": "2026-01-10", "total": 90},
                    {"day": "2026-01-10", "total": 80},
                    {"day": "2026-03-01", "total": 40},
                ],
                "goal": 0,
                "by": "2026-05-31",
                "forecast": "2026-04-14",
                "late": False,
            }
        ],
    }
    assert over_time(dated) == over_time(dated)


def test_no_history_is_said_and_is_no_error(repo: Any, sandbox: Any) -> None:
    repo.files({"graphlift.toml": TOML, "old.py": "class Walker: ...\n"})
    assert over_time(repo) == {"note": "there are no rules: `graphlift ratchet init` begins the record", "rules": []}
    repo.files({"ratchet.toml": RULES})
    assert over_time(repo)["note"] == "ratchet.lock has no history yet: commit it"
    repo.files({"ratchet.toml": "[[rule]]\n"})
    assert over_time(repo)["note"] == "ratchet.toml:1: rule.0.id: Field required"
    repo.files({"ratchet.toml": RULES, "ratchet.lock": "what is this\n"})
    repo.commit()
    assert over_time(repo)["note"].startswith("ratchet.lock at ")
    sandbox.files({"graphlift.toml": TOML, "old.py": "class Walker: ...\n", "ratchet.toml": RULES})
    said = sandbox.run("status", "--format", "json").json()["over_time"]
    assert said == {"note": "this folder is not in a git work tree, so there is no history", "rules": []}


def test_a_shallow_clone_says_that_the_beginning_is_missing(dated: Any, tmp_path: Path) -> None:
    dated.git("clone", "--quiet", "--depth", "1", f"file://{dated.root}", str(tmp_path / "clone"))
    clone = type(dated)(tmp_path / "clone")
    found = over_time(clone)
    assert found["note"] == "this clone is shallow, so the beginning is missing: `git fetch --unshallow`"
    assert [point["total"] for point in found["rules"][0]["points"]] == [40]


def test_the_page_has_the_stages_with_proof_and_next_command(dated: Any) -> None:
    text = page(dated)
    assert '<strong class="begun">4 of 7</strong> stages' in text
    titles = re.findall(r'<li class="stage (\w+)(?: current)?"', text)
    assert titles == ["done", "done", "open", "done", "done", "open", "open"]
    assert "graphlift.toml names 1 legacy symbol" in text
    assert '<h2 id="following">Next: engines agree</h2>\n<p><code class="command">graphlift parity</code></p>' in text
    assert "<div><dt>retired</dt><dd>0</dd></div>" in text
    assert "<li>old.py:1: old.Walker</li>" in text


def test_the_page_has_the_burn_down(dated: Any) -> None:
    text = page(dated)
    told = "90 on 2026-01-10, 40 on 2026-03-01; goal 0 by 2026-05-31: at this pace on 2026-04-14"
    assert f"walker-file: {told}</title>" in text
    assert (
        '<tr><th scope="row">2026-03-01</th><td>40</td></tr>\n<tr><th scope="row">2026-01-10</th><td>80</td></tr>'
        in text
    )
    assert text.count('class="goal"') == 3  # the goal, its day, and the legend
    assert str(dated.root) not in text


def test_the_same_state_gives_the_same_page(dated: Any) -> None:
    first = page(dated)
    assert page(dated) == first
    assert dated.git("status", "--porcelain") == ""


def test_a_finished_migration() -> None:
    text = as_html([Stage("configured", "configured", True, "all")], Trend(note="no <rules>"))
    assert '<strong class="">1 of 1</strong> stages: the migration is done' in text
    assert "Next:" not in text
    assert "no &lt;rules&gt;" in text


def test_what_a_project_names_never_becomes_an_element() -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    stage = Stage(hostile, hostile, False, hostile, {hostile: 1}, (hostile,), f"graphlift {hostile}")
    series = Series(hostile, hostile, ((DAY("2026-01-01"), "c", 3), (DAY("2026-02-01"), "d", 2)))
    text = as_html([stage], Trend((series,), hostile))
    assert "<img" not in text
    assert text.count("<script") == 1


def test_html_is_written_besides_what_is_printed(dated: Any) -> None:
    said = dated.run("status", "--html", str(dated.root / ".graphlift" / "s.html"), "--exit-code")
    assert (said.code, said.out.splitlines()[0]) == (1, "[x] configured: graphlift.toml names 1 legacy symbol")
    assert (dated.root / ".graphlift" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["old.py", "link.html", "nowhere/s.html"])
def test_where_a_page_cannot_be_written(dated: Any, name: str) -> None:
    (dated.root / "link.html").symlink_to(dated.root / "old.py")
    assert dated.run("status", "--html", str(dated.root / name)).code == 2
    assert dated.read("old.py").startswith("class Walker")


def test_without_jinja2(dated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.reporters.html_page.find_spec", lambda name: None)
    said = dated.run("status", "--html", str(dated.root / "s.html"))
    assert (said.code, "pip install 'graphlift[html]'" in said.error) == (3, True)
    assert not (dated.root / "s.html").exists()
    assert dated.run("status").code == 0


def series(*totals: int, goal: int | None = None, by: str | None = None, forecast: str | None = None) -> Series:
    start = DAY("2026-01-01")
    points = tuple((start + datetime.timedelta(days=at), str(at), total) for at, total in enumerate(totals))
    return Series("r", "lines", points, goal, by and DAY(by), forecast and DAY(forecast))  # type: ignore[arg-type]


def test_a_long_history_is_thinned_and_keeps_its_ends() -> None:
    found = condensed(series(*range(500, 0, -1)))
    assert (len(found), found[0], found[-1]) == (MOST, (DAY("2026-01-01"), 500), (DAY("2027-05-15"), 1))
    assert list(found) == sorted(found)


def test_many_commits_a_day_become_one() -> None:
    points = tuple((DAY(f"2026-01-0{1 + at // 50}"), str(at), 200 - at) for at in range(200))
    found = condensed(Series("r", "lines", points))
    assert [total for _, total in found] == [151, 101, 51, 1]


def test_what_happened_within_one_day_is_drawn_commit_by_commit() -> None:
    points = tuple((DAY("2026-01-01"), str(total), total) for total in (30, 20, 5))
    chart = draw(Series("r", "lines", points, 0, DAY("2026-01-02")))
    assert chart.line == "M 52 14 H 372 V 64 H 692 V 139"
    assert [mark.text for mark in chart.across] == ["2026-01-01"]
    assert [dot.text for dot in chart.dots] == ["2026-01-01: 30", "2026-01-01: 20", "2026-01-01: 5"]


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (series(5), "5 now; no goal is set"),
        (series(5, 3), "5 on 2026-01-01, 3 on 2026-01-02; no goal is set"),
        (series(5, 3, goal=3, forecast="2026-01-02"), "5 on 2026-01-01, 3 on 2026-01-02; goal 3: met on 2026-01-02"),
        (series(3, 5, goal=0), "3 on 2026-01-01, 5 on 2026-01-02; goal 0: not at this pace"),
        (
            series(5, 4, goal=0, by="2026-01-04", forecast="2026-01-06"),
            "5 on 2026-01-01, 4 on 2026-01-02; goal 0 by 2026-01-04: at this pace on 2026-01-06, too late",
        ),
    ],
)
def test_a_series_in_a_sentence(item: Series, told: str) -> None:
    assert tell(item) == told


def test_a_chart_is_a_staircase_from_the_first_cap_to_the_last() -> None:
    chart = draw(series(10, 10, 5, goal=0, by="2026-01-15", forecast="2026-01-05"))
    assert chart.line == "M 52 14 H 97.7 V 14 H 143.4 V 89"
    assert chart.forecast == "M 143.4 89 L 234.9 164"
    assert (chart.goal, chart.deadline) == (164.0, 692.0)
    assert [mark.text for mark in chart.up] == ["0", "5", "10"]
    assert [(mark.text, mark.anchor) for mark in chart.across] == [("2026-01-01", "start"), ("2026-01-15", "end")]


@pytest.mark.parametrize(
    "item",
    [
        series(0, 0),
        series(7),
        series(7, goal=9),
        series(1, 999_999, goal=0, by="2020-01-01"),
        series(5, 4, goal=0, by="9999-01-01", forecast="9998-01-01"),
        series(*range(300)),
    ],
)
def test_every_chart_stays_inside_its_frame(item: Series) -> None:
    chart = draw(item)
    numbers = [dot.x for dot in chart.dots] + [mark.at for mark in chart.across]
    assert all(chart.left <= x <= chart.right for x in numbers)
    heights = [dot.y for dot in chart.dots] + [mark.at for mark in chart.up]
    assert all(chart.top <= y <= chart.floor for y in heights)
    ends = [float(number) for number in re.findall(r"[\d.]+", chart.forecast)]
    assert all(chart.left <= x <= chart.right for x in ends[::2])

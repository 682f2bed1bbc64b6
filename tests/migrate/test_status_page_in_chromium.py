"""The status page in a real browser: what is seen in dark and light, in any width, with and without scripts; nobody is asked."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from graphlift.migrate.ratchet.history import Series
from graphlift.migrate.status.page import as_html
from graphlift.migrate.status.stages import Stage
from graphlift.migrate.status.trend import Trend

pytestmark = pytest.mark.slow
DAY = datetime.date.fromisoformat
STAGES = (
    Stage("configured", "configured", True, "graphlift.toml names 1 legacy symbol", {"symbols": 1}),
    Stage(
        "parity", "engines agree", False, "the gate has not been run", {}, ("changed since: a.py",), "graphlift parity"
    ),
    Stage("adapter", "adapter in place", False, "1 missing", {"targets": 2}, ("x" * 300,), "write the adapter"),
)
LINE = tuple((DAY(day), "c", total) for day, total in (("2026-01-01", 90), ("2026-02-01", 50), ("2026-03-01", 40)))
TREND = Trend((Series("walker-file", "lines", LINE, 0, DAY("2026-04-01"), DAY("2026-04-20")),))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "status.html"
    path.write_text(as_html(STAGES, TREND), encoding="utf-8")
    return path


def test_what_is_seen(page: Any, file: Path) -> None:
    page.open(file)
    assert page.visible(".verdict") == ["1 of 3 stages"]
    assert page.visible("h3") == ["configured done", "engines agree open", "adapter in place open"]
    assert page.visible(".following .command") == ["graphlift parity"]
    assert page.visible(".stage.current .proof") == ["the gate has not been run"]
    assert page.visible(".aim") == [
        "90 on 2026-01-01, 40 on 2026-03-01; goal 0 by 2026-04-01: at this pace on 2026-04-20, too late"
    ]
    assert page.visible(".chart svg text") == ["0", "45", "90", "2026-01-01", "2026-03-01", "2026-04-01"]
    assert page.visible(".days table") == []
    page.click(".days > summary")
    assert page.visible(".days tbody tr") == ["2026-03-01\t40", "2026-02-01\t50", "2026-01-01\t90"]
    page.press("t")
    assert (page.requests, page.complaints) == ([file.as_uri()], [])


def test_dark_and_light(page: Any, file: Path) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    page.screen(1280, 900, "dark")
    page.open(file)
    dark = page.value(background)
    page.press("t")
    assert (dark, page.value(background)) == ("rgb(15, 19, 23)", "rgb(255, 255, 255)")


@pytest.mark.parametrize("width", [360, 800, 1280, 1900])
def test_a_window_of_any_width_holds_the_page(page: Any, file: Path, width: int) -> None:
    page.screen(width, 900)
    page.open(file)
    page.click(".days > summary")
    assert page.value("document.documentElement.scrollWidth <= innerWidth") is True


def test_without_scripts(page_without_scripts: Any, file: Path) -> None:
    page = page_without_scripts.open(file)
    page.call("DOM.enable")
    root = page.call("DOM.getDocument", depth=-1)["root"]["nodeId"]
    for selector, count in ((".stage .proof", 3), (".chart svg", 1), (".following .command", 1)):
        nodes = page.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"]
        assert [page.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 10 for node in nodes] == [True] * count

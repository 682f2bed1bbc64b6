"""The HTML page in a real browser: what is seen, that the filter hides, that keys work, and that it talks to nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphlift.parity.report import Report
from graphlift.parity.reporters import html

pytestmark = pytest.mark.slow
HOSTILE = "pay/</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def file(full_report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "parity.html"
    path.write_text(html.render(full_report), encoding="utf-8")
    return path


@pytest.fixture
def opened(page: Any, file: Path) -> Any:
    return page.open(file)


def rows(page: Any) -> list[str]:
    """The visible divergences, each as its case."""
    found = "[...document.querySelectorAll('.row')].filter((r) => r.checkVisibility())"
    return list(page.value(f"{found}.map((r) => r.closest('.case').dataset.case)"))


def focused(page: Any) -> Any:
    return page.value(
        "document.activeElement.closest('.row')?.closest('.case').dataset.case ?? document.activeElement.id"
    )


EVERY = [HOSTILE, "review/uneven", "review/known", "review/fine-1"]


def test_what_is_seen(opened: Any) -> None:
    assert opened.visible("h1") == ["Parity gate"]
    assert opened.visible(".verdict") == [
        "red 6 cases, 12 divergences, 6 known, 1 flaky, 1 baseline entry out of order"
    ]
    assert opened.visible("h2")[:4] == [
        "Baseline out of order",
        "Verdict of each family",
        "Divergences",
        "Known divergences",
    ]
    assert opened.visible("h3") == [f"case {HOSTILE}", "case review/uneven", "case review/known"]
    assert rows(opened) == EVERY
    assert opened.visible("#shown") == ["4 of 4"]
    assert opened.visible(".row .body .pair dd")[:2] == ["ran 1 time", "ran 2 times"]
    assert len(opened.visible(".exhibit svg")) == 2  # those of the first case; the others are folded


def test_it_talks_to_nobody_and_complains_of_nothing(opened: Any, file: Path) -> None:
    opened.press("/")
    opened.type("review")
    opened.press("Escape", "j", "Enter", "t")
    assert opened.requests == [file.as_uri()]
    assert opened.complaints == []
    assert opened.value("window.alert.toString().includes('native code') && document.images.length") == 0


def test_a_script_that_is_not_the_pages_is_refused(opened: Any) -> None:
    opened.value(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.broken = 1';"
        " document.body.append(s); })()"
    )
    assert opened.value("window.broken ?? null") is None
    assert any("Content Security Policy" in text for text in opened.complaints)


@pytest.mark.parametrize(
    ("field", "text", "left"),
    [
        ("text", "asked twice", ["review/known"]),
        ("text", "GL113 PUBLISH", EVERY[:3]),
        ("text", "</script>", [HOSTILE]),
        ("text", "nothing has this", []),
        ("case", "known", ["review/known"]),
        ("case", "review/*", EVERY[1:]),
        ("case", "review/un?ven", ["review/uneven"]),
        ("case", "[", []),
        ("case", "review/(*", []),
    ],
)
def test_the_filter_hides(opened: Any, field: str, text: str, left: list[str]) -> None:
    opened.click(f"#{field}")
    opened.type(text)
    assert rows(opened) == left
    assert opened.visible("#shown") == [f"{len(left)} of 4"]
    shown = [name.removeprefix("case ") for name in opened.visible("h3")]
    assert shown == [name for name in left if name != "review/fine-1"]
    opened.click("button[type=reset]")
    opened.value("new Promise((done) => setTimeout(done))")
    assert rows(opened) == EVERY


def test_the_filter_by_rule_and_by_family(opened: Any, file: Path) -> None:
    choose = "(() => {{ const s = document.getElementById('rule'); s.value = '{}'; s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    opened.value(choose.format("rule:GL120"))
    assert rows(opened) == EVERY[:3]  # a rule is found among what follows, too
    opened.value(choose.format("family:values"))
    assert rows(opened) == EVERY
    opened.value(choose.format(""))
    opened.click(".family-verdict[data-family=visibility]")
    assert (opened.value("document.getElementById('rule').value"), rows(opened)) == ("family:visibility", EVERY[:3])
    opened.click(".family-verdict[data-family=visibility]")
    assert rows(opened) == EVERY


def test_a_filter_is_part_of_the_address(page: Any, opened: Any, file: Path) -> None:
    opened.click("#case")
    opened.type("known")
    address = opened.value("location.hash")
    assert address == "#case=known"
    assert rows(page.open(file, "#text=flaky&rule=no-such-rule")) == ["review/fine-1"]


def test_slash_goes_to_the_search_and_escape_clears_it(opened: Any) -> None:
    opened.press("/")
    assert focused(opened) == "text"
    opened.type("known")
    opened.press("j")  # a letter, where one types
    assert opened.value("document.getElementById('text').value") == "knownj"
    opened.press("Escape")
    assert (opened.value("document.getElementById('text').value"), rows(opened)) == ("", EVERY)
    assert focused(opened) == ""


def test_keys_move_between_the_divergences_that_are_shown(opened: Any) -> None:
    seen = []
    for key in ("j", "j", "ArrowDown", "ArrowUp", "k", "k", "k"):
        opened.press(key)
        seen.append(focused(opened))
    assert seen == [EVERY[0], EVERY[1], EVERY[2], EVERY[1], EVERY[0], EVERY[0], EVERY[0]]
    opened.press("/")
    opened.type("fine")
    opened.value("document.activeElement.blur()")
    opened.press("j")
    assert focused(opened) == "review/fine-1"
    assert opened.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_enter_opens_a_divergence_with_its_graphs(opened: Any) -> None:
    opened.press("j", "j")
    assert len(opened.visible(".exhibit svg")) == 2
    opened.press("Enter")
    assert opened.value("document.activeElement.parentElement.open") is True
    assert len(opened.visible(".exhibit svg")) == 4
    assert opened.value("[...document.querySelectorAll('svg .chosen')].map((n) => n.dataset.node)") == [
        "review",
        "review",
    ]
    opened.press("Enter")
    assert opened.value("document.activeElement.parentElement.open") is False


def test_dark_and_light(page: Any, file: Path) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    page.screen(1280, 900, "light")
    page.open(file)
    assert (page.value(background), page.visible("#theme")) == ("rgb(255, 255, 255)", ["Dark"])
    page.screen(1280, 900, "dark")
    dark = page.value(background)
    assert dark != "rgb(255, 255, 255)"
    page.click("#theme")
    assert (page.value(background), page.visible("#theme")) == ("rgb(255, 255, 255)", ["Dark"])
    page.press("t")
    assert page.value(background) == dark
    page.screen(1280, 900, "light")
    assert page.value(background) == dark  # who has chosen keeps the choice


CONTRAST = """
(() => {
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const e of document.querySelectorAll("main *:not(svg):not(svg *), header *, footer *")) {
    if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const [one, other] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) poor.add(`${e.tagName}.${e.className}`);
  }
  return [...poor];
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(page: Any, file: Path, scheme: str) -> None:
    page.screen(1280, 900, scheme)
    page.open(file)
    page.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.value(CONTRAST) == []


@pytest.mark.parametrize("width", [360, 760, 1280, 1900])
def test_a_window_of_any_width_holds_the_page(page: Any, file: Path, width: int) -> None:
    page.screen(width, 900)
    page.open(file)
    page.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.value("document.documentElement.scrollWidth <= innerWidth") is True


def test_every_control_has_a_name(opened: Any) -> None:
    opened.call("Accessibility.enable")
    nodes = opened.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "searchbox", "combobox", "DisclosureTriangle", "image", "article"}
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    assert [role for role, name in named if role in roles and not name.strip()] == []
    assert {("searchbox", "Text"), ("searchbox", "Case"), ("combobox", "Rule"), ("button", "Dark")} <= set(named)
    assert any(role == "image" and name.startswith(f"{HOSTILE} under walker: 6 nodes") for role, name in named)


def test_without_scripts_everything_can_be_read(page_without_scripts: Any, file: Path) -> None:
    page = page_without_scripts.open(file)
    page.call("DOM.enable")
    root = page.call("DOM.getDocument", depth=-1)["root"]["nodeId"]

    def nodes(selector: str) -> list[int]:
        return list(page.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

    def heights(selector: str) -> list[int]:
        return [_height(page, node) for node in nodes(selector)]

    assert heights(".filter") == heights("#theme") == [0]
    assert all(height > 15 for height in heights(".row > summary, .exhibit > summary, .verdict, .family-verdict"))
    first, _, known, flaky = heights(".row")
    assert first > 200 > 50 > known
    page.click_node(nodes(".row.known > summary")[0])
    page.click_node(nodes(".row.flaky > summary")[0])
    assert heights(".row")[2] > 200
    assert heights(".row")[3] > flaky


def _height(page: Any, node: int) -> int:
    try:
        return int(page.call("DOM.getBoxModel", nodeId=node)["model"]["height"])
    except AssertionError:
        return 0  # not rendered

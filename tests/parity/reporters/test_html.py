"""The HTML page's text: what it says, that it is always the same, that no report breaks it, and that it stays small."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlift.adapters.errors import EnvironmentProblem
from graphlift.parity import Divergence
from graphlift.parity.baseline import Known, Problem
from graphlift.parity.divergence import Flaky
from graphlift.parity.evidence import Evidence
from graphlift.parity.report import Finding, Report
from graphlift.parity.reporters import builtin_reporters, html
from graphlift.parity.reporters.html_graph import draw_both, observed_graph
from graphlift.parity.traces import CaseTrace, Graph, RunTrace, Shown, Step

HOSTILE = "pay/</script><img src=x onerror=alert(1)>"
VOID = {"meta", "link", "input", "br", "img"}


class Reader(HTMLParser):
    """The page as a browser would read it: elements with attributes, and the text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.stack: list[str] = []
        self.texts: list[str] = []
        self.raw: dict[str, str] = {}
        self.feed(page)
        self.close()
        assert self.stack == [], "an element is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID and tag != "path":
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack[-1:] in (["script"], ["style"]):
            self.raw[self.stack[-1]] = self.raw.get(self.stack[-1], "") + data
        elif data.strip():
            self.texts.append(data.strip())

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))

    def having(self, name: str, value: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.elements if value in attributes.get(name, "").split()]


@pytest.fixture(scope="module")
def text(full_report: Report) -> str:
    return html.render(full_report)


@pytest.fixture(scope="module")
def read(text: str) -> Reader:
    return Reader(text)


def empty(**more: Any) -> Report:
    parts: dict[str, Any] = {"findings": (), "problems": (), "flaky": (), "unseen": (), **more}
    return Report(cases=parts.pop("cases", ("a",)), families=("values",), evidence=Evidence("d" * 64, {}, {}), **parts)


def test_the_page_says_the_verdict_of_each_family(read: Reader) -> None:
    assert "red 6 cases, 12 divergences, 6 known, 1 flaky, 1 baseline entry out of order" in read.text
    assert re.search(r"run count red 4 new , 2 known", read.text)
    assert "loop count green" in read.text
    assert "status green in part" in read.text  # neither engine shows node results


def test_derived_divergences_are_folded_under_the_first(read: Reader) -> None:
    rows = [(row["class"], row["data-rules"].split()) for row in read.having("class", "row")]
    rules = ["GL101", "GL110", "GL120", "GL150", "GL113"]
    assert rows == [("row new", rules), ("row new", rules), ("row known", rules), ("row flaky", [])]
    assert read.text.count("+5 following") == 3
    assert "Followed by, in the same case: ▸" not in read.text
    assert "Followed by, in the same case: GL110 review visibility" in read.text


def test_known_ones_stand_apart_with_their_reason(read: Reader) -> None:
    known = read.text[read.text.index("Known divergences") : read.text.index("Flaky")]
    assert "case review/known GL101 review, activation 2 run count ran 1 time → ran 2 times" in known
    assert known.count("Known: <asked twice> until May flows, until 2030-01-01") == 6
    assert "Known: <asked" not in read.text[: read.text.index("Known divergences")]


def test_flaky_ones_stand_apart(read: Reader) -> None:
    flaky = read.text[read.text.index("Flaky") : read.text.index("Not compared")]
    assert "flaky docs values review/fine-1 legacy docs gave <another> value" in flaky


def test_what_was_not_compared_and_what_passed(read: Reader) -> None:
    assert "status: neither engine shows node results" in read.text
    assert "Without divergences 3 cases review/fine-0 review/fine-1 review/fine-2" in read.text
    assert "unmatched GL151 in review/known does not happen (any more): delete the entry" in read.text


def test_what_the_cases_reach(read: Reader) -> None:
    said = read.text[read.text.index("Coverage The") :]
    assert said.startswith(
        "Coverage The cases reach 53 % of the paths of their workflows. edges 12 of 12 joins 2 of 2 failure"
    )
    assert "What no case reaches workflow kind path pay failure paths api fails" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"stopped": True}, "Partial report. The run was interrupted. Nothing is proved"),
        ({"shard": "2/8"}, "Partial report. This is shard 2/8 of the cases. Nothing is proved"),
        ({}, "Partial report. Only some of the cases ran. Nothing is proved"),
    ],
)
def test_a_partial_report_says_so(more: dict[str, Any], said: str) -> None:
    assert said in Reader(html.render(empty(partial=True, **more))).text
    assert "No divergence" not in Reader(html.render(empty(partial=True, **more))).text


def test_a_green_report() -> None:
    said = Reader(html.render(empty())).text
    assert "green 1 case, 0 divergences" in said
    assert "No divergence that is not known." in said
    assert "Partial" not in said


def test_both_graphs_with_counts_and_the_first_divergence(text: str) -> None:
    one = text[text.index('data-case="review/uneven"') :]
    drawings = re.findall(r"<svg.*?</svg>", one, re.DOTALL)[:2]
    boxes = [
        dict(re.findall(r'class="node ([^"]*)" data-node="(?:\w+)".*?<title>(.*?)</title>', drawing))
        for drawing in drawings
    ]
    assert boxes[0]["first differs"].startswith("review: 1 run; the first divergence is at its activation 2")
    assert boxes[1]["first differs"].startswith("review: 2 runs; the first divergence is at its activation 2")
    assert boxes[1]["differs"] == "publish: 2 runs"
    assert all(drawing.count('class="edge ') == 6 for drawing in drawings)
    titles = [re.findall(r"<title id=.*?>(.*?)</title>", drawing)[0] for drawing in drawings]
    different = "different from the other engine: review {0}, publish {0}"
    assert titles == [
        f"review/uneven under walker: 6 nodes; 6 activations; {different.format('1 run')}",
        f"review/uneven under naive graph: 6 nodes; 8 activations; {different.format('2 runs')}",
    ]


def test_activations_side_by_side_and_supersteps(read: Reader) -> None:
    one = read.text[read.text.rindex("case review/uneven") :]
    assert "candidate naive graph 8 activations in supersteps 1 to 5, succeeded" in one
    assert "review#1 legacy 5. candidate 5. superstep 3 differs" in one
    assert "saw at legacy candidate data.results.check" in one
    assert (
        "review#2 did not take place 7. superstep 4 only candidate first divergence".replace(
            "place 7", "place candidate 7"
        )
        in one
    )
    assert "Supersteps candidate naive graph superstep ran after 1 intake#1 — 2 api#1 intake docs#1 intake" in one


def test_the_text_is_always_the_same(full_report: Report, text: str, tmp_path: Path) -> None:
    assert html.render(full_report) == text
    assert str(Path.cwd()) not in text
    assert text.isascii() or text.encode()
    assert re.search(r"\d{4}-\d\d-\d\d", text.replace("2030-01-01", "")) is None


def test_the_same_in_a_process_with_another_hash_seed(text: str) -> None:
    script = (
        "import sys, tempfile, pathlib; sys.path.insert(0, sys.argv[1]); import conftest;"
        "from graphlift.parity.reporters import html;"
        "sys.stdout.buffer.write(html.render(conftest.make_report(pathlib.Path(tempfile.mkdtemp()))).encode())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(Path(__file__).parent)],
        env={"PYTHONHASHSEED": "7", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == text


def test_nothing_of_a_report_becomes_an_element(read: Reader, text: str) -> None:
    assert [tag for tag, _ in read.elements].count("script") == 1
    assert "img" not in [tag for tag, _ in read.elements]
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert HOSTILE in read.text
    assert "<b>Ada</b> \\u202e\\u0000" in read.text.replace("\\\\", "\\")
    assert "\u202e" not in text


def test_a_page_asks_for_nothing(read: Reader, text: str) -> None:
    addresses = [
        value for _, attributes in read.elements for name, value in attributes.items() if name in ("src", "href")
    ]
    assert set(addresses) == {"data:,", "#content"}
    assert not re.search(r"https?://|@import|url\((?!#)", text.replace("http-equiv", ""))


def test_the_policy_lets_only_the_pages_own_script_and_style_in(read: Reader) -> None:
    (policy,) = [attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes]
    assert policy.startswith("default-src 'none';")
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(read.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["</script>", "<!--", "\ud800", "'\"&", "{{ 7 * 7 }}", "]]>", "\r\n\x00"]
)


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_text_is_shown_and_nothing_else(rule: str, node: str, value: str, reason: str) -> None:
    entry = Known(rule="GL1", case="*", reason="r", owner="o", expires=dt.date(2030, 1, 1))
    entry = entry.model_copy(update={"reason": reason, "owner": value})
    found = Divergence(rule, "values", node or None, legacy=value, candidate=reason, cause=value, mend=rule, case="c")
    shown = Shown(value.encode("unicode_escape").decode(), "d")
    step = Step(node.encode("unicode_escape").decode(), 0, 0, shown, shown)
    run = RunTrace("e", True, (step,), 0, 1, {step.node: 1})
    trace = CaseTrace("c", run, run, Graph({step.node: ()}))
    report = empty(
        cases=("c", "d"),
        findings=(Finding(found), Finding(found, entry)),
        flaky=(Flaky("d", "legacy", value, node, what=reason),),
        problems=(Problem("expired", entry, value),),
        unseen=(reason,),
        traces=(trace,),
    )
    text = html.render(report)
    text.encode()
    tags = [tag for tag, _ in Reader(text).elements]
    assert tags.count("script") == 1
    assert tags.count("svg") == 2


def divergence(case: str, number: int = 0) -> Finding:
    return Finding(
        Divergence("GL101", "values", f"n{number}", 0, "a" * 200, "b" * 200, "c" * 400, "d" * 200, case=case)
    )


def test_ten_thousand_cases_with_few_divergences_are_small() -> None:
    cases = tuple(f"billing/monthly-invoice-of-customer-{number:05d}" for number in range(10_000))
    text = html.render(empty(cases=cases, findings=tuple(divergence(case) for case in cases[:5])))
    assert len(text) < 300_000
    assert "Without divergences 9995 cases" in Reader(text).text
    assert "8995 more are not listed." in Reader(text).text


def test_ten_thousand_divergences_are_counted_and_the_first_are_listed() -> None:
    cases = tuple(f"case-{number:05d}" for number in range(10_000))
    report = empty(
        cases=cases,
        findings=tuple(divergence(case) for case in cases),
        flaky=tuple(Flaky(case, "legacy", "values", "n") for case in cases),
    )
    text = html.render(report)
    assert len(text) < 4_000_000
    read = Reader(text)
    assert len(read.having("class", "new")) == 1_000
    assert "9000 more divergences are not listed" in read.text
    assert "9000 more flaky places are not listed" in read.text
    assert "values red in part 10000 new , 10000 flaky" in read.text


def test_a_case_with_very_many_divergences() -> None:
    report = empty(cases=("c",), findings=tuple(divergence("c", number) for number in range(5_000)))
    read = Reader(html.render(report))
    assert len(read.having("class", "new")) == 100
    assert "4900 more divergences of this case are not listed here" in read.text


def test_graphs_that_have_no_room_are_counted(full_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MOST_CHARACTERS", 30_000)
    text = html.render(full_report)
    assert text.count("<svg") == 2
    assert "Graphs and activations of 2 cases are left out; run one with --case to see it." in Reader(text).text


def test_without_a_graph_each_run_is_drawn_in_its_own_order(full_report: Report) -> None:
    (trace,) = [one for one in full_report.traces if one.case == "review/uneven"]
    assert observed_graph(trace.legacy)["docs"] == ("api",)
    assert observed_graph(trace.candidate)["docs"] == ("intake",)
    said = Reader(html.render(replace(full_report, traces=(replace(trace, graph=None),)))).text
    assert "The workflow's graph is not known (give the case `edges`): each run is drawn in its own order." in said


def test_what_follows_a_parallel_group_stands_below_its_branches() -> None:
    graph = Graph({"p": (), "x": (), "y": (), "z": ("p",)}, groups={"x": "p", "y": "p"})
    run = RunTrace("e", True, counts=dict.fromkeys("pxyz", 1))
    drawing = draw_both(CaseTrace("c", run, run, graph))["legacy"]
    assert drawing is not None
    rows = {box.name: box.y for box in drawing.boxes}
    assert rows["p"] < rows["x"] == rows["y"] < rows["z"]
    assert [line.marks for line in drawing.lines] == ["branch"] * 4


def test_runs_that_gave_nothing() -> None:
    runs = RunTrace("walker", False), RunTrace("graph", True, broken="timeout", error="did not end within 3 s")
    found = Finding(Divergence("GL180", "ending", None, case="a"))
    said = Reader(html.render(empty(findings=(found,), traces=(CaseTrace("a", *runs),)))).text
    assert "legacy walker gave no tap: activations were not seen" in said
    assert "candidate graph 0 activations, did not end in time: did not end within 3 s" in said
    assert "Nothing to draw" in said


def test_it_is_registered() -> None:
    assert [item.id for item in builtin_reporters()] == ["github", "html", "json", "junit", "markdown", "sarif", "text"]


def test_without_jinja2_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.reporters.html_page.find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match="needs jinja2") as caught:
        html.REPORTER.prepare()  # type: ignore[misc]
    assert (caught.value.exit_code, caught.value.mend) == (3, "pip install 'graphlift[html]'")
    with pytest.raises(EnvironmentProblem, match="needs jinja2"):
        html.render(empty())

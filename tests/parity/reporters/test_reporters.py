"""Every report format says the same, and what a value contains never breaks the format."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.parity import Divergence
from graphlift.parity.baseline import Known, Problem
from graphlift.parity.divergence import Flaky
from graphlift.parity.evidence import Evidence
from graphlift.parity.report import Finding, Report
from graphlift.parity.reporters import builtin_reporters

EVIDENCE = Evidence("d" * 64, {"legacy": "l" * 64}, {"walker.py": "w" * 64})
FAMILY = {"GL101": "run count", "GL110": "visibility", "GL151": "values"}
ENTRY = Known(rule="GL101", case="order", reason="the walker ran it twice", owner="ada", expires=dt.date(2031, 1, 1))


def divergence(rule: str = "GL101", case: str = "order", node: str | None = "pay", **more: Any) -> Divergence:
    texts = {"legacy": "ran 1 time", "candidate": "ran 2 times", "cause": "it ran after a", "mend": "one waiting edge"}
    return Divergence(rule, FAMILY[rule], node, case=case, **{**texts, **more})


def report(*findings: Finding, **more: Any) -> Report:
    cases = more.pop("cases", ("order", "refund"))
    parts: dict[str, Any] = {"problems": (), "flaky": (), "unseen": (), **more}
    return Report(cases, ("run count", "visibility", "values"), findings, evidence=EVIDENCE, **parts)


def render(name: str, shown: Report) -> str:
    (reporter,) = [item for item in builtin_reporters() if item.id == name]
    return reporter.render(shown)


FOLDED = report(
    Finding(divergence()),
    Finding(divergence("GL110", node="ship", activation=1, under="GL101 at pay")),
    Finding(divergence("GL151", node=None, under="GL101 at pay")),
)


def test_text() -> None:
    assert render("text", FOLDED) == (
        """GL101  order, node pay
  legacy     ran 1 time
  candidate  ran 2 times
  cause      it ran after a
  mend       one waiting edge
  followed by GL110 at ship, GL151 at the run

run count   red    1 divergence
visibility  red    1 divergence
values      red    1 divergence

coverage: not measured
red: 2 cases, 3 divergences"""
    )


def test_text_of_a_green_report() -> None:
    assert render("text", report()) == (
        """run count   green
visibility  green
values      green

coverage: not measured
green: 2 cases, 0 divergences"""
    )


def test_text_of_everything_else() -> None:
    shown = report(
        Finding(divergence(), ENTRY),
        flaky=(Flaky("order", "legacy", "visibility", "pay", what="another input"),),
        problems=(Problem("expired", ENTRY, "GL101 in order expired"),),
        unseen=("order: no final data",),
        partial=True,
    )
    assert render("text", shown) == (
        """known:
  GL101  order, node pay: the walker ran it twice

flaky (the legacy engine differs from itself there, so the comparison says nothing):
  visibility  order, node pay: another input

baseline:
  expired: GL101 in order expired

not compared:
  order: no final data

run count   green  1 divergence, 1 known
visibility  green  1 flaky place, not judged there
values      green

coverage: not measured
red: 2 cases, 0 divergences, 1 known, 1 flaky, 1 baseline entry out of order, partial: not every case ran, so nothing is proved"""
    )


def test_what_follows_from_a_known_divergence_is_not_hidden_with_it() -> None:
    shown = report(Finding(divergence(), ENTRY), Finding(divergence("GL110", node="ship", under="GL101 at pay")))
    assert "GL110  order, node ship" in render("text", shown)
    assert "GL110 order, node ship" in render("markdown", shown)
    assert "GL110 order%2C node ship" in render("github", shown)


def test_a_later_activation_is_named() -> None:
    shown = report(Finding(divergence(activation=2)))
    assert render("text", shown).splitlines()[0] == "GL101  order, node pay, activation 3"


def test_json_is_the_evidence_form() -> None:
    assert json.loads(render("json", FOLDED)) == FOLDED.to_json()


def junit(shown: Report) -> ET.Element:
    suite = ET.fromstring(render("junit", shown)).find("testsuite")
    assert suite is not None
    return suite


def test_junit_has_one_test_a_case() -> None:
    suite = junit(FOLDED)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    order, refund = suite.findall("testcase")
    assert (order.get("name"), refund.get("name")) == ("order", "refund")
    (failure,) = order.findall("failure")
    assert failure.get("type") == "GL101"
    assert (failure.text or "").splitlines()[0] == (
        "GL101: pay: legacy ran 1 time; candidate ran 2 times; it ran after a"
    )
    assert len((failure.text or "").splitlines()) == 3
    assert refund.findall("failure") == []


def test_junit_passes_what_is_known_and_says_so() -> None:
    (order, _) = junit(report(Finding(divergence(), ENTRY))).findall("testcase")
    assert order.find("failure") is None
    assert order.findtext("system-out") == "known: GL101 pay: the walker ran it twice"


def test_junit_tells_what_is_flaky_and_fails_a_baseline_out_of_order() -> None:
    shown = report(
        flaky=(Flaky("order", "legacy", "visibility", "pay", what="another input"),),
        problems=(Problem("expired", ENTRY, "expired in May"),),
    )
    suite = junit(shown)
    order, _, baseline = suite.findall("testcase")
    assert order.findtext("system-out") == "flaky: visibility pay: another input"
    assert order.find("failure") is None
    assert (baseline.get("name"), baseline.find("failure") is not None) == ("baseline", True)
    assert suite.get("failures") == "1"


def test_github_escapes_what_would_end_a_command() -> None:
    nasty = divergence(case="50% off: a,b", cause="first\nsecond\r::error::x")
    (line, verdict) = render("github", report(Finding(nasty))).splitlines()
    assert line.startswith("::error title=GL101 50%25 off%3A a%2Cb%2C node pay::legacy: ran 1 time%0A")
    assert line.endswith("cause: first%0Asecond%0D::error::x%0Amend: one waiting edge")
    assert verdict == "::notice title=graphlift parity::red: 2 cases, 1 divergence"


def test_github_counts_what_is_folded() -> None:
    lines = render("github", FOLDED).splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("%0A2 divergences more in this case after it")


def test_markdown() -> None:
    lines = render("markdown", FOLDED).splitlines()
    assert lines[:4] == ["## Parity gate", "", "red: 2 cases, 3 divergences", ""]
    assert "| run count | red | 1 | 0 |" in lines
    assert "### GL101 order, node pay" in lines
    assert "- followed by: **GL110** order, node ship, activation 2, **GL151** order" in lines


def test_markdown_shows_values_as_they_are() -> None:
    shown = render("markdown", report(Finding(divergence(cause="<img src=x> | `a` *b* _c_ [d](e)\n# f"))))
    assert r"- cause: \<img src=x\> \| \`a\` \*b\* \_c\_ \[d\]\(e\)\\n\# f" in shown.splitlines()


NASTY = st.text(st.characters() | st.sampled_from("\x00\x1b\n\r\u2028\ud800\uffff|<&%:]`"), max_size=20)


@pytest.mark.parametrize("name", [reporter.id for reporter in builtin_reporters()])
@given(case=NASTY, node=NASTY, cause=NASTY)
def test_no_text_breaks_a_format(name: str, case: str, node: str, cause: str) -> None:
    finding = Finding(divergence(case=case, node=node, cause=cause, legacy=cause, mend=cause))
    shown = report(finding, flaky=(Flaky(case, "legacy", "values", node, what=cause),), unseen=(cause,), cases=(case,))
    text = render(name, shown)
    if name == "json":
        assert json.loads(text)["divergences"][0]["cause"] == cause
    elif name == "junit":
        text.encode("utf-8")
        assert len(ET.fromstring(text).findall("testsuite/testcase")) == 1
    elif name == "github":
        assert all(
            line.startswith(("::error title=", "::notice title=", "::warning title=")) for line in text.split("\n")
        )
    else:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u2028]", text)
        assert text == render(name, shown)


def test_every_reporter_has_an_id_and_a_summary() -> None:
    reporters = builtin_reporters()
    assert [item.id for item in reporters] == sorted({item.id for item in reporters})
    assert all(item.summary for item in reporters)

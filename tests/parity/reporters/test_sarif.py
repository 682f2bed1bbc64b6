"""SARIF: results with stable fingerprints, known ones suppressed, and a file to show them at."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from graphlift.parity import Divergence
from graphlift.parity.baseline import Known, Problem
from graphlift.parity.divergence import Flaky
from graphlift.parity.evidence import Evidence
from graphlift.parity.report import Finding, Report
from graphlift.parity.reporters.sarif import REPORTER

ENTRY = Known(rule="GL110", case="c", reason="as agreed", owner="ada", expires=dt.date(2031, 1, 1))
FOUND = Divergence(
    "GL101", "run count", "pay", 1, "ran 1 time", "ran 2 times", "uneven join", "one waiting edge", case="order"
)
SEEN = Divergence("GL110", "visibility", "ship", 0, "n = 1", "n absent", "b began\nbefore a", case="order")


def rendered(**more: Any) -> Any:
    parts: dict[str, Any] = {
        "cases": ("order",),
        "families": ("run count",),
        "findings": (Finding(FOUND), Finding(SEEN, ENTRY)),
        "problems": (),
        "flaky": (),
        "unseen": (),
        "evidence": Evidence("d", {}, {"b.py": "1", "a.toml": "absent", "walker.py": "2"}),
    }
    return json.loads(REPORTER.render(Report(**{**parts, **more})))["runs"][0]


def test_a_result_for_each_divergence() -> None:
    new, known = rendered()["results"]
    assert new["ruleId"] == "GL101"
    assert new["level"] == "error"
    told = "order, node pay, activation 2: legacy ran 1 time; candidate ran 2 times; uneven join"
    assert new["message"] == {"text": told}
    assert (known["level"], known["suppressions"]) == ("note", [{"kind": "external", "justification": "as agreed"}])
    assert "\n" not in known["message"]["text"]


def test_it_is_shown_at_a_file_that_exists() -> None:
    for result in rendered()["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "b.py"}
    assert rendered(evidence=Evidence("d", {}, {}))["results"][0]["locations"] == []


def test_fingerprints_are_of_the_place_not_of_the_values() -> None:
    def prints(*found: Divergence) -> list[str]:
        results = rendered(findings=tuple(Finding(item) for item in found))["results"]
        return [result["partialFingerprints"]["divergence/v1"] for result in results]

    from dataclasses import replace

    assert len(set(prints(FOUND, replace(FOUND, candidate="ran 3 times")))) == 1
    assert len(set(prints(FOUND, replace(FOUND, activation=2), replace(FOUND, case="refund")))) == 3


def test_each_rule_is_described_once() -> None:
    run = rendered(findings=(Finding(FOUND), Finding(FOUND), Finding(SEEN)))
    assert [(rule["id"], rule["help"]["text"]) for rule in run["tool"]["driver"]["rules"]] == [
        ("GL101", "one waiting edge"),
        ("GL110", "visibility"),
    ]


def test_what_is_flaky_and_the_baseline_are_told_too() -> None:
    flaky = Flaky("order", "legacy", "values", "pay", "", "a clock")
    problem = Problem("expired", ENTRY, "GL110 in c expired")
    results = rendered(findings=(), flaky=(flaky,), problems=(problem,))["results"]
    assert [(item["ruleId"], item["level"], item["message"]["text"]) for item in results] == [
        ("flaky", "note", "order: flaky values pay: a clock"),
        ("baseline", "error", "GL110 in c expired"),
    ]

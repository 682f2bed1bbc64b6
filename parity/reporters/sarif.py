"""The report as SARIF 2.1.0, for code scanning: one result a divergence, placed at the engine's or case's first file."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..report import Finding, Report
from .base import Reporter, one_line, place

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """The JSON text; known divergences are results with a suppression, flaky ones and the baseline are notes."""
    rules = sorted({(item.divergence.rule, item.divergence.family, item.divergence.mend) for item in report.findings})
    seen = dict.fromkeys(rule for rule, _, _ in rules)
    run = {
        "tool": {
            "driver": {
                "name": "graphlift parity",
                "rules": [_rule(name, next(row for row in rules if row[0] == name)) for name in seen],
            }
        },
        "results": [*(_result(item, report) for item in report.findings), *_notes(report)],
        "columnKind": "utf16CodeUnits",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, sort_keys=True)


def _rule(name: str, row: tuple[str, str, str]) -> dict[str, Any]:
    return {"id": name, "shortDescription": {"text": row[1]}, "help": {"text": row[2] or row[1]}}


def _result(item: Finding, report: Report) -> dict[str, Any]:
    found = item.divergence
    text = f"{place(item)}: legacy {found.legacy}; candidate {found.candidate}; {found.cause}"
    key = "\0".join((found.rule, found.case, found.node or "", str(found.activation), found.subject))
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "level": "note" if item.known else "error",
        "message": {"text": one_line(text)},
        "partialFingerprints": {"divergence/v1": hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]},
        "locations": _locations(report),
    }
    if item.known:
        result["suppressions"] = [{"kind": "external", "justification": item.known.reason}]
    return result


def _locations(report: Report) -> list[dict[str, Any]]:
    """Code scanning shows nothing without a file. A divergence is between runs, so it stands at the first file of evidence."""
    files = sorted(name for name, digest in report.evidence.files.items() if digest != "absent")
    return [{"physicalLocation": {"artifactLocation": {"uri": files[0]}, "region": {"startLine": 1}}}] if files else []


def _notes(report: Report) -> list[dict[str, Any]]:
    flaky = (f"{item.case}: flaky {item.family} {item.node or item.subject}: {item.what}" for item in report.flaky)
    return [
        *({"ruleId": "flaky", "level": "note", "message": {"text": one_line(text)}} for text in flaky),
        *({"ruleId": "baseline", "level": "error", "message": {"text": one_line(p.text)}} for p in report.problems),
    ]


REPORTER = Reporter("sarif", "SARIF 2.1.0, for code scanning", render)

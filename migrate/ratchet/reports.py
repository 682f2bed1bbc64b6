"""A check's report as text, JSON data, SARIF and GitHub's annotations. The same findings always give the same bytes."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from .checking import Report
from .findings import CODES, Finding

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class ReportFormat(StrEnum):
    """How a check says its result."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def as_text(report: Report) -> str:
    """For people: every finding, then one line that says what was looked at."""
    count = len(report.measurement.values)
    against = f"against {report.base[:10]}" if report.base else "by the caps alone"
    errors = sum(1 for finding in report.findings if finding.level == "error")
    verdict = f"{errors} failed" if errors else "nothing grew"
    waiting = (
        f", {len(report.measurement.waiting)} rules wait for their condition" if report.measurement.waiting else ""
    )
    numbers = f"{count} number" if count == 1 else f"{count} numbers"
    return "\n".join([*map(str, report.findings), f"ratchet: {numbers} {against}: {verdict}{waiting}"])


def as_data(report: Report) -> dict[str, Any]:
    """For programs: verdict, base, findings, and every number with its cap."""
    facts = report.facts
    return {
        "schema": 1,
        "verdict": "red" if report.failed else "green",
        "base": report.base or None,
        "findings": [_finding(finding) for finding in report.findings],
        "numbers": [
            {"key": str(key), "value": measured.value, "cap": facts.cap(key), "rules": [r.id for r in measured.rules]}
            for key, measured in sorted(report.measurement.values.items())
        ],
        "waiting": [rule.id for rule in report.measurement.waiting],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "level": finding.level,
        "key": finding.key,
        "message": finding.message,
        "mend": finding.mend,
        "file": finding.file,
        "line": finding.line,
    }


def as_github(report: Report) -> str:
    """Annotations for GitHub Actions, one a line; a note has none of its own."""
    levels = {"error": "error", "warning": "warning", "note": "notice"}
    return "\n".join(_annotation(levels[finding.level], finding) for finding in report.findings)


def _annotation(level: str, finding: Finding) -> str:
    place = f"file={_property(finding.file)},line={finding.line}," if finding.file else ""
    message = f"{finding.key}: {finding.message}" + (f"\nmend: {finding.mend}" if finding.mend else "")
    return f"::{level} {place}title={_property('graphlift ratchet: ' + finding.code)}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(report: Report) -> dict[str, Any]:
    """SARIF 2.1.0, for code scanning; the fingerprint is code and key, so that a finding keeps its identity."""
    used = sorted({finding.code for finding in report.findings})
    rules = [{"id": code, "shortDescription": {"text": CODES[code]}} for code in used]
    run = {
        "tool": {"driver": {"name": "graphlift ratchet", "rules": rules}},
        "results": [_result(finding) for finding in report.findings],
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": f"{finding.key}: {finding.message}" + (f" ({finding.mend})" if finding.mend else "")},
        "partialFingerprints": {"graphliftRatchet/v1": f"{finding.code}:{finding.key}"},
    }
    if finding.file:
        location = {"artifactLocation": {"uri": finding.file}, "region": {"startLine": finding.line}}
        result["locations"] = [{"physicalLocation": location}]
    return result

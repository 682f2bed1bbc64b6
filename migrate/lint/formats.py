"""Findings as text, JSON, SARIF 2.1.0 and GitHub annotations."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from .model import Finding
from .rules import RULES


def text(findings: Collection[Finding]) -> str:
    """For people: a line a finding as compilers write them, then why and the mend."""
    lines = []
    for one in findings:
        lines.append(f"{one.place.file}:{one.place.line}:{one.place.column}: {one.level}: {one.message} [{one.rule}]")
        lines += [f"    why: {one.why}", f"    mend: {one.mend}"]
    return "\n".join([*lines, summary(findings)])


def summary(findings: Collection[Finding]) -> str:
    """One line that counts."""
    errors = sum(one.level == "error" for one in findings)
    warnings = len(findings) - errors
    return f"{errors} errors, {warnings} warnings" if findings else "no hazards found"


def data(findings: Collection[Finding]) -> dict[str, Any]:
    """For programs."""
    return {"schema": 1, "findings": [_plain(one) for one in findings]}


def _plain(one: Finding) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "level": one.level,
        "file": one.place.file,
        "line": one.place.line,
        "column": one.place.column,
        "graph": one.graph,
        "message": one.message,
        "why": one.why,
        "mend": one.mend,
    }


def sarif(findings: Collection[Finding]) -> dict[str, Any]:
    """SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), as code scanning takes it."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.why},
            "help": {"text": rule.mend},
            "defaultConfiguration": {"level": rule.level},
        }
        for rule in RULES
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": {"name": "graphlift lint", "rules": rules}}, "results": list(map(_result, findings))}
        ],
    }


def _result(one: Finding) -> dict[str, Any]:
    region = {"startLine": one.place.line, "startColumn": one.place.column}
    return {
        "ruleId": one.rule,
        "level": one.level,
        "message": {"text": f"{one.message}. {one.why} Mend: {one.mend}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(one.place.file, errors="surrogateescape")},
                    "region": region,
                }
            }
        ],
    }


def github(findings: Collection[Finding]) -> str:
    """Workflow commands that annotate the lines of a pull request."""
    return "\n".join(
        f"::{one.level} file={_property(one.place.file)},line={one.place.line},col={one.place.column},"
        f"title={_property(one.rule)}::{_escaped(f'{one.message}. Mend: {one.mend}')}"
        for one in findings
    )


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")

"""The ledger as SARIF 2.1.0, for code scanning: what is not explained is an error, what is flagged a warning."""

from __future__ import annotations

from typing import Any

from .model import Fate, Ledger, Reference

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[Fate, str] = {"flag": "warning", "rewrite": "note", "keep": "none"}


def sarif(ledger: Ledger) -> dict[str, Any]:
    """One run with a result for each reference, unexplained place and unreadable file."""
    results = [_reference(each) for each in ledger.references]
    results += [
        _result("unexplained", "error", f"{each.text}: {each.reason}", each.file, each.line, each.column)
        for each in ledger.unexplained
    ]
    results += [_result("unreadable", "error", each.reason, each.file, each.line, 1) for each in ledger.unreadable]
    rules = [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    driver = {"name": "graphlift inventory", "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _reference(each: Reference) -> dict[str, Any]:
    message = f"{each.symbol} ({each.role}, {each.context}): {each.reason}"
    return _result(each.role, LEVELS[each.fate], message, each.file, each.line, each.column)


def _result(rule: str, level: str, message: str, file: str, line: int, column: int) -> dict[str, Any]:
    from urllib.parse import quote

    region = {"startLine": line, "startColumn": column}
    location = {
        "physicalLocation": {"artifactLocation": {"uri": quote(file, errors="surrogateescape")}, "region": region}
    }
    return {
        "ruleId": f"inventory/{rule}",
        "level": level,
        "message": {"text": message},
        "locations": [location],
    }

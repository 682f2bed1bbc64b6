"""The report as JSON: the file form of `Report.to_json`."""

from __future__ import annotations

import json

from ..report import Report
from .base import Reporter


def render(report: Report) -> str:
    """Sorted keys, two spaces."""
    return json.dumps(report.to_json(), indent=2, sort_keys=True, ensure_ascii=False)


REPORTER = Reporter("json", "the evidence file's form, for other programs", render)

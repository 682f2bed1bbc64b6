"""The report as JUnit XML: one test case a parity case, and one for the baseline file when it is out of order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from ..report import Report
from .base import Reporter, conclusion, one_line

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """The XML text. Known divergences pass, and are told in the case's output."""
    rows = [(case, _failures(report, case), _notes(report, case)) for case in report.cases]
    if report.problems:
        rows.append(("baseline", [(item.kind, item.text) for item in report.problems], []))
    failed = sum(bool(failures) for _, failures, _ in rows)
    suite = ET.Element("testsuite", name="graphlift parity", tests=str(len(rows)), failures=str(failed), errors="0")
    for name, failures, notes in rows:
        case = ET.SubElement(suite, "testcase", classname="graphlift.parity", name=_clean(name))
        if failures:
            # Readers of JUnit expect at most one failure a case.
            failure = ET.SubElement(case, "failure", message=_clean(failures[0][1]), type=_clean(failures[0][0]))
            failure.text = _lines(f"{kind}: {text}" for kind, text in failures)
        if notes:
            ET.SubElement(case, "system-out").text = _lines(notes)
    ET.SubElement(suite, "system-out").text = _clean(conclusion(report))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _failures(report: Report, case: str) -> list[tuple[str, str]]:
    mine = [item.divergence for item in report.new if item.divergence.case == case]
    return [
        (item.rule, f"{_node(item.node)}legacy {item.legacy}; candidate {item.candidate}; {item.cause}")
        for item in mine
    ]


def _notes(report: Report, case: str) -> list[str]:
    mine = [item for item in report.findings if item.known and item.divergence.case == case]
    known = [
        f"known: {item.divergence.rule} {_node(item.divergence.node)}{item.known.reason if item.known else ''}"
        for item in mine
    ]
    flaky = [item for item in report.flaky if item.case == case]
    return [*known, *(f"flaky: {item.family} {_node(item.node)}{item.what}" for item in flaky)]


def _node(node: str | None) -> str:
    return f"{node}: " if node is not None else ""


def _lines(items: Iterable[str]) -> str:
    return "\n".join(_clean(one_line(item)) for item in items)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


REPORTER = Reporter("junit", "JUnit XML, one test case a parity case", render)

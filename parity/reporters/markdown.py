"""The report as Markdown: for a step summary or a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..report import Finding, Report
from .base import Reporter, conclusion, leading, one_line, place

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-!|~@&])")


def render(report: Report) -> str:
    """The verdict, one row a family, then the divergences."""
    lines = [
        "## Parity gate",
        "",
        conclusion(report),
        "",
        "| family | verdict | divergences | known |",
        "| --- | --- | --- | --- |",
    ]
    for name, verdict in report.verdicts().items():
        lines.append(f"| {_text(name)} | {verdict['verdict']} | {verdict['count']} | {verdict['known']} |")
    for item, derived in leading(report):
        lines.extend(_section(item, derived))
    lines.extend(
        _list("Known", [f"{_head(item)}: {_text(item.known.reason)}" for item in report.findings if item.known])
    )
    lines.extend(
        _list("Flaky", [f"{_text(item.case)}, {_text(item.family)}: {_text(item.what)}" for item in report.flaky])
    )
    lines.extend(_list("Baseline", [f"{item.kind}: {_text(item.text)}" for item in report.problems]))
    lines.extend(_list("Not compared", [_text(item) for item in report.unseen]))
    return "\n".join(lines)


def _section(item: Finding, derived: list[Finding]) -> Iterator[str]:
    found = item.divergence
    yield from ("", f"### {found.rule} {_text(place(item))}", "")
    for label, value in (
        ("legacy", found.legacy),
        ("candidate", found.candidate),
        ("cause", found.cause),
        ("mend", found.mend),
    ):
        if value:
            yield f"- {label}: {_text(value)}"
    if derived:
        yield f"- followed by: {', '.join(_head(one) for one in derived)}"


def _head(item: Finding) -> str:
    return f"**{item.divergence.rule}** {_text(place(item))}"


def _list(title: str, items: list[str]) -> list[str]:
    return ["", f"### {title}", "", *(f"- {item}" for item in items)] if items else []


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", one_line(text))


REPORTER = Reporter("markdown", "Markdown, for a step summary or a pull request", render)

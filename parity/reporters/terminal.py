"""The report as plain text, for a terminal and for logs."""

from __future__ import annotations

from collections.abc import Iterator

from ..report import Finding, Report
from .base import conclusion, counted, leading, one_line, place


def text(report: Report) -> str:
    """Divergences with what follows from each, flaky ones, baseline, what was not seen, one verdict a family."""
    blocks = [_block(item, derived) for item, derived in leading(report)]
    blocks.extend(block for block in (_known(report), _flaky(report), _baseline(report), _unseen(report)) if block)
    blocks.append("\n".join([*_families(report), "", conclusion(report)]))
    return "\n\n".join(blocks)


def _block(item: Finding, derived: list[Finding]) -> str:
    found = item.divergence
    lines = [f"{found.rule}  {place(item)}"]
    rows = (
        ("legacy", found.legacy),
        ("candidate", found.candidate),
        ("cause", found.cause),
        ("seen", found.schedule),
        ("mend", found.mend),
    )
    lines.extend(f"  {label:<10} {one_line(value)}" for label, value in rows if value)
    if derived:
        names = ", ".join(dict.fromkeys(one.divergence.key for one in derived))
        lines.append(f"  {'followed by':<10} {one_line(names)}")
    return "\n".join(lines)


def _known(report: Report) -> str:
    rows = [
        f"  {item.divergence.rule}  {place(item)}: {one_line(item.known.reason)}"
        for item in report.findings
        if item.known
    ]
    return "\n".join(["known:", *rows]) if rows else ""


def _flaky(report: Report) -> str:
    rows = [
        f"  {item.family}  {one_line(item.case)}{f', node {one_line(item.node)}' if item.node else ''}: {one_line(item.what)}"
        for item in report.flaky
    ]
    return (
        "\n".join(["flaky (the legacy engine differs from itself there, so the comparison says nothing):", *rows])
        if rows
        else ""
    )


def _baseline(report: Report) -> str:
    rows = [f"  {item.kind}: {one_line(item.text)}" for item in report.problems]
    return "\n".join(["baseline:", *rows]) if rows else ""


def _unseen(report: Report) -> str:
    rows = [f"  {one_line(item)}" for item in report.unseen]
    return "\n".join(["not compared:", *rows]) if rows else ""


def _families(report: Report) -> Iterator[str]:
    width = max((len(name) for name in report.families), default=0)
    for name, verdict in report.verdicts().items():
        count, known = verdict["count"], verdict["known"]
        told = f"  {counted(count, 'divergence')}{f', {known} known' if known else ''}" if count else ""
        seen = "" if verdict["complete"] else "  as far as it is shown, see above"
        yield f"{name:<{width}}  {verdict['verdict']:<5}{told}{seen}".rstrip()

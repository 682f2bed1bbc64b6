"""The report as plain text, for a terminal and for logs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..coverage import Coverage
from ..report import Finding, Report
from .base import conclusion, counted, leading, one_line, place


def text(report: Report, *, coverage: bool = False) -> str:
    """Divergences with what follows from each, flaky ones, baseline, what was not seen, one verdict a family.

    How much of their workflows the cases reach is one line; with `coverage`, what no case reached is listed too.
    """
    blocks = [_block(item, derived) for item, derived in leading(report)]
    blocks.extend(block for block in (_known(report), _flaky(report), _baseline(report), _unseen(report)) if block)
    if coverage and (told := _not_reached(report.coverage)):
        blocks.append(told)
    blocks.append("\n".join([*_families(report), "", _covered(report.coverage), conclusion(report)]))
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


def _covered(coverage: Coverage) -> str:
    """`coverage: 78 % of 23 paths (edges 9 of 10, …)`; what is not measured is counted."""
    lacking = len({text.split(": ", 1)[0] for text in coverage.unmeasured})
    if coverage.percent is None:
        return f"coverage: not measured{', --coverage says why' if lacking else ''}"
    kinds = ", ".join(f"{kind} {reached} of {total}" for kind, (reached, total) in coverage.kinds.items())
    total = len(coverage.reached) + len(coverage.missed)
    told = f"coverage: {coverage.percent} % of {counted(total, 'path')} ({kinds})"
    return f"{told}; {counted(lacking, 'workflow')} not measured in full" if lacking else told


def _not_reached(coverage: Coverage) -> str:
    """What no case reached, by workflow and kind, and what could not be measured."""
    lines = ["no case reaches:"] if coverage.missed else []
    for (workflow, kind), paths in itertools.groupby(sorted(coverage.missed), lambda path: (path.workflow, path.kind)):
        lines.append(f"  {one_line(workflow)}, {kind}: {one_line('; '.join(path.text for path in paths))}")
    if coverage.unmeasured:
        lines.extend(["not measured:", *(f"  {one_line(item)}" for item in coverage.unmeasured)])
    return "\n".join(lines)


def _families(report: Report) -> Iterator[str]:
    width = max((len(name) for name in report.families), default=0)
    for name, verdict in report.verdicts().items():
        count, known = verdict["count"], verdict["known"]
        told = f"  {counted(count, 'divergence')}{f', {known} known' if known else ''}" if count else ""
        flaky = f"  {counted(verdict['flaky'], 'flaky place')}, not judged there" if verdict["flaky"] else ""
        seen = "" if verdict["complete"] else flaky or "  as far as it is shown, see above"
        yield f"{name:<{width}}  {verdict['verdict']:<5}{told}{seen}".rstrip()

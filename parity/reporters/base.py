"""What the reporters share: the registered form, and text that is safe on one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..report import Finding, Report


@dataclass(frozen=True)
class Reporter:
    """A report format: `render` gives the whole file's text.

    `prepare` raises where the format cannot be written here (a library is missing), before anything runs.
    """

    id: str
    summary: str
    render: Callable[[Report], str]
    prepare: Callable[[], None] | None = None


def one_line(text: str) -> str:
    """The text with what a terminal or a log would act on written out: line ends, escapes, other control characters."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def place(finding: Finding) -> str:
    """Where a divergence is: its case, its node if it has one, its activation if that is not the first."""
    found = finding.divergence
    again = f", activation {found.activation + 1}" if found.activation else ""
    return one_line(found.case + (f", node {found.node}{again}" if found.node is not None else ""))


def leading(report: Report) -> Iterator[tuple[Finding, list[Finding]]]:
    """New findings that follow from no other new one of their case, each with those that do follow from it."""
    by_case: dict[str, list[Finding]] = {}
    for item in report.new:
        by_case.setdefault(item.divergence.case, []).append(item)
    for items in by_case.values():
        yield from folded(items)


def folded(items: Sequence[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """The same for some findings of one case.

    One that follows from something that is not itself shown leads: a divergence behind a known one must not vanish with it.
    """
    shown = {item.divergence.key for item in items if item.follows is None}
    after: dict[str, list[Finding]] = {}
    for item in items:
        if item.follows is not None and item.follows in shown:
            after.setdefault(item.follows, []).append(item)
    for item in items:
        if item.follows not in shown:
            yield item, after.get(item.divergence.key, [])


def conclusion(report: Report) -> str:
    """The last line of every report: the verdict with its counts."""
    known = len(report.findings) - len(report.new)
    parts = [counted(len(report.cases), "case"), counted(len(report.new), "divergence")]
    if known:
        parts.append(f"{known} known")
    if report.flaky:
        parts.append(f"{len(report.flaky)} flaky")
    if report.problems:
        parts.append(counted(len(report.problems), "baseline entry out of order", "baseline entries out of order"))
    if report.partial:
        parts.append("partial: not every case ran, so nothing is proved")
    return f"{'green' if report.green else 'red'}: {', '.join(parts)}"

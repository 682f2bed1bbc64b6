"""The report as the HTML page needs it: divergences by case, each with what follows from it, in numbers that a page can hold.

Whatever is left out is counted, so that the page can say it. Pure; nothing here knows HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..report import Finding, Report
from .base import conclusion, folded, one_line

MOST_ROWS = 1_000
"""Divergences that lead others, flaky places, passing cases: of each at most so many are listed."""
MOST_IN_A_CASE, MOST_DERIVED, MOST_PATHS = 100, 50, 300
LONGEST = 1_000


@dataclass(frozen=True)
class Row:
    """One divergence, cut to a length, with those that follow from it."""

    rule: str
    family: str
    case: str
    node: str
    activation: int | None
    legacy: str
    candidate: str
    cause: str
    mend: str
    schedule: str
    paths: tuple[str, ...]
    reason: str
    owner: str
    expires: str
    derived: tuple[Row, ...] = ()

    @property
    def place(self) -> str:
        """The node and the activation, if it is not the first."""
        again = f", activation {self.activation + 1}" if self.activation else ""
        return f"{self.node}{again}" if self.node else "the run"

    @property
    def rules(self) -> tuple[str, ...]:
        """Its rule and those of what follows."""
        return tuple(dict.fromkeys([self.rule, *(row.rule for row in self.derived)]))

    @property
    def families(self) -> tuple[str, ...]:
        """Its family and those of what follows."""
        return tuple(dict.fromkeys([self.family, *(row.family for row in self.derived)]))


@dataclass(frozen=True)
class CaseView:
    """One case with divergences: new ones, each with what follows, and known ones; `more` of them are not listed."""

    case: str
    new: tuple[Row, ...]
    known: tuple[Row, ...]
    more: int = 0

    @property
    def size(self) -> int:
        """How many divergences it lists."""
        return sum(1 + len(row.derived) for row in (*self.new, *self.known))


@dataclass(frozen=True)
class View:
    """The whole page. `cases` have something new, `known_cases` only what is known; `left_out` are divergences not listed."""

    verdict: str
    conclusion: str
    partial: str
    families: tuple[dict[str, Any], ...]
    rules: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    cases: tuple[CaseView, ...]
    known_cases: tuple[CaseView, ...]
    flaky: tuple[dict[str, str], ...]
    problems: tuple[tuple[str, str], ...]
    unseen: tuple[str, ...]
    passing: tuple[str, ...]
    passing_count: int
    left_out: int
    flaky_left_out: int
    evidence: tuple[tuple[str, str], ...]
    coverage: CoverageView


@dataclass(frozen=True)
class CoverageView:
    """How much of their workflows the cases reach: rows (kind, reached, of), and what none does, by workflow and kind."""

    percent: int | None
    kinds: tuple[tuple[str, int, int], ...]
    missed: tuple[tuple[str, str, str], ...]
    left_out: int
    unmeasured: tuple[str, ...]


def view_of(report: Report) -> View:
    """The view of a report."""
    by_case: dict[str, list[Finding]] = {}
    for item in report.findings:
        by_case.setdefault(item.divergence.case, []).append(item)
    views = [_case(case, items) for case, items in sorted(by_case.items())]
    new = [view for view in views if view.new]
    listed, left_out = _limited([*new, *(view for view in views if not view.new)])
    passing = [case for case in report.cases if case not in by_case]
    return View(
        verdict="green" if report.green else "red",
        conclusion=one_line(conclusion(report)),
        partial=_partial(report),
        families=tuple(_families(report)),
        rules=_rules(report),
        cases=tuple(view for view in listed if view.new),
        known_cases=tuple(view for view in listed if not view.new),
        flaky=tuple(_flaky(report)),
        problems=tuple((item.kind, _text(item.text)) for item in report.problems),
        unseen=tuple(_text(item) for item in report.unseen),
        passing=tuple(_text(case) for case in passing[:MOST_ROWS]),
        passing_count=len(passing),
        left_out=left_out,
        flaky_left_out=max(0, len(report.flaky) - MOST_ROWS),
        evidence=_evidence(report),
        coverage=_coverage(report),
    )


def _coverage(report: Report) -> CoverageView:
    found = report.coverage
    missed = sorted((path.workflow, path.kind, path.text) for path in found.missed)
    return CoverageView(
        found.percent,
        tuple((kind, *counts) for kind, counts in found.kinds.items()),
        tuple((_text(workflow), kind, _text(text)) for workflow, kind, text in missed[:MOST_PATHS]),
        max(0, len(missed) - MOST_PATHS),
        tuple(_text(text) for text in found.unmeasured[:MOST_PATHS]),
    )


def _partial(report: Report) -> str:
    if not report.partial:
        return ""
    if report.stopped:
        return "The run was interrupted."
    return f"This is shard {report.shard} of the cases." if report.shard else "Only some of the cases ran."


def _families(report: Report) -> Iterable[dict[str, Any]]:
    """Those with something first; merged reports do not keep the order in which rules were loaded."""
    rows = sorted(report.verdicts().items(), key=lambda row: (row[1]["verdict"] != "red", not row[1]["count"], row[0]))
    for name, verdict in rows:
        yield {**verdict, "name": one_line(name), "new": verdict["count"] - verdict["known"]}


def _rules(report: Report) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """Each family that has findings, with its rules and how many findings each has."""
    found: dict[str, Counter[str]] = {}
    for item in report.findings:
        found.setdefault(item.divergence.family, Counter())[item.divergence.rule] += 1
    for flaky in report.flaky:
        found.setdefault(flaky.family, Counter())
    return tuple(
        (one_line(name), tuple((one_line(rule), count) for rule, count in sorted(rules.items())))
        for name, rules in sorted(found.items())
    )


def _case(case: str, items: Sequence[Finding]) -> CaseView:
    new, known = (
        tuple(_row(item, tuple(_row(one) for one in after[:MOST_DERIVED])) for item, after in folded(mine))
        for mine in ([one for one in items if one.known is None], [one for one in items if one.known is not None])
    )
    view = CaseView(one_line(case), new[:MOST_IN_A_CASE], known[:MOST_IN_A_CASE])
    return replace(view, more=len(items) - view.size)


def _row(item: Finding, derived: tuple[Row, ...] = ()) -> Row:
    found, known = item.divergence, item.known
    return Row(
        _text(found.rule),
        _text(found.family),
        _text(found.case),
        _text(found.node or found.subject),
        found.activation,
        _text(found.legacy),
        _text(found.candidate),
        _text(found.cause),
        _text(found.mend),
        _text(found.schedule),
        tuple(_text(path) for path in found.paths[:20]),
        _text(known.reason) if known else "",
        _text(known.owner) if known else "",
        known.expires.isoformat() if known else "",
        derived,
    )


def _limited(views: Sequence[CaseView]) -> tuple[list[CaseView], int]:
    """As many cases as have room, the first ones, and how many divergences are in the others."""
    listed: list[CaseView] = []
    room, left_out = MOST_ROWS, 0
    for view in views:
        if listed and view.size > room:
            left_out += view.size + view.more
            room = 0
        else:
            listed.append(view)
            room -= view.size
    return listed, left_out


def _flaky(report: Report) -> Iterable[dict[str, str]]:
    for item in report.flaky[:MOST_ROWS]:
        place = _text(item.node or item.subject or "the run")
        told = {"case": _text(item.case), "family": _text(item.family), "place": place, "what": _text(item.what)}
        yield {**told, "side": item.side}


def _evidence(report: Report) -> tuple[tuple[str, str], ...]:
    """The digests that say what was compared, short."""
    evidence = report.evidence
    parts = [
        ("cases", evidence.definitions),
        *((f"{side} engine", text) for side, text in sorted(evidence.engines.items())),
    ]
    return (*((name, text[:12]) for name, text in parts if text), ("files", str(len(evidence.files))))


def _text(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… ({len(shown) - LONGEST} more characters)"

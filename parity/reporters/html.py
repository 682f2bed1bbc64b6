"""The report as one HTML page: graphs, activations and values of diverging cases, for people who look for the reason.

The page is a single file that needs no network, and can be read without JavaScript; with it, it filters and takes keys. Its
size is bounded: what does not fit is counted in the page. Needs jinja2 (the extra `html`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Report
from ..traces import CaseTrace
from .base import Reporter, one_line
from .html_exhibit import exhibit_of
from .html_page import Pages, html_ready
from .html_view import CaseView, View, view_of

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_CHARACTERS = 2_000_000
"""Of graphs and activations in one page."""


def render(report: Report) -> str:
    """The page's text. Raises `EnvironmentProblem` without jinja2."""
    pages = Pages(__package__ or "")
    view = view_of(report)
    exhibits, left_out = _exhibits(pages, view, {one_line(trace.case): trace for trace in report.traces})
    return pages.page("parity.html", scripts=("parity.js",), view=view, exhibits=exhibits, exhibits_left_out=left_out)


def _exhibits(pages: Pages, view: View, traces: dict[str, CaseTrace]) -> tuple[dict[str, Markup], int]:
    """The rendered graphs and activations by case, as many as have room, and how many cases go without."""
    found: dict[str, Markup] = {}
    room = MOST_CHARACTERS
    cases: list[CaseView] = [*view.cases, *view.known_cases]
    for number, case in enumerate(cases):
        if case.case not in traces:
            continue
        shown = pages.fragment("exhibit.html", exhibit=exhibit_of(traces[case.case]), number=number)
        if len(shown) <= room:
            found[case.case] = shown
            room -= len(shown)
    return found, len(cases) - len(found)


REPORTER = Reporter("html", "one HTML page with graphs, activations and values, without network", render, html_ready)

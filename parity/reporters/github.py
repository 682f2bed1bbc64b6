"""The report as GitHub workflow commands: one error for each divergence that leads others, one notice for the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from ..report import Report
from .base import Reporter, conclusion, counted, leading, place


def render(report: Report) -> str:
    """One command a line; print it in a job's log."""
    return "\n".join(_commands(report))


def _commands(report: Report) -> Iterator[str]:
    for item, derived in leading(report):
        found = item.divergence
        lines = [
            f"legacy: {found.legacy}",
            f"candidate: {found.candidate}",
            f"cause: {found.cause}",
            f"mend: {found.mend}",
        ]
        if derived:
            lines.append(f"{counted(len(derived), 'divergence')} more in this case after it")
        yield _command("error", f"{found.rule} {place(item)}", "\n".join(lines))
    for flaky in report.flaky:
        yield _command("warning", f"flaky: {flaky.case}", f"{flaky.family} {flaky.node or ''}: {flaky.what}")
    for problem in report.problems:
        yield _command("error", f"baseline: {problem.kind}", problem.text)
    yield _command("notice", "graphlift parity", conclusion(report))


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_escape(title).replace(':', '%3A').replace(',', '%2C')}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


REPORTER = Reporter("github", "GitHub workflow commands, which become annotations", render)

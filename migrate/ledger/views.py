"""The ledger as text for people, as Markdown and as JSON data. Pure functions from a ledger to a string or plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from .model import ROLES, Ledger, Reference

CONTEXTS = ("live", "shim", "type-only", "test", "guard", "prose")


def table(ledger: Ledger) -> str:
    """Counts by role and context, what is flagged, and everything that is not explained."""
    lines = _columns(_counts(ledger.references))
    flagged = [each for each in ledger.references if each.fate == "flag"]
    if flagged:
        lines += ["", f"flagged: {len(flagged)}", *(_line(each) for each in flagged)]
    return "\n".join([*lines, *_missing(ledger), "", _closing(ledger)])


def live(ledger: Ledger) -> str:
    """The blast radius: each live production reference, by file."""
    found = ledger.live()
    files = len({each.file for each in found})
    count = f"{_many(len(found), 'live reference')} in {_many(files, 'file')}"
    if not ledger.is_complete:
        count += f"; {len(ledger.unexplained)} places not explained, {_many(len(ledger.unreadable), 'file')} not read"
    return "\n".join([*(_line(each) for each in found), *_missing(ledger), *([""] if found else []), count])


def markdown(ledger: Ledger) -> str:
    """A summary for a pull request: the table, the live references, what is flagged and what is not explained."""
    rows = _counts(ledger.references)
    parts = ["## Inventory", "", _closing(ledger), "", _markdown_row(rows[0]), _markdown_row(["---"] * len(rows[0]))]
    parts += [_markdown_row(row) for row in rows[1:]]
    sections = (
        ("Live", ledger.live()),
        ("Flagged", tuple(each for each in ledger.references if each.fate == "flag")),
    )
    for title, found in sections:
        if found:
            parts += ["", f"### {title}", ""]
            parts += [f"- `{each.place}` `{_short(each.text)}` ({each.role}): {each.reason}" for each in found]
    if missing := _missing(ledger):
        parts += [
            "",
            "### Not seen, or not explained",
            "",
            *(f"- {line.strip()}" for line in missing[2:] if line.strip()),
        ]
    return "\n".join(parts)


def data(ledger: Ledger, *, only_live: bool = False) -> dict[str, Any]:
    """The ledger as plain data for JSON."""
    return {
        "references": [asdict(each) for each in (ledger.live() if only_live else ledger.references)],
        "unexplained": [asdict(each) for each in ledger.unexplained],
        "unreadable": [asdict(each) for each in ledger.unreadable],
        "left_out": [asdict(each) for each in ledger.left_out],
        "lookalikes": [asdict(each) for each in ledger.lookalikes],
        "summary": ledger.summary(),
    }


def _counts(references: Iterable[Reference]) -> list[list[str]]:
    counts: Counter[tuple[str, str]] = Counter((each.role, each.context) for each in references)
    contexts = [context for context in CONTEXTS if any(found == context for _, found in counts)]
    rows = [["role", *contexts, "all"]]
    for role in ROLES:
        row = [counts[role, context] for context in contexts]
        if any(row):
            rows.append([role, *(str(count or "") for count in row), str(sum(row))])
    return rows


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def _line(each: Reference) -> str:
    return f"  {each.place}  {_short(each.text)}  {each.role}, {each.fate}: {each.reason}"


def _missing(ledger: Ledger) -> list[str]:
    lines: list[str] = []
    if ledger.unexplained:
        lines += ["", f"not explained: {len(ledger.unexplained)}"]
        lines += [f"  {each.file}:{each.line}:{each.column}  {each.text}  {each.reason}" for each in ledger.unexplained]
    if ledger.unreadable:
        lines += ["", f"not read: {len(ledger.unreadable)}"]
        lines += [f"  {each.file}:{each.line}  {each.reason}" for each in ledger.unreadable]
    if ledger.left_out:
        lines += ["", f"left out: {len(ledger.left_out)}"]
        lines += [f"  {each.path}  {each.reason}" for each in ledger.left_out]
    return lines


def _closing(ledger: Ledger) -> str:
    files = len({each.file for each in ledger.references})
    parts = [
        f"{_many(len(ledger.references), 'reference')} in {_many(files, 'file')}",
        f"{len(ledger.live())} live",
        f"{len(ledger.unexplained)} not explained",
        f"{_many(len(ledger.lookalikes), 'lookalike')}",
        *([f"{_many(len(ledger.unreadable), 'file')} not read"] if ledger.unreadable else []),
        *([f"{len(ledger.left_out)} left out"] if ledger.left_out else []),
    ]
    return ", ".join(parts)


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

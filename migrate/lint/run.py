"""Runs the rules over graphs and gives findings, sorted, without those that a comment on their line ignores."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from .model import Finding, Place, Wired
from .reader import read_graphs
from .rules import RULES, Rule
from .runs import Analysis

UNREADABLE = "unreadable-file"
_IGNORE = re.compile(r"#\s*graphlift:\s*ignore\[([^\]]*)\]")


def chosen(select: Collection[str] = (), ignore: Collection[str] = ()) -> tuple[Rule, ...]:
    """The rules to run: those selected (all when empty) but those ignored."""
    return tuple(rule for rule in RULES if (not select or rule.id in select) and rule.id not in ignore)


def lint_graphs(graphs: Iterable[Wired], rules: Collection[Rule] = RULES) -> tuple[Finding, ...]:
    """The findings of every rule on every graph, sorted by place."""
    found: dict[tuple[str, Place, str], Finding] = {}
    for wired in graphs:
        analysis = Analysis(wired)
        for rule in rules:
            for place, message in rule.check(analysis):
                finding = Finding(rule.id, rule.level, place, wired.name, message, rule.why, rule.mend)
                found.setdefault((rule.id, place, message), finding)
    return tuple(sorted(found.values(), key=lambda finding: (finding.place, finding.rule, finding.message)))


def lint_files(
    root: Path,
    files: Iterable[str],
    rules: Collection[Rule] = RULES,
    read: Callable[[Path], bytes] = Path.read_bytes,
    in_part: Callable[[Wired], object] = lambda _: None,
) -> tuple[Finding, ...]:
    """The findings of the modules named, relative to `root`. Nothing is imported; a file that cannot be read is a finding.

    `in_part` is told each graph of which the source shows only a part: its wiring depends on a condition, on a loop over what
    is not there to be read, or on a function that it is handed to.
    """
    found: list[Finding] = []
    for file in sorted(set(files)):
        found.extend(_lint_file(file, read(root / file), rules, in_part))
    return tuple(found)


def _lint_file(
    file: str, content: bytes, rules: Collection[Rule], in_part: Callable[[Wired], object]
) -> Iterator[Finding]:
    if b"StateGraph" not in content:
        return
    try:
        text = content.decode("utf-8-sig")
        graphs = read_graphs(file, text)
    except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError) as error:
        place = Place(file, getattr(error, "lineno", None) or 1)
        why = "A graph in it cannot be checked."
        yield Finding(UNREADABLE, "error", place, "", f"cannot be read: {error}", why, "mend the file, or exclude it")
        return
    for graph in graphs:
        if not graph.complete:
            in_part(graph)
    lines = text.splitlines()
    for finding in lint_graphs(graphs, rules):
        if finding.rule not in _ignored(lines, finding.place.line):
            yield finding


def _ignored(lines: list[str], line: int) -> set[str]:
    found = _IGNORE.search(lines[line - 1]) if 0 < line <= len(lines) else None
    return {name.strip() for name in found.group(1).split(",")} if found else set()

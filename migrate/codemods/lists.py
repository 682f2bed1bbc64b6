"""Cut items out of a comma-separated list in a source: the arguments of a call, the names of an import.

Knows items by their places only. An item that stands on lines of its own takes them along; elsewhere it goes with one
comma, and a comment that belongs to something else stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..edits import Edit
from .source import Source, tokens

_REST = re.compile(rb"[ \t\f]*(?P<comma>,?)[ \t\f]*(?P<comment>\#[^\r\n]*)?(?:\r\n|\n|\r)")


class Placed(Protocol):
    """Anything with a place in a source's text."""

    @property
    def start(self) -> int:
        """Where it starts."""
        ...

    @property
    def end(self) -> int:
        """Where it ends."""
        ...


@dataclass(frozen=True)
class Place:
    """A bare place."""

    start: int
    end: int


@dataclass(frozen=True)
class ItemList:
    """A list's items in order, and where it ends. `lines`: a newline may stand between items (it is in brackets)."""

    source: Source
    items: Sequence[Placed]
    closing: int
    lines: bool = True

    def cut(self, dropped: Sequence[int]) -> list[Edit]:
        """The edits that remove the items with these indices, of which some must stay."""
        edits: list[Edit] = []
        for first, last in _runs(dropped):
            own = [self.own_lines(index) for index in range(first, last + 1)]
            if all(own):
                edits += [Edit(*lines, b"") for lines in own if lines]
            else:
                edits.append(self._cut_run(first, last))
        return edits

    def own_lines(self, index: int) -> tuple[int, int] | None:
        """From the start of the item's line to the start of the next, where it and its comma stand there alone."""
        rest = self._rest(index)
        return (self.source.line_start(self.items[index].start), rest.end()) if rest else None

    def comment(self, index: int) -> bytes:
        """The comment behind an item that stands on lines of its own."""
        rest = self._rest(index)
        return rest["comment"] or b"" if rest else b""

    def _rest(self, index: int) -> re.Match[bytes] | None:
        item = self.items[index]
        start = self.source.line_start(item.start)
        rest = _REST.match(self.source.text, item.end, self.closing)
        if not self.lines or rest is None or self.source.text[start : item.start].strip():
            return None
        bare = index == len(self.items) - 1 and self._last_comma() is None
        return rest if rest["comma"] or bare else None

    def _last_comma(self) -> int | None:
        """Where the comma after the last item ends, if there is one."""
        text = self.source.text
        commas = (e for _, s, e in tokens(text, self.items[-1].end, self.closing) if text[s:e] == b",")
        return next(commas, None)

    def _cut_run(self, first: int, last: int) -> Edit:
        """Cut a run out with one comma: the one after it, or the one before where nothing follows on its line."""
        start, end = self.items[first].start, self.items[last].end
        after = self.items[last + 1].start if last + 1 < len(self.items) else None
        before = self.items[first - 1].end if first else None
        same_line = after is not None and self.source.line(after) == self.source.line(end)
        if before is None or same_line:
            return Edit(start, after or end, b"")
        if any(kind == "comment" for kind, *_ in tokens(self.source.text, before, start)):
            # The comma before it stays, behind a comment that must stay too; so the one after it goes.
            return Edit(start, after or self._last_comma() or end, b"")
        return Edit(before, end, b"")


def _runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last of each unbroken run."""
    runs: list[tuple[int, int]] = []
    for index in sorted(indices):
        start = runs.pop()[0] if runs and runs[-1][1] == index - 1 else index
        runs.append((start, index))
    return runs

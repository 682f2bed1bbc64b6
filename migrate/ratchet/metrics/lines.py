"""Metric `lines`: the lines of a file, however they end. A final newline, CRLF and form feeds make no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..keys import Key
from .base import Reading, Scope


class Lines:
    """Counts the lines of each file."""

    id = "lines"
    summary = "lines of a file, however they end"
    default_cap: int | None = None
    by_file = True

    def needs(self) -> Sequence[str]:
        """Nothing but paths."""
        return ()

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a file."""
        scope.tree.preload(scope.paths)
        return {Key(self.id, path): Reading(count_lines(scope.tree.read(path)), path) for path in scope.paths}

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """The first file, with more lines than any cap allows."""
        if not scope.paths:
            return {}
        path = scope.paths[0]
        return {path: scope.tree.read(path) + b"\n" + b"grown = 1\n" * (scope.limit + 1)}


def count_lines(content: bytes) -> int:
    """The number of lines; the last one counts whether or not it ends with a newline.

    Lines end with LF, CRLF or a lone CR, as Python reads a source; a form feed ends none.
    """
    breaks = content.count(b"\n")
    if b"\r" in content:
        breaks += content.count(b"\r") - content.count(b"\r\n")
    return breaks + (not content.endswith((b"\n", b"\r")) and bool(content))

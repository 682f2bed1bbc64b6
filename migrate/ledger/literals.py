"""String literals as they stand in the source: where each piece of a literal has its text.

A tree gives one node for `"a" "b"`, and for an f-string in older Pythons no places at all inside it. Here the source
itself is read again, between the node's start and end.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPEN = re.compile(rb"(?P<prefix>[rRbBuUfFtT]{0,2})(?P<quote>\"\"\"|'''|\"|')")


@dataclass(frozen=True)
class Piece:
    """One literal: the span with its quotes, the span of its text, and its prefix in lower case."""

    start: int
    end: int
    inner_start: int
    inner_end: int
    prefix: str

    def is_plain(self, text: bytes) -> bool:
        """Whether the text between the quotes is the value itself: no escape, no replacement field."""
        inner = text[self.inner_start : self.inner_end]
        if "f" in self.prefix or "t" in self.prefix:
            return b"{" not in inner and b"}" not in inner and b"\\" not in inner
        return "r" in self.prefix or b"\\" not in inner


def pieces(text: bytes, start: int, end: int) -> Iterator[Piece]:
    """The literals of a string node that spans `text[start:end]`, in order."""
    position = start
    while position < end:
        if text[position : position + 1] == b"#":
            position = _line_end(text, position, end)
            continue
        opening = _OPEN.match(text, position, end)
        if opening is None:
            position += 1
            continue
        prefix = opening["prefix"].decode().lower()
        inner = opening.end()
        closing = _closing(text, inner, end, opening["quote"])
        yield Piece(position, closing + len(opening["quote"]), inner, closing, prefix)
        position = closing + len(opening["quote"])


def _line_end(text: bytes, position: int, end: int) -> int:
    found = re.compile(rb"[\r\n]").search(text, position, end)
    return found.start() if found else end


def _closing(text: bytes, position: int, end: int, quote: bytes) -> int:
    found = re.compile(rb"(?:\\.|(?!" + quote + rb").)*", re.DOTALL).match(text, position, end)
    return found.end() if found else end


def is_docstring(node: ast.AST, parent: ast.AST | None, around: ast.AST | None) -> bool:
    """Whether a string constant is the docstring of `around` (its statement is `parent`)."""
    if not isinstance(parent, ast.Expr) or parent.value is not node:
        return False
    body = getattr(around, "body", None)
    return isinstance(body, list) and bool(body) and body[0] is parent

"""Metric `code-lines`: lines that hold code. Blank lines, comments and docstrings are free, so deleting them pays nothing."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping

from ..keys import Key
from .base import Reading, Scope
from .lines import Lines

_LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
    }
)


class CodeLines(Lines):
    """Counts the lines of code of each file."""

    id = "code-lines"
    summary = "lines of code of a file: no blank lines, comments or docstrings"

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a file; in files that are not Python, every line that is not blank counts."""
        scope.tree.preload(scope.paths)
        return {Key(self.id, path): Reading(count_code(path, scope.tree.read(path)), path) for path in scope.paths}


def count_code(path: str, content: bytes) -> int:
    """The number of lines of code; of a Python file that cannot be read as Python, all lines that are not blank."""
    if path.endswith((".py", ".pyi")):
        try:
            return len(_code_lines(content))
        except (tokenize.TokenError, SyntaxError, UnicodeError):
            pass
    return sum(1 for line in content.replace(b"\r", b"\n").split(b"\n") if line.strip())


def _code_lines(content: bytes) -> set[int]:
    """Numbers of the lines that hold a token of a statement which is more than a string by itself."""
    lines: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.tokenize(io.BytesIO(content).readline):
        if token.type not in _LAYOUT:
            statement.append(token)
        elif token.type == tokenize.NEWLINE:
            lines.update(_lines_of(statement))
            statement = []
    lines.update(_lines_of(statement))
    return lines


def _lines_of(statement: list[tokenize.TokenInfo]) -> set[int]:
    if all(token.type == tokenize.STRING for token in statement):
        return set()
    return {line for token in statement for line in range(token.start[0], token.end[0] + 1)}

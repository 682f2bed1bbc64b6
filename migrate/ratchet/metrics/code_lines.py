"""Metric `code-lines`: lines that hold code. Blank lines, comments and docstrings are free, so deleting them pays nothing.

Thousands of files are counted by looking for texts and comments alone; where that is ambiguous, Python's tokenizer decides,
which takes ten times as long.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping

from ..keys import Key
from .base import Reading, Scope
from .lines import Lines

_TOKEN = re.compile(
    rb'''"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*''',
    re.DOTALL,
)
# A line of code begins with neither a comment nor the line's end, be it one that goes on.
_LINE = re.compile(rb"^[ \t\f]*(?!\\[ \t\f]*$)[^ \t\f#\n]", re.MULTILINE)
_ALONE = re.compile(rb"[ \t\f]*(?:#[^\n]*)?(?:\n|\Z)")
_UNCLEAR = re.compile(rb"[ \t\f]*[rRbBuUfF]{0,2}[\\\"']")
_PREFIX = re.compile(rb"[ \t\f]*[rRbBuU]{0,2}")
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
    content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if path.endswith((".py", ".pyi")):
        try:
            found = by_text(content)
            return len(by_tokens(content)) if found is None else found
        except (tokenize.TokenError, SyntaxError, UnicodeError):
            pass
    return sum(1 for line in content.split(b"\n") if line.strip())


def by_text(content: bytes) -> int | None:
    """The number of lines of code, or None where texts and comments alone do not tell."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    count, depth, end = len(_LINE.findall(content)), 0, 0
    for found in _TOKEN.finditer(content):
        gap, end = content[end : found.start()], found.end()
        if b'"' in gap or b"'" in gap:
            return None  # a text that does not end
        depth += sum(map(gap.count, (b"(", b"[", b"{"))) - sum(map(gap.count, (b")", b"]", b"}")))
        token = found[0]
        if token.startswith(b"#"):
            continue
        more = token.count(b"\n")
        begun = len(_LINE.findall(token, token.index(b"\n") + 1)) if more else 0
        alone = _stands_alone(content, found, depth)
        if alone is None:
            return None
        # All lines of a text in a statement are code, the empty ones too; none of one that is a statement by itself.
        count += -1 - begun if alone else more - begun
    rest = content[end:]
    return None if b'"' in rest or b"'" in rest else count


def _stands_alone(content: bytes, found: re.Match[bytes], depth: int) -> bool | None:
    """Whether a text is a statement by itself; None where its neighbours would have to be looked at."""
    start = content.rfind(b"\n", 0, found.start()) + 1
    if depth != 0 or not _PREFIX.fullmatch(content, start, found.start()):
        return False
    if content[:start].endswith(b"\\\n") or _UNCLEAR.match(content, found.end()):
        return None
    return _ALONE.match(content, found.end()) is not None


def by_tokens(content: bytes) -> set[int]:
    """The numbers of the lines that hold a token of a statement which is more than a text by itself."""
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


def _lines_of(statement: list[tokenize.TokenInfo]) -> Iterator[int]:
    if not all(token.type == tokenize.STRING for token in statement):
        for token in statement:
            yield from range(token.start[0], token.end[0] + 1)

"""Names in text that people read: where a dotted path around a name begins and ends, and what is an example.

Shared by docstrings, comments and documents; comments of a Python file are found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import model
from .contexts import context_of
from .literals import pieces
from .mention import Explained, FileFindings, Mention
from .resolve import Resolution
from .text import TextFile
from .vocabulary import is_escape

if TYPE_CHECKING:
    from .python import PythonFile

Span = tuple[int, int]

TYPE_COMMENT = re.compile(rb"#[ \t]*type:[ \t]*(?![ \t]*ignore\b)")
_BEFORE = re.compile(rb"(?:[^\W\d][\w\x80-\xff]*[.:])+\Z")
_AFTER = re.compile(rb"(?:\.[^\W\d]\w*)*")
_DOCTEST = re.compile(rb"\s*(?:>>>|\.\.\.)\s")
_CODE = re.compile(
    rb"\s*(?:from\s+[\w.]+\s+import\b|import\s+[\w.]+|(?:async\s+|await\s+|return\s+|with\s+|yield\s+)?[\w.]+\s*(?:=|\(.*\)\s*$)"
    rb"|@[\w.]+|(?:class|def)\s+\w+)"
)


def path_around(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of the dotted path (`a.b.Name.member`, `a.b:Name`) in which the name `text[start:end]` stands."""
    line = max(text.rfind(b"\n", 0, start), text.rfind(b"\r", 0, start)) + 1
    before = _BEFORE.search(text, line, start)
    first = before.start() if before else start
    while first > line and text[first - 1 : first].isalnum():
        first -= 1
    if first < start and is_escape(text, first):
        first += 1
    after = _AFTER.match(text, end)
    return first, after.end() if after else end


def prose_role(file: TextFile, offset: int) -> str:
    """Whether a place in a docstring is an example (a doctest, a line of indented code) or plain text."""
    line = file.line_text(offset)
    if _DOCTEST.match(line):
        return model.DOCSTRING_EXAMPLE
    return model.DOCSTRING_EXAMPLE if _CODE.match(line) and line[:1].isspace() else model.PROSE


def find_comments(source: PythonFile) -> FileFindings:
    """References in the comments of a Python file; those in a type comment are annotations."""
    found = FileFindings()
    for hit, comment in _in_comments(source):
        if (typed := _in_type_comment(source, hit, comment)) is not None:
            found.mentions.append(typed)
            continue
        resolution, start, end = prose_target(source, hit)
        if resolution is None:
            path = source.file.slice(start, end)
            found.explained.append(Explained(*hit.span(), f"another object in a comment: {path}"))
        else:
            found.mentions.append(Mention(start, end, model.COMMENT, resolution, "prose"))
    return found


def _in_type_comment(source: PythonFile, hit: re.Match[bytes], comment: int) -> Mention | None:
    """A name in `# type: list[X]` or `# type: (X) -> None`, which a type checker reads as code."""
    typed = TYPE_COMMENT.match(source.file.text, comment)
    if typed is None or b"#" in source.file.text[typed.end() : hit.start()]:
        return None
    start, end = path_around(source.file.text, *hit.span())
    scope = source.scope_at(source.file.line(start))
    parts = source.file.slice(start, end).split(".")
    found = source.lookup(parts, scope)
    if found is None:
        return None
    if found.members:
        end = start + len(".".join(parts[: -len(found.members)]).encode())
    context = context_of(source.file.path, model.STRING_ANNOTATION)
    return Mention(start, end, model.STRING_ANNOTATION, found, context, scope.qualname, parts[0])


def _in_comments(source: PythonFile) -> Iterator[tuple[re.Match[bytes], int]]:
    """Names behind a `#` on their line that stands in no string, each with where its comment starts.

    In a type comment an ordinary word may be a name too.
    """
    text = source.file.text
    strings = sorted(source.span(node) for node, _ in source.names.strings)
    pattern = source.vocabulary.pattern if b"type:" in text else source.vocabulary.word_pattern
    for hit in pattern.finditer(text):
        line_start = source.file.line_starts[source.file.line(hit.start()) - 1]
        marks = [line_start + found.start() for found in re.finditer(rb"#", text[line_start : hit.start()])]
        comment = next((mark for mark in marks if not _in_string(text, strings, mark)), None)
        if comment is None:
            continue
        if hit.group().decode() in source.vocabulary.words or TYPE_COMMENT.match(text, comment):
            yield hit, comment


def _in_string(text: bytes, strings: list[Span], offset: int) -> bool:
    for start, end in strings:
        if start <= offset < end:
            # Between the parts of a joined literal there can be comments.
            return any(piece.start <= offset < piece.end for piece in pieces(text, start, end))
    return False


def prose_target(source: PythonFile, hit: re.Match[bytes]) -> tuple[Resolution | None, int, int]:
    """What a name in a text of a Python file means: the dotted path around it, the file's own name, or the symbol's."""
    start, end = path_around(source.file.text, *hit.span())
    path = source.file.slice(start, end)
    found = source.resolver.resolve(path.replace(":", "."))
    if found is None and start == hit.start():
        name = hit.group().decode()
        found = source.lookup(path.split("."), source.names.module)
        symbol = source.vocabulary.symbol_of(name)
        if found is None and symbol and source.names.module.bindings.get(name) is None:
            found = Resolution(symbol, (), (path, symbol), certain=False)
    elif found is None and not (found := source.lookup(path.split("."), source.names.module)):
        name = hit.group().decode()
        symbol = source.vocabulary.symbol_of(name)
        if symbol and path.partition(".")[0] in (symbol.partition(".")[0], "self", "cls"):
            found = Resolution(symbol, (), (path, symbol), certain=False)
    return found, start, end

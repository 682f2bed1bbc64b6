"""A Python source as codemods see it: its bytes, its syntax tree, and exact places in both.

The tree's columns count UTF-8 bytes of the decoded text, while edits count bytes of the file as it is. `Source` works in
the first space (`text`, UTF-8 without a byte order mark) and translates edits at the end, so that any coding cookie, byte
order mark and newline survives. It resolves no name: that is the ledger's work.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, partial

from ..edits import Edit
from ..ledger.parsing import deeply
from ..ledger.parsing import parse as parse_text
from ..ledger.text import NEWLINE, UnreadableError, python_encoding

# What may stand between two parts of a bracketed list or an import statement.
TOKEN = re.compile(
    rb"(?P<comment>\#[^\r\n]*)|(?P<newline>\r\n|\n|\r)|(?P<joined>\\(?:\r\n|\n|\r))|(?P<space>[ \t\f]+)"
    rb"|(?P<name>[\w\x80-\xff]+)|(?P<other>.)"
)


class UnreadableSourceError(ValueError):
    """The bytes are not Python that this interpreter can parse; the message says why and where."""


class Source:
    """One Python file. Raises `UnreadableSourceError` for bytes that cannot be decoded or parsed."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        try:
            self._bom, self.encoding = python_encoding(content)
        except UnreadableError as error:
            raise UnreadableSourceError(str(error)) from None
        try:
            self.decoded = content[self._bom :].decode(self.encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise UnreadableSourceError(f"cannot be decoded as {self.encoding}: {error}") from None
        self.text = self.decoded.encode("utf-8")
        self.tree = parse(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in NEWLINE.finditer(self.text))]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent; whether a name is read or written (`ctx`) is no node of its own here."""
        return self._walked[1]

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree, outer ones first, as `ast.walk` has them."""
        return self._walked[0]

    @cached_property
    def _walked(self) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
        # Once for all who ask: walking the trees would otherwise take longer than parsing them.
        nodes: list[ast.AST] = [self.tree]
        parents: dict[ast.AST, ast.AST] = {}
        for node in nodes:
            for name in node._fields:
                value = getattr(node, name, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST) and name != "ctx":
                        parents[child] = node
                        nodes.append(child)
        return nodes, parents

    def offset(self, line: int, column: int) -> int:
        """The place in `text` of a tree's line (from 1) and column (UTF-8 bytes, from 0)."""
        return self._line_starts[line - 1] + column

    def line(self, offset: int) -> int:
        """The line, from 1, of a place in `text`."""
        return bisect_right(self._line_starts, offset)

    def span(self, node: ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg) -> tuple[int, int]:
        """Where `node` starts and ends in `text`."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parents of `node`, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def line_start(self, offset: int) -> int:
        """Where the line of `offset` starts."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the line of `offset` ends, before its newline."""
        found = NEWLINE.search(self.text, offset)
        return found.start() if found else len(self.text)

    def indent(self, offset: int) -> bytes:
        """The white space that the line of `offset` begins with (a form feed is not indentation)."""
        start = self.line_start(offset)
        found = re.compile(rb"[ \t]*").match(self.text, start)
        return found.group() if found else b""

    def newline(self, offset: int) -> bytes:
        """The newline that ends the line of `offset`, else the one before it, else LF."""
        found = NEWLINE.search(self.text, offset)
        if found:
            return found.group()
        before = list(NEWLINE.finditer(self.text, 0, offset))
        return before[-1].group() if before else b"\n"

    @cached_property
    def _plain(self) -> bool:
        return self.encoding in ("utf-8", "ascii") or self.decoded.isascii()

    def from_file(self, offset: int) -> int:
        """The place in `text` of a place in the file's bytes."""
        if self._plain:
            return offset - self._bom
        return len(self.content[self._bom : offset].decode(self.encoding).encode("utf-8"))

    def to_file(self, edit: Edit) -> Edit:
        """An edit of `text` as an edit of the file's bytes. Raises UnicodeEncodeError where the encoding lacks a character."""
        return Edit(self._place(edit.start), self._place(edit.end), edit.new.decode("utf-8").encode(self.encoding))

    def _place(self, offset: int) -> int:
        if self._plain:
            return offset + self._bom
        return self._bom + len(self.text[:offset].decode("utf-8").encode(self.encoding))


def parse(text: bytes) -> ast.Module:
    """The syntax tree of UTF-8 text, however deep it is nested. Raises `UnreadableSourceError`."""
    try:
        return deeply(partial(parse_text, text))
    except UnreadableError as error:
        raise UnreadableSourceError(f"line {error.line}: {error}") from None


def tokens(text: bytes, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The kind, start and end of what stands in `text[start:end]`, which must hold no string literal."""
    for found in TOKEN.finditer(text, start, end):
        yield str(found.lastgroup), found.start(), found.end()

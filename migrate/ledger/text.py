"""A text file and places in it: the file's bytes, its text as UTF-8, and lines and columns.

Everything in this folder reckons in `text` (UTF-8, without a byte order mark), the space in which Python's syntax trees
count columns; `TextFile.place` turns an offset there into a line, a column in characters and an offset in the file.
"""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

# As CPython's tokenizer splits lines: a form feed or U+2028 does not end one.
NEWLINE = re.compile(rb"\r\n|\n|\r")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8192
_STATEFUL = ("iso2022", "hz", "utf-7", "utf-16", "utf-32", "punycode", "idna", "unicode_escape", "raw_unicode_escape")
PYTHON = (".py", ".pyi", ".pyw")
_SHEBANG = re.compile(rb"#![^\r\n]*\b(?:python|pypy|uv[ \t]+run\b)")


def is_python(path: str, content: bytes) -> bool:
    """Whether a file is Python: by its suffix, or a script by its first line."""
    return path.endswith(PYTHON) or (content.startswith(b"#!") and _SHEBANG.match(content) is not None)


CONFIG_SUFFIXES = frozenset({".cfg", ".conf", ".env", ".ini", ".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml"})

_ENVIRONMENT = re.compile(r"(?:.*/)?\.(?:flask)?env(?:\.[\w.-]+)?\Z")


def is_config(path: str) -> bool:
    """Whether a file is configuration, by its suffix or as a `.env` file is named."""
    return path[path.rfind(".") :].lower() in CONFIG_SUFFIXES or _ENVIRONMENT.match(path) is not None


class UnreadableError(ValueError):
    """A file cannot be decoded or parsed; `line` is 1 where no better one is known."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Place:
    """A span as a report shows it: line and column from 1, the column in characters, offsets in the file's bytes."""

    line: int
    column: int
    start: int
    end: int


class TextFile:
    """A file's path (relative, forward slashes) and content. Raises `UnreadableError` where it cannot be decoded."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content
        self._bom, self.encoding = _encoding(path, content)
        if self._bom == 0 and self.encoding == "utf-8" and content.isascii():
            self.text, self._plain = content, True
            return
        try:
            decoded = content[self._bom :].decode(self.encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise UnreadableError(f"cannot be decoded as {self.encoding}: {error}", _line(content, error)) from None
        self.text = decoded.encode("utf-8", "surrogatepass")
        self._plain = self.encoding == "utf-8"

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line starts in `text`."""
        return [0, *(found.end() for found in NEWLINE.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """The offset in `text` of a tree's line (from 1) and column (UTF-8 bytes, from 0)."""
        return self.line_starts[line - 1] + column

    def line(self, offset: int) -> int:
        """The line, from 1, of an offset in `text`."""
        return bisect_right(self.line_starts, offset)

    def line_text(self, offset: int) -> bytes:
        """The text of the line of `offset`, without its newline."""
        number = self.line(offset)
        stop = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[number - 1] : stop].rstrip(b"\r\n")

    def place(self, start: int, end: int) -> Place:
        """The place of a span of `text`."""
        line = self.line(start)
        before = self.text[self.line_starts[line - 1] : start].decode("utf-8", "replace")
        return Place(line, len(before) + 1, self._in_file(start), self._in_file(end))

    def _in_file(self, offset: int) -> int:
        if self._plain:
            return offset + self._bom
        before = self.text[:offset].decode("utf-8", "surrogatepass")
        return self._bom + len(before.encode(self.encoding, "surrogatepass"))

    def slice(self, start: int, end: int) -> str:
        """What stands in a span of `text`."""
        return self.text[start:end].decode("utf-8", "replace")


def is_binary(content: bytes) -> bool:
    """Whether these bytes are no text: a NUL near the start, and no byte order mark of a wide encoding."""
    return b"\0" in content[:_SNIFFED] and not content.startswith(tuple(bom for bom, _ in _BOMS))


def is_wide(content: bytes) -> bool:
    """Whether a byte order mark says UTF-16 or UTF-32, in which a plain search of the bytes finds nothing."""
    return content.startswith(tuple(bom for bom, name in _BOMS if name != "utf-8"))


def _encoding(path: str, content: bytes) -> tuple[int, str]:
    """The length of the byte order mark, and the encoding. Raises `UnreadableError`."""
    if is_python(path, content):
        return python_encoding(content)
    for bom, name in _BOMS:
        if content.startswith(bom):
            return len(bom), name
    return 0, "utf-8"


def python_encoding(content: bytes) -> tuple[int, str]:
    """The same for Python source, as in PEP 263. Raises `UnreadableError` for what Python, or a count of bytes, cannot read."""
    if is_wide(content):
        raise UnreadableError("is UTF-16 or UTF-32, which Python does not read")
    bom = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    if b"coding" not in content[:_SNIFFED]:
        return bom, "utf-8"
    # `detect_encoding` does not know a lone carriage return.
    first = b"\n".join(NEWLINE.split(content[:_SNIFFED])[:2]) + b"\n"
    try:
        name = tokenize.detect_encoding(io.BytesIO(first).readline)[0]
    except SyntaxError as error:
        reason = "has a byte order mark of UTF-8, and a cookie that says otherwise" if bom else str(error)
        raise UnreadableError(reason) from None
    if codecs.lookup(name).name.startswith(_STATEFUL):
        raise UnreadableError(f"is {name}, in which a place cannot be told by counting bytes")
    return bom, "utf-8" if name == "utf-8-sig" else name


def _line(content: bytes, error: Exception) -> int:
    if not isinstance(error, UnicodeDecodeError):
        return 1
    return len(NEWLINE.findall(content, 0, error.start)) + 1

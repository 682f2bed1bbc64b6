"""Names in notebooks: the code cells as one Python module, with every place mapped back into the JSON text.

Cells share one namespace, so they are read together. A line with a magic (`%`, `!`) and a cell of another language are
blanked out; names there, in Markdown cells and in outputs are text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from . import model
from .contexts import context_of
from .documents import find_in_document
from .mention import FileFindings, Mention
from .resolve import Resolver
from .text import TextFile, UnreadableError
from .vocabulary import Vocabulary

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CHARACTER = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")
BY_HAND = "in a notebook, which is not rewritten"
ASIDE = frozenset({model.PROSE, model.COMMENT, model.DOCSTRING_EXAMPLE, model.DEFINITION, model.NAME_STRING})
MAGIC = "a notebook's magic is not read as Python; it is not rewritten"
PYTHON_MAGICS = frozenset({b"time", b"timeit", b"capture", b"prun", b"memit", b"mprun", b"px", b"debug"})
"""Cell magics under which the rest of the cell is Python of the notebook."""
_CELL_MAGIC = re.compile(rb"\s*%%(\w*)")
_MAGIC = re.compile(rb"(?m)^[ \t]*(?:[%!?].*|[\w, ]+=[ \t]*[%!].*|.*\?\??[ \t]*)$")


@dataclass(frozen=True)
class Cells:
    """The code cells' text as one module, and for each of its bytes the place in the notebook's text."""

    text: bytes
    places: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the notebook of a span of the code."""
        return self.places[start], self.places[end]


def find_in_notebook(
    file: TextFile, resolver: Resolver, vocabulary: Vocabulary, analyse: Callable[[TextFile], FileFindings]
) -> FileFindings:
    """References in one notebook; `analyse` reads the cells' code. Raises `UnreadableError` for what is no notebook."""
    cells = code_cells(file)
    inner = analyse(TextFile(file.path, cells.text))
    found = FileFindings()
    for each in inner.mentions:
        start, end = cells.span(each.start, each.end)
        container = cells.span(*each.container) if each.container else None
        placed = replace(each, start=start, end=end, container=container)
        found.mentions.append(
            placed if each.role in ASIDE else replace(placed, reason=each.reason or BY_HAND, flag=True)
        )
    for note in inner.explained:
        start, end = cells.span(note.start, note.end)
        found.explained.append(replace(note, start=start, end=end))
    found.doubts.update({cells.places[place]: reason for place, reason in inner.doubts.items()})
    code = set(cells.places[:-1])
    rest = find_in_document(file, resolver, vocabulary)
    blank = {cells.places[place] for place, byte in enumerate(cells.text) if byte == ord(" ")}
    for each in rest.mentions:
        if each.start in blank:
            found.mentions.append(_in_magic(file, each))
        elif each.start not in code:
            found.mentions.append(each)
    found.explained.extend(each for each in rest.explained if each.start not in code or each.start in blank)
    return found


def _in_magic(file: TextFile, each: Mention) -> Mention:
    """A name in a line that IPython or a shell reads."""
    context = context_of(file.path, model.SCRIPT)
    return replace(each, role=model.SCRIPT, context=context, reason=MAGIC, flag=True)


def code_cells(file: TextFile) -> Cells:
    """The code of a notebook's code cells. Raises `UnreadableError` for what is no notebook."""
    tokens = list(_STRING.finditer(file.text))
    numbers = iter(range(len(tokens)))
    skeleton = _STRING.sub(lambda _: b'"%d"' % next(numbers), file.text)
    try:
        notebook = json.loads(skeleton)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"is not a notebook: {error}") from None
    text, places = bytearray(), []
    for cell in _code(notebook, [token.group() for token in tokens]):
        start = len(text)
        for number in cell:
            token = tokens[number]
            for piece, place in _characters(file.text, token.start() + 1, token.end() - 1):
                text += piece
                places += [place] * len(piece)
        if not text.endswith(b"\n"):
            text += b"\n"
            places.append(places[-1] if places else 0)
        text[start:] = _without_magic(bytes(text[start:]))
    return Cells(bytes(text), [*places, places[-1] if places else 0])


def _code(notebook: object, tokens: list[bytes]) -> Iterator[list[int]]:
    """For each code cell, the numbers of the strings that its source consists of; format 3 has its cells in worksheets."""
    top = _plain(notebook, tokens)
    sheets = [_plain(sheet, tokens) for sheet in _listed(top.get("worksheets"))]
    for cell in (cell for part in (top, *sheets) for cell in _listed(part.get("cells"))):
        entry = _plain(cell, tokens)
        kind = entry.get("cell_type")
        if isinstance(kind, str) and json.loads(tokens[int(kind)]) == "code":
            source = entry.get("source", entry.get("input", []))
            parts = source if isinstance(source, list) else [source]
            yield [int(part) for part in parts if isinstance(part, str)]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _plain(entry: object, tokens: list[bytes]) -> dict[str, object]:
    """An object of the skeleton with its keys read."""
    if not isinstance(entry, dict):
        return {}
    return {str(json.loads(tokens[int(key)])): value for key, value in entry.items()}


def _characters(text: bytes, start: int, end: int) -> Iterator[tuple[bytes, int]]:
    """Each character of a JSON string's inside: its value in UTF-8, and where it stands."""
    for found in _CHARACTER.finditer(text, start, end):
        raw = found.group()
        value = str(json.loads(b'"' + raw + b'"')).encode("utf-8", "surrogatepass") if len(raw) > 1 else raw
        yield value, found.start()


def _without_magic(cell: bytes) -> bytes:
    if (magic := _CELL_MAGIC.match(cell)) and magic[1] not in PYTHON_MAGICS:
        return re.sub(rb"[^\r\n]", b" ", cell)
    return _MAGIC.sub(lambda found: b" " * len(found.group()), cell)

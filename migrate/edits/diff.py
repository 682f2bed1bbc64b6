"""A plan as a patch that `git apply` takes: bytes in, bytes out, so that any encoding and any newline survives.

Lines end at LF alone, as in git; a carriage return is part of its line. Renames are not described.
"""

from __future__ import annotations

import difflib
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import FileChange, Plan

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]

CONTEXT = 3
LONG = 2000
"""Lines between the first and the last change from which on equal lines that stand everywhere are no anchors."""
NO_NEWLINE = b"\\ No newline at end of file\n"


def render_diff(plan: Plan) -> bytes:
    """The plan as one unified diff with paths under `a/` and `b/`; empty for a plan that changes nothing."""
    return b"".join(part for change in plan.changes for part in _file(change))


def line_differences(before: bytes, after: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Where `before` must change to become `after`, in whole lines: start, end and the new bytes."""
    old, new = _lines(before), _lines(after)
    starts = [0, *accumulate(map(len, old))]
    for tag, i1, i2, j1, j2 in _matcher(old, new).get_opcodes():
        if tag != "equal":
            yield starts[i1], starts[i2], b"".join(new[j1:j2])


class _Known(difflib.SequenceMatcher[bytes]):
    """Opcodes that are known already, for the grouping into hunks."""

    def __init__(self, opcodes: list[Opcode]) -> None:
        super().__init__(None, [], [])
        self._known = opcodes

    def get_opcodes(self) -> list[Opcode]:
        return self._known


def _file(change: FileChange) -> Iterator[bytes]:
    old, new = _quoted("a/" + change.path), _quoted("b/" + change.path)
    yield b"diff --git " + old + b" " + new + b"\n"
    if change.before is None:
        yield b"new file mode 100644\n"
    if change.after is None:
        yield b"deleted file mode 100644\n"
    hunks = list(_hunks(_lines(change.before or b""), _lines(change.after or b"")))
    if hunks:
        yield b"--- " + (old if change.before is not None else b"/dev/null") + b"\n"
        yield b"+++ " + (new if change.after is not None else b"/dev/null") + b"\n"
        yield from hunks


def _lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _hunks(before: list[bytes], after: list[bytes]) -> Iterator[bytes]:
    for group in _matcher(before, after).get_grouped_opcodes(CONTEXT):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield b"@@ -" + _range(i1, i2) + b" +" + _range(j1, j2) + b" @@\n"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (_line(b" ", line) for line in before[a1:a2])
            else:
                yield from (_line(b"-", line) for line in before[a1:a2])
                yield from (_line(b"+", line) for line in after[b1:b2])


def _matcher(before: list[bytes], after: list[bytes]) -> difflib.SequenceMatcher[bytes]:
    """A matcher that only had to look at what is left between the common beginning and end: files are long, edits few."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    a_end, b_end = len(before) - tail, len(after) - tail
    # Of a long literal's thousands of equal lines each pair would be looked at; the heuristic leaves such lines out as anchors.
    popular = max(a_end, b_end) - head > LONG
    middle = difflib.SequenceMatcher(None, before[head:a_end], after[head:b_end], autojunk=popular)
    shifted: list[Opcode] = [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in middle.get_opcodes()
    ]
    equal_head: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    equal_tail: list[Opcode] = [("equal", a_end, len(before), b_end, len(after))] if tail else []
    return _Known([*equal_head, *shifted, *equal_tail])


def _range(start: int, stop: int) -> bytes:
    # An empty range names the line before it, as GNU diff and git expect.
    first = start + 1 if stop > start else start
    return b"%d,%d" % (first, stop - start)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n" + NO_NEWLINE


def _quoted(path: str) -> bytes:
    """A path as git writes it: quoted in C style where it has bytes that would end or change the header."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(32 < byte < 127 and byte not in b'"\\' for byte in raw):
        return raw
    named = {ord('"'): b'\\"', ord("\\"): b"\\\\", 9: b"\\t", 10: b"\\n", 13: b"\\r"}
    return b'"' + b"".join(named.get(b) or (bytes([b]) if 32 <= b < 127 else b"\\%03o" % b) for b in raw) + b'"'

"""Merge three versions of the people's file by its tables, so that two branches that add an entry each do not conflict.

The text between is kept byte for byte: comments stay with the table below them. Only where both sides changed the same
table, or the head of the file, in two ways is there a conflict, and then nothing is merged. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

NAMED_BY = {"rule": "id", "raise": "key", "move": "from", "retired": "symbol"}
"""What tells the tables of a kind apart; a table inside of one, such as `[rule.options]`, belongs to it."""

SORTED = frozenset({"raise", "retired"})

_HEADER = re.compile(rf"\[\[[ \t]*(?P<name>{'|'.join(NAMED_BY)})[ \t]*\]\][ \t]*(?:#.*)?\n?$")

Name = tuple[str, str, int]


@dataclass(frozen=True)
class Block:
    """A table with the comments above it; the head of the file has the name `("", "", 0)`."""

    name: Name
    text: str

    @property
    def content(self) -> str:
        """The text without the empty lines around it."""
        return self.text.strip("\n")


def merge_rules(base: str, ours: str, theirs: str) -> str | None:
    """The merged text with the newlines of `ours`, or None where the two sides contradict each other."""
    crlf = "\r\n" in ours
    old, left, right = (blocks(text.replace("\r\n", "\n")) for text in (base, ours, theirs))
    before, mine, yours = ({block.name: block for block in found} for found in (old, left, right))
    merged: dict[Name, Block] = {}
    for name in dict.fromkeys((*mine, *yours)):
        sides = [found.get(name) for found in (before, mine, yours)]
        texts = [block.content if block else None for block in sides]
        if texts[1] != texts[0] and texts[2] not in (texts[0], texts[1]):
            return None
        chosen = sides[2] if texts[1] == texts[0] else sides[1]
        if chosen is not None:
            merged[name] = chosen
    text = _written(_in_order(merged, left, right))
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    return text.replace("\n", "\r\n") if crlf else text


def _in_order(merged: dict[Name, Block], left: list[Block], right: list[Block]) -> Iterable[Block]:
    """Ours in our order; what only they have in the order of keys, or after the table that it follows there."""
    order = [block.name for block in left if block.name in merged]
    previous: Name = ("", "", 0)
    for block in right:
        if block.name in merged and block.name not in order:
            order.insert(_place(order, block.name, previous), block.name)
        previous = block.name
    return [merged[name] for name in order]


def _place(order: list[Name], name: Name, previous: Name) -> int:
    alike = [place for place, other in enumerate(order) if other[0] == name[0]]
    if name[0] in SORTED and alike:
        return next((place for place in alike if order[place] > name), alike[-1] + 1)
    return order.index(previous) + 1 if previous in order else len(order)


def _written(found: Iterable[Block]) -> str:
    texts = [f"{block.text.rstrip()}\n{_gap(block.text)}" for block in found if block.content]
    return "".join(texts).rstrip("\n") + "\n"


def _gap(text: str) -> str:
    """The empty lines below a table, one at least."""
    return "\n" * max(1, len(text) - len(text.rstrip("\n")) - 1)


def blocks(text: str) -> list[Block]:
    """The tables of a text, in order, each with the lines of comment directly above it; first the head, which may be empty."""
    starts, lines, inside = [0], text.splitlines(keepends=True), False
    for number, line in enumerate(lines):
        quotes = line.count('"""') + line.count("'''")
        if not inside and _HEADER.match(line):
            start = number
            while start > starts[-1] and lines[start - 1].startswith("#"):
                start -= 1
            starts.append(start)
        inside ^= quotes % 2 == 1
    parts = ["".join(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    counts: dict[tuple[str, str], int] = {}
    found = [Block(("", "", 0), parts[0])]
    for part in parts[1:]:
        kind, key = _identity(part)
        counts[kind, key] = counts.get((kind, key), 0) + 1
        found.append(Block((kind, key, counts[kind, key]), part))
    return found


def _identity(part: str) -> tuple[str, str]:
    header = next(line for line in part.splitlines() if _HEADER.match(line))
    kind = _HEADER.match(header)["name"].strip()  # type: ignore[index]
    try:
        data = tomllib.loads(part).get(kind)
    except tomllib.TOMLDecodeError:
        data = None
    entry = data[0] if isinstance(data, list) and data else {}
    return kind, str(entry.get(NAMED_BY.get(kind, ""), ""))

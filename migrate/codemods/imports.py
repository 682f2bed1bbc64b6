"""Edit import statements: take names out, put new statements beside them, move comments with what they describe.

One statement at a time, by places; it neither knows what a name refers to nor which of them are still used. The rules for
where a new statement goes:

    all names gone      in the old statement's place
    some names gone     after it
    a star import       after it, since the star could shadow what comes before
    nothing gone        before or after it, as the module's name sorts; after it where a comment stands above
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..edits import Edit
from .lists import ItemList, Place
from .source import Source, tokens

ImportStatement = ast.Import | ast.ImportFrom


@dataclass(frozen=True, order=True)
class NewImport:
    """A name that a module needs: `target` imported from its module, or its module as a whole (`whole`).

    `here`: the module defines the target itself, so that nothing is imported.
    """

    target: str
    whole: bool = False
    asname: str = ""
    here: bool = False

    @property
    def module(self) -> str:
        """The module to import."""
        return self.target.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The name in that module."""
        return self.target.rpartition(".")[2]

    @property
    def bound(self) -> str:
        """What the import binds in the file."""
        return self.module.partition(".")[0] if self.whole else self.asname or self.name

    @property
    def expression(self) -> str:
        """What the file writes to mean the target."""
        return self.target if self.whole else self.bound


def statements(needs: Iterable[NewImport], package: str | None = None) -> list[bytes]:
    """The statements that import `needs`, sorted; relative to `package` where the two share a beginning."""
    whole = sorted({f"import {need.module}" for need in needs if need.whole})
    named: dict[str, set[str]] = {}
    for need in needs:
        if not need.whole:
            # `as` with the same name means "exported" to type checkers, so it stays as it was asked for.
            shown = f"{need.name} as {need.asname}" if need.asname else need.name
            named.setdefault(relative_to(need.module, package), set()).add(shown)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(named.items())]
    return [line.encode() for line in [*whole, *lines]]


def relative_to(module: str, package: str | None) -> str:
    """A module as an import in `package` may write it: relative where the two share a beginning; absolute for None."""
    if not package:
        return module
    ours, theirs = package.split("."), module.split(".")
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    return "." * (len(ours) - shared + 1) + ".".join(theirs[shared:]) if shared else module


@dataclass(frozen=True)
class Statement:
    """One import statement of a source."""

    source: Source
    node: ImportStatement

    @cached_property
    def place(self) -> tuple[int, int]:
        """Where it starts and ends in the source's text, without a comment behind it."""
        return self.source.span(self.node)

    @cached_property
    def _names(self) -> ItemList:
        start, end = self.place
        items = [Place(*self.source.span(alias)) for alias in self.node.names]
        brackets = self.source.text[start:end].endswith(b")")
        return ItemList(self.source, items, end - 1 if brackets else end, lines=brackets)

    @property
    def is_star(self) -> bool:
        """Whether it is `from … import *`."""
        return self.node.names[0].name == "*"

    @cached_property
    def shares_line(self) -> bool:
        """Whether another statement, or the head of a block, stands on its line."""
        start, end = self.place
        before = self.source.text[self.source.line_start(start) : start]
        after = self.source.text[end : self.source.line_end(end)].strip()
        return bool(before.strip(b" \t\f")) or after.startswith(b";")

    @property
    def comments(self) -> list[bytes]:
        """The comments that are about the whole statement: behind its first line, and behind its end."""
        start, end = self.place
        text, first = self.source.text, self.source.line_end(start)
        opening = text[start:first] if first < end else b""
        behind = text[end : self.source.line_end(end)].strip()
        ends = (opening[opening.find(b"#") :] if b"#" in opening else b"", behind if behind.startswith(b"#") else b"")
        return [comment for comment in ends if comment]

    @property
    def _break(self) -> bytes:
        start, _ = self.place
        return b"; " if self.shares_line else self.source.newline(start) + self.source.indent(start)

    def edits(self, removed: Collection[ast.alias], new: Sequence[bytes], *, keep_block: bool = False) -> list[Edit]:
        """Take the `removed` names out and put the `new` statements beside what is left.

        `keep_block`: where nothing would be left, leave `pass`, since the block must not be empty.
        """
        gone = [index for index, alias in enumerate(self.node.names) if alias in removed]
        if len(gone) == len(self.node.names):
            return self._replaced(new or ([b"pass"] if keep_block else []))
        if gone:
            return self._thinned(gone, new)
        if not new:
            return []
        return [self._before(new) if self._goes_before(new[0]) else self._after(new)]

    def _replaced(self, new: Sequence[bytes]) -> list[Edit]:
        start, end = self.place
        if not new:
            return [self._deletion()]
        trailing, above = self._inner_comments()
        text = self._break.join([*above, *new])
        return [Edit(start, end, b"  ".join([text, *trailing]))]

    def _inner_comments(self) -> tuple[list[bytes], list[bytes]]:
        """Comments inside the brackets: those behind something, and those on lines of their own."""
        start, end = self.place
        trailing: list[bytes] = []
        above: list[bytes] = []
        for kind, s, e in tokens(self.source.text, start, end):
            if kind == "comment":
                own = not self.source.text[self.source.line_start(s) : s].strip()
                (above if own else trailing).append(self.source.text[s:e])
        return trailing, above

    def _deletion(self) -> Edit:
        start, end = self.place
        text = self.source.text
        if not self.shares_line:
            stop = self.source.line_end(end)
            newline = re.compile(rb"\r\n|\n|\r").match(text, stop)
            # A form feed before the statement is not its indentation, so it stays.
            indent = self.source.indent(start) if text[self.source.line_start(start) : start].isspace() else b""
            return Edit(start - len(indent), newline.end() if newline else stop, b"")
        if following := re.compile(rb"[ \t]*;[ \t]*(?=[^\s#])").match(text, end):
            return Edit(start, following.end(), b"")
        before = re.compile(rb"(.*?)[ \t]*;[ \t]*\Z", re.DOTALL).match(text, self.source.line_start(start), start)
        return Edit(before.end(1) if before else start, end, b"" if before else b"pass")

    def _thinned(self, gone: list[int], new: Sequence[bytes]) -> list[Edit]:
        edits, above, behind = self._names.cut(gone), [], []
        for index in gone:
            if self._names.own_lines(index):
                comments, cut = self._comments_above(index)
                above += comments
                edits += cut
                behind += [comment for comment in [self._names.comment(index)] if comment]
        if new:
            more = [comment for comment in behind if not new[0].endswith(comment)]
            edits.append(self._after([*above, b"  ".join([new[0], *more]), *new[1:]]))
        return edits

    def _comments_above(self, index: int) -> tuple[list[bytes], list[Edit]]:
        """Comment lines directly above a name, which describe it, and their removal."""
        source = self.source
        comments: list[bytes] = []
        edits: list[Edit] = []
        position = source.line_start(self._names.items[index].start)
        floor = source.line_end(self._names.items[index - 1].end if index else self.place[0])
        while position - 1 > floor:
            start = source.line_start(position - 1)
            line = source.text[start:position]
            if start <= floor or not line.lstrip().startswith(b"#"):
                break
            comments.insert(0, line.strip())
            edits.append(Edit(start, position, b""))
            position = start
        return comments, edits

    def _after(self, new: Sequence[bytes]) -> Edit:
        _, end = self.place
        place = end if self.shares_line else self.source.line_end(end)
        return Edit(place, place, b"".join(self._break + line for line in new))

    def _before(self, new: Sequence[bytes]) -> Edit:
        start, _ = self.place
        return Edit(start, start, b"".join(line + self._break for line in new))

    def _goes_before(self, new: bytes) -> bool:
        start, end = self.place
        above = self.source.text[: self.source.line_start(start)].rstrip(b"\r\n")
        commented = above[max(above.rfind(b"\n"), above.rfind(b"\r")) + 1 :].lstrip().startswith(b"#")
        if self.is_star or (commented and self.source.line_start(start) - len(above) <= 2):
            return False
        return _sort_key(new) < _sort_key(self.source.text[start:end])


def _sort_key(statement: bytes) -> tuple[bool, bytes]:
    words = statement.split()
    return words[0] == b"from" and words[1].startswith(b"."), words[1]


def in_block(source: Source, node: ast.stmt) -> list[ast.stmt]:
    """The statements of the block that `node` stands in."""
    parent = source.parents[node]
    for field in ("body", "orelse", "finalbody"):
        block: list[ast.stmt] = getattr(parent, field, [])
        if isinstance(block, list) and node in block:
            return block
    return [node]

"""The words to look for: the last names of the configured symbols, and the aliases that code gives them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

_PATH = re.compile(rb"[\w\x80-\xff]+(?:[.:][\w\x80-\xff]+)+\Z")
_LONGEST = 300
_LETTER = re.compile(rb"[\w\x80-\xff]")


@dataclass(frozen=True)
class Vocabulary:
    """`symbols` are the configured dotted names; `aliases` maps further names that code gives them to them.

    `paths` are the dotted names under which modules offer an alias that may be an ordinary word.
    """

    symbols: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()

    @cached_property
    def own(self) -> frozenset[str]:
        """The symbols' own last names."""
        return frozenset(symbol.rpartition(".")[2] for symbol in self.symbols)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name to look for in Python code."""
        return self.own | frozenset(self.aliases)

    @cached_property
    def words(self) -> frozenset[str]:
        """The names that mean something outside code too: the symbols' own, and aliases that are no ordinary word."""
        return self.own | {name for name in self.aliases if is_distinctive(name)}

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Finds each whole-word occurrence of a name in UTF-8 text."""
        return whole_words(self.names)

    @cached_property
    def word_pattern(self) -> re.Pattern[bytes]:
        """Finds each whole-word occurrence of a word in UTF-8 text."""
        return whole_words(self.words)

    def spelled_out(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """The places where one of `paths` stands: each the alias alone, an ordinary word but for what is before it."""
        for hit in self._plain.finditer(text) if self.paths else ():
            if self.is_spelled_out(text, hit):
                yield hit

    def is_spelled_out(self, text: bytes, hit: re.Match[bytes]) -> bool:
        """Whether the alias at `hit` is the end of one of `paths`; under another import root that one is longer."""
        if text[hit.start() - 1 : hit.start()] not in (b".", b":"):
            return False
        found = _PATH.search(text, max(0, hit.start() - _LONGEST), hit.end())
        path = found.group().decode("utf-8", "replace").replace(":", ".") if found else ""
        while path and path not in self.paths:
            path = path.partition(".")[2]
        return bool(path)

    @cached_property
    def _plain(self) -> re.Pattern[bytes]:
        return whole_words(frozenset(self.aliases) - self.words)

    def longer(self, text: bytes) -> Iterator[tuple[int, int]]:
        """The spans of longer identifiers that hold a symbol's own name (`IWalker`, `StreamingWalker`)."""
        last = 0
        for found in self._inside.finditer(text):
            start, end = found.span()
            while start > last and _LETTER.match(text, start - 1):
                start -= 1
            start += start < found.start() and is_escape(text, start)
            while (following := _LETTER.match(text, end)) is not None:
                end = following.end()
            if start >= last and (start, end) != found.span():
                yield start, end
            last = end

    @cached_property
    def _inside(self) -> re.Pattern[bytes]:
        inner = "|".join(re.escape(name) for name in sorted(self.own, key=len, reverse=True))
        return re.compile(inner.encode())

    def symbol_named(self, name: str) -> str | None:
        """The configured symbol with this last name; of several, the first in order."""
        return next((symbol for symbol in sorted(self.symbols) if symbol.rpartition(".")[2] == name), None)

    def symbol_of(self, name: str) -> str | None:
        """The symbol that a bare name means, its own or an alias."""
        return self.symbol_named(name) or self.aliases.get(name)

    def may_mention(self, dotted: str) -> bool:
        """Whether one of the parts of a dotted name is a name to look for."""
        return not self.names.isdisjoint(dotted.split("."))


def whole_words(names: AbstractSet[str]) -> re.Pattern[bytes]:
    r"""A pattern for whole-word occurrences of `names` in UTF-8 text; it matches nothing where there are none.

    The letter of an escape is none of the word behind it: `"usage:\nBFSWalker"`, `r"\bBFSWalker"`.
    """
    inner = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"
    return re.compile(rb"(?:(?<![\w\x80-\xff])|(?<=\\[abfnrtv]))(?:" + inner.encode() + rb")(?![\w\x80-\xff])")


def is_escape(text: bytes, start: int) -> bool:
    r"""Whether the letter at `start` belongs to an escape, as the `n` of `\n` does."""
    return text[start - 1 : start] == b"\\" and text[start : start + 1] in b"abfnrtv" and start > 0


def stands(name: str, text: bytes) -> bool:
    """Whether `name` stands in UTF-8 text as a whole word; fast where it is a short part of many others."""
    needle = name.encode()
    start = text.find(needle)
    while start >= 0:
        # The bytes of a byte order mark look like letters.
        bom = start == 3 and text.startswith(codecs.BOM_UTF8)
        first = start == 0 or bom or not _LETTER.match(text, start - 1) or is_escape(text, start - 1)
        if first and not _LETTER.match(text, start + len(needle)):
            return True
        start = text.find(needle, start + 1)
    return False


def is_distinctive(name: str) -> bool:
    """Whether a name would hardly be an ordinary word: mixed case, or several words joined by underscores."""
    return len(name) > 3 and (name != name.lower() or "_" in name.strip("_"))

"""What a cap stands for, and which paths a pattern selects. Pure: no file is looked at."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache

MAGIC = frozenset("*?[")


@dataclass(frozen=True, order=True)
class Key:
    """One number: of which metric, of which place (a path, or a dotted name), and of what there.

    Written `metric:place` or `metric:place::detail`, in one line and in any encoding: what no line holds is `%XX`.
    """

    metric: str
    place: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.metric}:{in_line(self.place)}" + (f"::{in_line(self.detail)}" if self.detail else "")

    @classmethod
    def parse(cls, text: str) -> Key:
        """Read what `str` wrote. Raises ValueError for a text without a metric and a place."""
        metric, colon, rest = text.partition(":")
        place, _, detail = rest.partition("::")
        if not metric or not colon or not place:
            raise ValueError(f"{text!r} is not a key; keys look like `lines:src/walker.py`")
        return cls(metric, _as_it_is(place), _as_it_is(detail))

    def at(self, place: str) -> Key:
        """The same number of another place."""
        return Key(self.metric, place, self.detail)


def in_line(name: str) -> str:
    """A path or name as it stands in one line: control characters, bytes that are no UTF-8, outer blanks and `::` as `%XX`."""
    return _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), name)


def _as_it_is(text: str) -> str:
    return _ESCAPED.sub(lambda found: os.fsdecode(bytes.fromhex(found[0].replace("%", ""))), text)


_ODD = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\udc80-\udcff]|\A\s+|\s+\Z|::|:\Z|%(?=[0-9A-F]{2})")
_ESCAPED = re.compile("(?:%[0-9A-F]{2})+")


def has_magic(pattern: str) -> bool:
    """Whether a pattern may select files that do not exist yet: a glob or a folder."""
    return pattern.endswith("/") or not MAGIC.isdisjoint(pattern)


def matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether one of the patterns selects `path`.

    Patterns are anchored at the project's root. `*` and `?` stay within one part of a path, `**` spans any number of
    parts, and a trailing `/` selects everything below a folder.
    """
    return any(path == pattern or (has_magic(pattern) and _compiled(pattern).match(path)) for pattern in patterns)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = (pattern + "**" if pattern.endswith("/") else pattern).split("/")
    last = len(parts) - 1
    return re.compile("".join(_part(part, index == last) for index, part in enumerate(parts)) + r"\Z", re.DOTALL)


def _part(part: str, is_last: bool) -> str:
    if part == "**":
        return ".*" if is_last else "(?:.*/)?"
    return _TOKENS.sub(_token, part) + ("" if is_last else "/")


_TOKENS = re.compile(r"\*|\?|\[[^\]]*\]|[^*?\[]+|\[")


def _token(found: re.Match[str]) -> str:
    text = found[0]
    if text in ("*", "?"):
        return "[^/]*" if text == "*" else "[^/]"
    if text.startswith("[") and text.endswith("]") and len(text) > 2:
        inner = text[1:-1].replace("\\", "\\\\")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(text)

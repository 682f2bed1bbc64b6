"""Recorded values for people: as lines of text, and place by place where two of them differ. Pure; every text can be printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .plain import TAG, canonical
from .recorded import Value, readable
from .traces import Shown

MOST_PLACES = 20
PLACE_LENGTH = 300
WIDTH = 72
ABSENT = "absent"
_NOTHING = object()

Row = tuple[str, str, str]


def printable(text: str, keep: str = "") -> str:
    """The text with line ends, escapes, direction marks and lone surrogates written out, but for the characters of `keep`."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode("ascii") for char in text
    )


def shown(value: Value, limit: int) -> Shown:
    """A recorded value as JSON, on several lines where it is long, cut at `limit` characters."""
    if not value.kept:
        return Shown("too large to keep", value.digest)
    return Shown(_cut(printable(_block(readable(value.content)), "\n"), limit), value.digest)


def differing_places(one: Value | None, other: Value | None) -> tuple[tuple[Row, ...], int]:
    """Rows (path, legacy, candidate) of the places at which two values differ, and how many more there are."""
    if one is not None and other is not None and one.digest == other.digest:
        return (), 0
    if (one is None or one.kept) and (other is None or other.kept):
        left, right = (_NOTHING if value is None else value.content for value in (one, other))
        rows = [(path, _place(a), _place(b)) for path, a, b in _differing(left, right, "")]
    else:
        rows = list(_by_digest(one, other))
    return tuple(rows[:MOST_PLACES]), max(0, len(rows) - MOST_PLACES)


def _differing(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The deepest places at which plain data differs; lists of one length are walked, others are one place."""
    if _is_mapping(one) and _is_mapping(other):
        for key in [*one, *(key for key in other if key not in one)]:
            inner = f"{path}.{key}" if path else key
            yield from _differing(one.get(key, _NOTHING), other.get(key, _NOTHING), inner)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differing(left, right, f"{path}[{index}]")
    elif one is _NOTHING or other is _NOTHING or canonical(one) != canonical(other):
        yield printable(path), one, other


def _is_mapping(data: Any) -> bool:
    return isinstance(data, Mapping) and TAG not in data


def _by_digest(one: Value | None, other: Value | None) -> Iterator[Row]:
    """At least one value was too large to keep: the digests of its parts still say where."""
    parts: Sequence[Mapping[tuple[str, ...], str]] = [{} if value is None else value.parts for value in (one, other)]
    paths = [path for path in sorted({*parts[0], *parts[1]}) if parts[0].get(path) != parts[1].get(path)]
    inner = {path[:depth] for path in paths for depth in range(len(path))}
    for path in [path for path in paths if path not in inner] or [()]:
        yield printable(".".join(path)), _told(one, path), _told(other, path)


def _told(value: Value | None, path: tuple[str, ...]) -> str:
    if value is None or (path and path not in value.parts):
        return ABSENT
    if value.kept:
        return _place(value.at(path))
    return f"too large to keep ({(value.parts[path] if path else value.digest)[:10]})"


def _place(data: Any) -> str:
    return ABSENT if data is _NOTHING else _cut(printable(_text(readable(data))), PLACE_LENGTH)


def _text(data: Any) -> str:
    """Plain data as JSON on one line."""
    return json.dumps(data, ensure_ascii=False)


def _block(data: Any, indent: int = 0) -> str:
    """Plain data as JSON; what fits a line stays on one."""
    text = _text(data)
    if len(text) + indent <= WIDTH or not data or not isinstance(data, dict | list):
        return text
    pad = " " * (indent + 2)
    if isinstance(data, dict):
        rows = [f"{pad}{_text(key)}: {_block(item, indent + 2)}" for key, item in data.items()]
    else:
        rows = [f"{pad}{_block(item, indent + 2)}" for item in data]
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    return "\n".join([opening, ",\n".join(rows), " " * indent + closing])


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"

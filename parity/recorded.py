"""A recorded value: its digest always, its content up to a size, and digests of its parts so that a difference has a place.

Nothing here compares or judges.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .plain import TAG, canonical, digest_text, plain

KEEP = 16_384
"""Characters of canonical JSON up to which a value's content is kept beside its digest."""
PARTS_DEPTH = 3


@dataclass(frozen=True)
class Value:
    """A value as it was at one moment. `Value.of` makes one.

    `content` is its plain form, None (with `kept` false) when it was larger than the limit; then `stored` has its parts.
    """

    digest: str
    content: Any = None
    kept: bool = True
    stored: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    @classmethod
    def of(cls, value: object) -> Value:
        """Record a value now; later changes to it do not reach the record."""
        return record(value)

    @cached_property
    def parts(self) -> Mapping[tuple[str, ...], str]:
        """The digests of what is inside mappings, by path, three levels deep: `("data", "total")`."""
        return _digests(self.content) if self.kept else self.stored

    def at(self, path: tuple[str, ...]) -> Any:
        """The kept content at a path, or None."""
        found = self.content
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        return found

    def to_json(self) -> dict[str, Any]:
        """JSON data; `from_json` gives an equal object back."""
        if self.kept:
            return {"c": self.content}
        return {"d": self.digest, "p": [[list(path), digest] for path, digest in self.stored.items()]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Value:
        """The object that `to_json` described."""
        if "c" in data:
            return of_plain(data["c"], None)
        return cls(data["d"], None, False, {tuple(path): digest for path, digest in data["p"]})


def record(value: Any, opaque: set[str] | None = None, keep: int = KEEP) -> Value:
    """Record a value now; `opaque` collects the types that could only be told by name. A `Value` is its own record."""
    if isinstance(value, Value):
        return value
    return of_plain(plain(value, opaque), keep)


def of_plain(data: Any, keep: int | None) -> Value:
    """Record plain data; `keep` None keeps any size."""
    text = canonical(data)
    if keep is None or len(text) <= keep:
        return Value(digest_text(text), data)
    return Value(digest_text(text), None, False, _digests(data))


def _digests(data: Any) -> dict[tuple[str, ...], str]:
    return {path: digest_text(canonical(part)) for path, part in _parts(data, (), PARTS_DEPTH)}


def _parts(data: Any, prefix: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not depth or not isinstance(data, Mapping) or TAG in data:
        return
    for key, item in data.items():
        yield (*prefix, key), item
        yield from _parts(item, (*prefix, key), depth - 1)


def shorten(value: Any, limit: int = 80) -> str:
    """A recorded or plain value as one short line."""
    if isinstance(value, Value):
        if not value.kept:
            return f"<{value.digest[:10]}, too large to keep>"
        value = value.content
    text = json.dumps(readable(value), sort_keys=True, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def readable(data: Any) -> Any:
    """Plain data for people: what JSON cannot say reads as its content, an opaque object as its type."""
    if isinstance(data, list):
        return [readable(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    if TAG not in data:
        return {key: readable(item) for key, item in data.items()}
    if data[TAG] in ("opaque", "cycle", "deep", "unreadable"):
        return f"<{data.get('t', data.get('v'))}>"
    return {data["t"].rsplit(".", 1)[-1]: readable(data["v"])} if data[TAG] == "object" else readable(data["v"])

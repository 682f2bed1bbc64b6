"""Values as the gate keeps them: a digest to compare, and a bounded JSON form to show. No pickles, no addresses.

Two values with one digest are equal for the gate: mappings by items whatever their order, sequences by elements, sets by
members, dataclasses and pydantic models by type name and fields. A value that none of this describes is compared by its
type and its `repr` without addresses, and is marked opaque.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

SHOWN_SIZE = 2_000
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEPTH = 60


@dataclass(frozen=True)
class Value:
    """A recorded value: `digest` (16 hex digits) decides equality, `shown` is its JSON form, cut when it is large."""

    digest: str
    shown: Any

    @classmethod
    def of(cls, value: object) -> Value:
        """Record a value now; later changes to it do not reach the record."""
        plain = plain_of(value)
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return cls(digest, plain if len(text) <= SHOWN_SIZE else _cut(plain, text))

    def to_json(self) -> dict[str, Any]:
        """The JSON form; `from_json` gives an equal object back."""
        return {"digest": self.digest, "shown": self.shown}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Value:
        """The value that `to_json` described."""
        return cls(data["digest"], data["shown"])


def digest_of(value: object) -> str:
    """The digest alone."""
    return Value.of(value).digest


def _cut(plain: Any, text: str) -> Any:
    if isinstance(plain, dict):
        # Keys with their digests, so that a rule can still say which key differs.
        return {
            key: item if len(json.dumps(item)) <= 80 else f"… {Value.of(item).digest}" for key, item in plain.items()
        }
    return f"{text[:200]}… ({len(text)} characters)"


def plain_of(value: object, depth: int = 0) -> Any:
    """A JSON form that is the same for equal values, whatever process made them."""
    if value is None or type(value) in (bool, str):
        return value
    if depth > _DEPTH:
        return {"$deep": type(value).__name__}
    if isinstance(value, enum.Enum):
        return {"$enum": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).hex()}
    if isinstance(value, AbstractSet):
        return {"$set": sorted((plain_of(item, depth + 1) for item in value), key=_sort_key)}
    if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, (str, range))):
        return [plain_of(item, depth + 1) for item in value]
    return _object(value, depth)


def _number(value: float) -> Any:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return {"$number": str(value)}
    return int(value) if isinstance(value, int) else float(value)


def _mapping(value: Mapping[Any, Any], depth: int) -> Any:
    items = [(key, plain_of(item, depth + 1)) for key, item in value.items()]
    if all(type(key) is str and not key.startswith("$") for key, _ in items):
        return dict(items)
    return {"$map": sorted(([plain_of(key, depth + 1), item] for key, item in items), key=_sort_key)}


def _object(value: object, depth: int) -> Any:
    name = type(value).__name__
    if isinstance(value, (str, PurePath)):
        return {"$text": [name, str(value)]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
        return {"$object": [name, plain_of(fields, depth + 1)]}
    if hasattr(value, "model_dump"):
        return {"$object": [name, plain_of({key: getattr(value, key) for key in type(value).model_fields}, depth + 1)]}  # type: ignore[attr-defined]
    if isinstance(value, BaseException):
        return {"$error": [name, str(value)]}
    if isinstance(value, type) or callable(value):
        return {"$name": f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', name)}"}
    return {"$opaque": [name, _ADDRESS.sub("", repr(value))]}


def _sort_key(item: Any) -> str:
    return json.dumps(item, sort_keys=True)

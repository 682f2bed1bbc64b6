"""Values as the gate keeps them: a digest to compare, and a bounded JSON form to show. No pickles, no addresses.

Two values have one digest when they are equal and of equal types: mappings of any class by items whatever their order,
sequences by elements, sets by members, objects that say what equality means (dataclasses, pydantic models, a class with an
`__eq__` of its own) by type name and fields. Any other object is compared by its type and its `repr` without addresses.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

SHOWN_SIZE = 2_000
SHOWN_KEYS = 100
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OPAQUE = re.compile(r'"\$(opaque": \["[^"]*", "<[^"]* object>"|unreadable": )')
_DEPTH = 60
_JSON_INT = 1 << 53


@dataclass(frozen=True)
class Value:
    """A recorded value: `digest` (16 hex digits) decides equality, `shown` is its JSON form, cut when it is large."""

    digest: str
    shown: Any

    @classmethod
    def of(cls, value: object) -> Value:
        """Record a value now; later changes to it do not reach the record."""
        plain = plain_of(value)
        text = _text(plain)
        digest = _hash(text)
        return cls(digest, plain if len(text) <= SHOWN_SIZE else _cut(plain, text, digest))

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


def plain_of(value: object) -> Any:
    """A JSON form that is the same for equal values, whatever process made them. Never raises."""
    return _Plain().of(value, 0)


def is_opaque(value: object) -> bool:
    """Whether something in the value is told by its type alone, so that a change of it would not be seen."""
    return _OPAQUE.search(_text(plain_of(value))) is not None


def without_addresses(text: str) -> str:
    """The text as it is in every process: ` at 0x7f…` is left out."""
    return _ADDRESS.sub("", text)


def error_text(error: BaseException) -> str:
    """`ExceptionType: message`, or the type alone, without addresses."""
    text = without_addresses(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _text(plain: Any) -> str:
    return json.dumps(plain, sort_keys=True, ensure_ascii=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _cut(plain: Any, text: str, digest: str) -> Any:
    if not isinstance(plain, dict):
        return f"{text[:200]}… ({len(text)} characters, {digest})"
    # Keys with their digests, so that a rule can still say which key differs.
    shown: dict[str, Any] = {}
    for key in sorted(plain)[:SHOWN_KEYS]:
        item = _text(plain[key])
        shown[key] = plain[key] if len(item) <= 80 else f"… {_hash(item)}"
    if len(plain) > SHOWN_KEYS:
        shown["…"] = f"{len(plain) - SHOWN_KEYS} more keys, {digest}"
    return shown


class _Plain:
    """One walk over one value. `_inside` holds the containers that the walk is in, so that a cycle ends."""

    def __init__(self) -> None:
        self._inside: set[int] = set()

    def of(self, value: object, depth: int) -> Any:
        if value is None or type(value) in (bool, str):
            return value
        if isinstance(value, enum.Enum):
            return {"$enum": f"{type(value).__name__}.{value.name or value.value}"}
        if isinstance(value, (int, float)):
            return _number(value)
        if depth > _DEPTH or id(value) in self._inside:
            return {"$deep": type(value).__name__}
        self._inside.add(id(value))
        try:
            return self._container(value, depth + 1)
        except Exception as error:
            # What a value's own code raises while it is looked at must not become the handler's failure.
            return {"$unreadable": [type(value).__name__, type(error).__name__]}
        finally:
            self._inside.discard(id(value))

    def _container(self, value: object, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"$bytes": bytes(value).hex()}
        if isinstance(value, AbstractSet):
            return {"$set": sorted((self.of(item, depth) for item in value), key=_text)}
        if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, (str, range))):
            items = [self.of(item, depth) for item in value]
            return {"$tuple": items} if isinstance(value, tuple) else items
        return self._object(value, depth)

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Any:
        # A list first: another thread may add a key while this one reads.
        items = [(key, self.of(item, depth)) for key, item in list(value.items())]
        if all(type(key) is str and not key.startswith("$") for key, _ in items):
            return dict(items)
        return {"$map": sorted(([self.of(key, depth), item] for key, item in items), key=_text)}

    def _object(self, value: object, depth: int) -> Any:
        name = type(value).__name__
        for test, tag, content in _KINDS:
            if test(value):
                return {tag: [name, self.of(content(value), depth)]}
        if isinstance(value, type) or callable(value):
            return {"$name": f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', name)}"}
        return {"$opaque": [name, without_addresses(repr(value))]}


def _number(value: float) -> Any:
    if isinstance(value, int):
        number = int(value)
        # Readers of JSON lose digits of larger ones, and Python refuses to print very large ones.
        return number if abs(number) <= _JSON_INT else {"$number": hex(number)}
    if not math.isfinite(value):
        return {"$number": str(float(value))}
    return float(value) + 0.0  # -0.0 equals 0.0


def _fields(value: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(value):
        return {item.name: getattr(value, item.name, None) for item in dataclasses.fields(value) if item.compare}
    names: Iterable[str] = type(value).model_fields if hasattr(value, "model_dump") else vars(value)
    return {name: getattr(value, name, None) for name in names}


def _has_fields(value: object) -> bool:
    if isinstance(value, type):
        return False
    if dataclasses.is_dataclass(value) or hasattr(type(value), "model_fields"):
        return True
    return hasattr(value, "__dict__") and type(value).__eq__ is not object.__eq__ and not callable(value)


def _is_array(value: object) -> bool:
    return hasattr(value, "tolist") and hasattr(value, "dtype")


def _array(value: Any) -> list[Any]:
    # The repr of a large array leaves its middle out.
    return [str(value.dtype), list(getattr(value, "shape", ())), value.tolist()]


_KINDS: tuple[tuple[Callable[[object], bool], str, Callable[[Any], Any]], ...] = (
    (lambda value: isinstance(value, (str, PurePath)), "$text", str),
    (lambda value: isinstance(value, BaseException), "$error", lambda error: without_addresses(str(error))),
    (_is_array, "$array", _array),
    (_has_fields, "$object", _fields),
)

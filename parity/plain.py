"""Any Python value as plain JSON data, so that two values can be compared and kept across processes without pickles.

Containers and value objects are walked; so is any other object whose attributes are plain data all through. One that is not
(a service, a connection, a lock) is told by its type only, and its type is noted in `opaque`, so that a report can say what
was not compared.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

TAG = "~"
"""The key that marks what JSON cannot say: `{"~": "tuple", "v": [...]}`."""
_JSON_INT = 1 << 53
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
DEEPEST = 60
"""Containers nested deeper than this are told by their type: comparing them is not worth a RecursionError."""

MOST_ATTRIBUTES = 2_000
"""Values in an object that does not say what equality means; one with more is taken for a service, and told by its type."""

_TOLD = {("datetime", name) for name in ("datetime", "date", "time", "timedelta", "timezone")} | {
    ("decimal", "Decimal"),
    ("uuid", "UUID"),
    ("fractions", "Fraction"),
    ("builtins", "complex"),
    ("builtins", "range"),
    ("re", "Pattern"),
}


def plain(value: Any, opaque: set[str] | None = None) -> Any:
    """`value` as JSON data. Equal values of equal types give equal data; mappings of any class read as dicts."""
    return _Plain(opaque if opaque is not None else set()).of(value, 0)


def canonical(data: Any) -> str:
    """The one JSON text of plain data."""
    return _CANONICAL.encode(data)


def digest_text(text: str) -> str:
    """A short content hash (96 bits, hex)."""
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def digest(value: Any) -> str:
    """The content hash of any value, through its plain form."""
    return digest_text(canonical(plain(value)))


def without_addresses(text: str) -> str:
    """The text as it is in every process: ` at 0x7f…` is left out."""
    return _ADDRESS.sub("", text)


def error_text(error: BaseException) -> str:
    """`ExceptionType: message`, or the type alone, without addresses."""
    try:
        text = without_addresses(str(error))
    except Exception:
        text = "(its message cannot be read)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _tagged(kind: str, value: Any, type_name: str | None = None) -> dict[str, Any]:
    return {TAG: kind, "v": value} if type_name is None else {TAG: kind, "t": type_name, "v": value}


def type_name(kind: type[Any]) -> str:
    """`module.QualName`, without the module for builtins."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class _NotDataError(BaseException):
    """Something in an object's attributes is no data. Not an `Exception`: those that a value's own code raises are told."""


class _Plain:
    def __init__(self, opaque: set[str]) -> None:
        self.opaque = opaque
        self._inside: set[int] = set()
        self._left: int | None = None

    def of(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise _NotDataError
        if value is None or kind in (bool, str):
            return value
        if kind in (int, float):
            return _number(value)
        if isinstance(value, Enum):
            return _tagged("enum", self.of(value.value, depth + 1), type_name(kind))
        if id(value) in self._inside:
            return _tagged("cycle", type_name(kind))
        if depth > DEEPEST:
            self._note(f"{type_name(kind)} nested deeper than {DEEPEST}")
            return _tagged("deep", type_name(kind))
        self._inside.add(id(value))
        try:
            return self._walked(value, kind, depth + 1)
        except Exception as error:
            # What a value's own code raises while it is looked at must not become the handler's failure.
            self._note(f"{type_name(kind)}, which raises {type(error).__name__} when it is read")
            return _tagged("unreadable", type(error).__name__, type_name(kind))
        finally:
            self._inside.discard(id(value))

    def _walked(self, value: Any, kind: type[Any], depth: int) -> Any:
        if kind is dict:
            return self.mapping(value, kind, depth)
        if kind is list or kind is tuple:
            return self.sequence(value, kind, depth)
        for test, convert in _CONVERTERS:
            if test(value):
                return convert(self, value, kind, depth)
        return self._opaque(kind)

    def _opaque(self, kind: type[Any]) -> Any:
        self._note(type_name(kind))
        return _tagged("opaque", type_name(kind))

    def _note(self, what: str) -> None:
        if self._left is not None:
            raise _NotDataError
        self.opaque.add(what)

    def mapping(self, value: Mapping[Any, Any], _kind: type[Any], depth: int) -> Any:
        # A list first: another thread may add a key while this one reads.
        pairs = [(key, self.of(item, depth)) for key, item in list(value.items())]
        if all(type(key) is str and key != TAG for key, _ in pairs):
            return dict(pairs)
        keyed = [[self.of(key, depth), item] for key, item in pairs]
        return _tagged("dict", sorted(keyed, key=lambda pair: canonical(pair[0])))

    def sequence(self, value: Sequence[Any], kind: type[Any], depth: int) -> Any:
        items = [self.of(item, depth) for item in value]
        if kind is list:
            return items
        fields = getattr(value, "_fields", None)
        if isinstance(fields, tuple):
            return _tagged("object", dict(zip(fields, items, strict=True)), type_name(kind))
        return _tagged("tuple" if kind is tuple else "list", items, None if kind is tuple else type_name(kind))

    def set(self, value: AbstractSet[Any], _kind: type[Any], depth: int) -> Any:
        return _tagged("set", sorted((self.of(item, depth) for item in value), key=canonical))

    def fields(self, value: Any, kind: type[Any], depth: int) -> Any:
        shown = {name: self.of(item, depth) for name, item in _fields(value)}
        return _tagged("object", shown, type_name(kind))

    def attributes(self, value: Any, kind: type[Any], depth: int) -> Any:
        """An object that does not say what equality means: by its attributes if they are data all through."""
        if self._left is not None:
            return self.fields(value, kind, depth)
        self._left = MOST_ATTRIBUTES
        try:
            return self.fields(value, kind, depth)
        except _NotDataError:
            pass
        finally:
            self._left = None
        return self._opaque(kind)

    def exception(self, value: BaseException, kind: type[Any], depth: int) -> Any:
        """By its message, and by its attributes where it has any of its own."""
        text = without_addresses(str(value))
        if not vars(value):
            return _tagged("exception", text, type_name(kind))
        shown = {str(name): self.of(item, depth) for name, item in sorted(vars(value).items())}
        return _tagged("exception", {"message": text, **shown}, type_name(kind))

    def array(self, value: Any, kind: type[Any], depth: int) -> Any:
        return _tagged("array", [str(value.dtype), self.of(value.tolist(), depth)], type_name(kind))


def _number(value: float) -> Any:
    if isinstance(value, int):
        # Readers of JSON lose digits of larger ones, and Python refuses to print very large ones.
        return value if abs(value) <= _JSON_INT else _tagged("int", hex(value))
    return value + 0.0 if math.isfinite(value) else _tagged("float", repr(value))  # -0.0 equals 0.0


def _fields(value: Any) -> Iterable[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value) if field.compare]
    slots = (name for base in type(value).__mro__ for name in _slots(base))
    named = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return sorted((str(name), item) for name, item in {**named, **getattr(value, "__dict__", {})}.items())


def _slots(kind: type[Any]) -> Iterable[str]:
    slots: Any = kind.__dict__.get("__slots__", ())
    return [name for name in ((slots,) if isinstance(slots, str) else slots) if not name.startswith("__")]


def _is_value_object(value: Any) -> bool:
    """A dataclass, a pydantic model, or an object whose class defines what equality means."""
    if dataclasses.is_dataclass(value):
        return True
    equality: object = type(value).__eq__
    return equality is not object.__eq__ and bool(_fields(value))


_Convert = Callable[[_Plain, Any, type[Any], int], Any]
_CONVERTERS: tuple[tuple[Callable[[Any], bool], _Convert], ...] = (
    (
        lambda v: isinstance(v, type) or (callable(v) and _has_qualname(v)),
        lambda _p, v, _k, _d: _tagged("callable", _named(v)),
    ),
    (lambda v: isinstance(v, Mapping), _Plain.mapping),
    (lambda v: isinstance(v, (bytes, bytearray, memoryview)), lambda _p, v, _k, _d: _tagged("bytes", bytes(v).hex())),
    (lambda v: isinstance(v, (str, int, float)), lambda _p, v, k, _d: _tagged("scalar", _scalar(v), type_name(k))),
    (lambda v: isinstance(v, (list, tuple)), _Plain.sequence),
    (lambda v: isinstance(v, AbstractSet), _Plain.set),
    (
        lambda v: (type(v).__module__, type(v).__qualname__) in _TOLD,
        lambda _p, v, k, _d: _tagged("told", str(v), type_name(k)),
    ),
    (lambda v: hasattr(v, "__fspath__"), lambda _p, v, _k, _d: _tagged("path", str(v))),
    (lambda v: isinstance(v, BaseException), _Plain.exception),
    (lambda v: hasattr(v, "tolist") and hasattr(v, "dtype"), _Plain.array),
    (_is_value_object, _Plain.fields),
    (lambda v: bool(_fields(v)), _Plain.attributes),
)


def _has_qualname(value: Any) -> bool:
    # A pydantic model has none, and takes long to say so.
    return not hasattr(type(value), "__pydantic_validator__") and hasattr(value, "__qualname__")


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{value.__qualname__}"


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    return _number(int(value) if isinstance(value, int) else float(value))

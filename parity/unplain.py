"""Values back from their plain form, where that holds all there is of them. The other way round from `plain`."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from .plain import TAG


class CannotRebuildError(ValueError):
    """The plain form does not hold all there is of the value: an object of some class, a cycle, a function."""


_TOLD: Mapping[str, Callable[[str], Any]] = {
    "datetime.datetime": dt.datetime.fromisoformat,
    "datetime.date": dt.date.fromisoformat,
    "datetime.time": dt.time.fromisoformat,
    "decimal.Decimal": decimal.Decimal,
    "uuid.UUID": uuid.UUID,
    "fractions.Fraction": fractions.Fraction,
    "complex": complex,
}


def rebuild(data: Any) -> Any:
    """The value that a plain form tells. Raises CannotRebuildError, naming the type, for one that it cannot."""
    if isinstance(data, list):
        return [rebuild(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    if TAG not in data:
        return {key: rebuild(item) for key, item in data.items()}
    return _tagged(data[TAG], data.get("v"), data.get("t"))


def _tagged(kind: str, value: Any, type_name: str | None) -> Any:
    if kind in _CONTENT:
        return _CONTENT[kind](value)
    if kind == "told" and type_name is not None and type_name in _TOLD:
        return _TOLD[type_name](value)
    raise CannotRebuildError(f"a {type_name or kind} is not plain data")


_CONTENT: Mapping[str, Callable[[Any], Any]] = {
    "float": float,
    "int": lambda value: int(value, 16),
    "bytes": bytes.fromhex,
    "tuple": lambda value: tuple(rebuild(item) for item in value),
    "set": lambda value: {rebuild(item) for item in value},
    "dict": lambda value: {rebuild(key): rebuild(item) for key, item in value},
}

"""Tuples in a checkpoint: LangGraph's serializer gives them back as lists, so that a resumed run would see other values.

They are kept as marked dicts. Values without tuples are passed through as they are, without a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

MARK = "__graphlift_tuple__"

_SCALARS = (str, int, float, bool, bytes, type(None))


def is_plain(value: Any) -> bool:
    """Whether a value is made of scalars, lists, tuples and dicts alone, which every saver can keep."""
    if type(value) is dict:
        return all(isinstance(key, _SCALARS) and is_plain(item) for key, item in value.items())
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    return isinstance(value, _SCALARS)


def pack(value: Any) -> Any:
    """The value as it goes into the state."""
    if isinstance(value, _SCALARS):
        return value
    if type(value) is tuple:
        return {MARK: [pack(item) for item in value]}
    return _mapped(value, pack)


def unpack(value: Any) -> Any:
    """The value that was packed."""
    if isinstance(value, _SCALARS):
        return value
    if type(value) is dict and MARK in value:
        return tuple(unpack(item) for item in value[MARK])
    return _mapped(value, unpack)


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A dict or list with the function applied to what is in it; the same object when that changes nothing."""
    if type(value) is dict:
        items = {key: function(item) for key, item in value.items()}
        return items if any(items[key] is not item for key, item in value.items()) else value
    if type(value) is list:
        parts = [function(item) for item in value]
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    return value


class Unpacked(Mapping[str, Any]):
    """A mapping of packed values, unpacked as they are read."""

    __slots__ = ("_packed",)

    def __init__(self, packed: Mapping[str, Any]) -> None:
        self._packed = packed

    def __getitem__(self, key: str) -> Any:
        return unpack(self._packed[key])

    def __contains__(self, key: object) -> bool:
        return key in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

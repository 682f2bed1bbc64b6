"""What a handler is given and may give back.

A handler sees a read-only view. What it reads is its own copy, so that changing a nested value in place can neither leak to
other nodes nor be lost: the only way to change anything is to return it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class NodeView:
    """What one activation of `node` sees.

    `data` is the shared map (in dependency style: the inputs). `results` has the outputs, `status` the end states of the
    nodes that finished: in successor style all that ran before, in dependency style only those that the step waits for,
    directly or not, so that a view never depends on timing. A view is valid during its activation. Skipped and failed nodes are absent from `results`.
    `iteration` counts from 0; a loop step that repeats finds its previous output under its own name.
    """

    node: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    status: Mapping[str, str] = field(default_factory=dict)
    iteration: int = 0

    def scope(self) -> dict[str, Any]:
        """The names that an expression can read."""
        return {"inputs": self.inputs, "data": self.data, "results": self.results, "status": self.status}


Handler = Callable[[NodeView], Any]
Condition = Callable[[NodeView], Any]


@dataclass(frozen=True)
class StepOutput:
    """What a handler may return instead of a bare value, to report more than the value."""

    output: Any = None
    tool_calls_used: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)


class OwnCopy(Mapping[str, Any]):
    """A read-only mapping whose values are copied when they are first read: cheap for what a handler never looks at."""

    __slots__ = ("_copies", "_source")

    def __init__(self, source: Mapping[str, Any]) -> None:
        self._source = source
        self._copies: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._copies:
            self._copies[key] = isolate(self._source[key])
        return self._copies[key]

    def __contains__(self, key: object) -> bool:
        return key in self._source

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"


class Visible(Mapping[str, Any]):
    """The part of a mapping by step name that one step may see: bit i of `mask` stands for `names[i]`.

    Iterates in the order of `names`, whatever the order in which steps finished.
    """

    __slots__ = ("_index", "_mask", "_source")

    def __init__(self, source: Mapping[str, Any], mask: int, index: Mapping[str, int]) -> None:
        self._source, self._mask, self._index = source, mask, index

    def __getitem__(self, key: str) -> Any:
        if not self._mask >> self._index[key] & 1:
            raise KeyError(key)
        return self._source[key]

    def __iter__(self) -> Iterator[str]:
        # As a text of digits: shifting a mask of thousands of bits for every name would be quadratic.
        digits = bin(self._mask)[:1:-1]
        return (name for name, digit in zip(self._index, digits, strict=False) if digit == "1" and name in self._source)

    def __len__(self) -> int:
        return sum(1 for _ in self)


_CONTAINERS = frozenset((dict, list, set, tuple))


def isolate(value: Any) -> Any:
    """The value with every builtin container in it copied. Other objects are shared: their class decides what a copy is."""
    return _copy(value, {}) if type(value) in _CONTAINERS else value


def _copy(value: Any, memo: dict[int, Any]) -> Any:
    kind = type(value)
    if kind not in _CONTAINERS:
        return value
    if id(value) in memo:
        return memo[id(value)]
    if _CONTAINERS.isdisjoint(map(type, value.values() if kind is dict else value)):
        # Most are flat, and Python copies those many times faster.
        flat = memo[id(value)] = kind(value)
        return flat
    if kind is tuple:
        return tuple(_copy(item, memo) for item in value)
    copy: Any = kind()
    memo[id(value)] = copy
    if kind is dict:
        copy.update((key, _copy(item, memo)) for key, item in value.items())
    elif kind is list:
        copy.extend(_copy(item, memo) for item in value)
    else:
        copy.update(value)
    return copy

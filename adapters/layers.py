"""A growing dict in a channel at a cost that does not grow: a big layer that is rarely rebuilt, and a small recent one.

LangGraph may still be writing the last value to a checkpoint while the next one is made, so nothing is changed in place;
copying the whole dict at every superstep would make the cost of a step grow with the number of steps. The value is a plain
list of two dicts, which any saver can keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

RECENT = 256


def add_layer(layers: Sequence[Mapping[str, Any]], deltas: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The layers with some deltas applied, as LangGraph's DeltaChannel wants its reducer: any batching, same content."""
    base, recent = layers or ({}, {})
    recent = dict(recent)
    for delta in deltas:
        recent.update(delta)
    return [base, recent] if len(recent) <= RECENT else [{**base, **recent}, {}]


class Layers(Mapping[str, Any]):
    """Two layers read as one mapping."""

    __slots__ = ("_base", "_recent")

    def __init__(self, layers: Sequence[Mapping[str, Any]]) -> None:
        self._base, self._recent = layers or ({}, {})

    def __getitem__(self, key: str) -> Any:
        return self._recent[key] if key in self._recent else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._recent or key in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from (key for key in self._recent if key not in self._base)

    def __len__(self) -> int:
        return len(self._base) + sum(1 for key in self._recent if key not in self._base)


def read_mapping(value: Any) -> Mapping[str, Any]:
    """A mapping out of a state's value, whichever form of graph wrote it."""
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else Layers(value)

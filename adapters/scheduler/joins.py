"""Waiting edges as their channels record them: who arrived, who is missing, whether the edge is released.

The channel's name is LangGraph's own (`join:a+b:target`). `+` is legal in a node's name, so without the graph a name can
be cut in more than one way; what history shows decides, and what stays open is said to be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .snapshots import JOIN


@dataclass(frozen=True)
class Join:
    """One waiting edge at one checkpoint. `certain` is False when the listed names could be cut in several ways."""

    channel: str
    target: str
    names: frozenset[str]
    arrived: frozenset[str]
    released: bool
    held: bool = False
    certain: bool = True

    @property
    def missing(self) -> frozenset[str]:
        """The listed nodes that have not written since the edge last released."""
        return self.names - self.arrived


def target_of(channel: str) -> str:
    """The node that a waiting edge's channel triggers; node names cannot contain `:`."""
    return channel.rsplit(":", 1)[1]


def load(value: Any) -> tuple[frozenset[str], bool | None]:
    """Arrivals and flag of a stored barrier: a set, or (set, flag) for a deferred or a released inclusive one."""
    if isinstance(value, (tuple, list)):
        return frozenset(value[0]), bool(value[1])
    return frozenset(value or ()), None


def names_in(channel: str, known: Collection[str], arrivals: Collection[str]) -> tuple[frozenset[str], bool]:
    """The nodes that a channel's name lists, and whether that is the only way to read it.

    `known` are nodes that history shows, `arrivals` those that wrote to this very channel and so must be listed.
    """
    parts = channel.removeprefix(JOIN).rsplit(":", 1)[0].split("+")
    joined = {name for name in {*known, *arrivals} if "+" in name}
    cuts = [cut for cut in islice(_cuts(parts, joined), 64) if cut >= set(arrivals)]
    plain = frozenset(parts)
    if not cuts:
        return plain, not joined
    return (plain if plain in cuts else cuts[0]), len(cuts) == 1


def _cuts(parts: list[str], joined: Collection[str], start: int = 0) -> Iterator[frozenset[str]]:
    if start == len(parts):
        yield frozenset()
        return
    for end in range(start + 1, len(parts) + 1):
        name = "+".join(parts[start:end])
        if end == start + 1 or name in joined:
            for rest in _cuts(parts, joined, end):
                yield rest | {name}


def stored_join(channel: str, value: Any, names: frozenset[str], certain: bool) -> Join:
    """The edge from its stored value alone, as LangGraph's own channels and graphlift's store it."""
    arrived, flag = load(value)
    complete = arrived >= names
    return Join(
        channel,
        target_of(channel),
        names | arrived,
        arrived,
        released=complete if flag is None else flag,
        held=complete and flag is False,
        certain=certain,
    )

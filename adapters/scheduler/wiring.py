"""Which channels trigger which nodes, and whether a channel can trigger now: from a compiled graph, or from names alone.

A saver stores no graph. What StateGraph's compiler calls its channels, and what each node was recorded to have seen, is
enough to recover the triggers that were ever used; `knows_graph` tells the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ..langgraph_private import MISSING
from .joins import Join, load, names_in, stored_join, target_of
from .snapshots import BOOKKEEPING, BRANCH, JOIN, START, Snapshot, is_wiring_channel

if TYPE_CHECKING:
    from langgraph.pregel import Pregel


class Wiring(Protocol):
    """What the scheduler needs to know of a graph."""

    @property
    def knows_graph(self) -> bool:
        """Whether this comes from a compiled graph rather than from the names in checkpoints."""
        ...

    @property
    def triggers(self) -> Mapping[str, tuple[str, ...]]:
        """Node -> its trigger channels, sorted."""
        ...

    def needs(self, channel: str) -> bool:
        """Whether the channel's stored value decides anything here."""
        ...

    def available(self, channel: str, snapshot: Snapshot) -> bool:
        """Whether the channel can trigger at this checkpoint."""
        ...

    def join(self, channel: str, snapshot: Snapshot) -> Join | None:
        """The waiting edge behind a channel; None when the channel is none."""
        ...


class GraphWiring:
    """The wiring of a compiled graph: exact."""

    knows_graph: bool = True

    def __init__(self, graph: Pregel[Any, Any, Any, Any]) -> None:
        self._channels = graph.channels
        self._triggers = {name: tuple(sorted(node.triggers)) for name, node in sorted(graph.nodes.items())}
        self._used = {channel for channels in self._triggers.values() for channel in channels}
        self._target = {channel: name for name, channels in self._triggers.items() for channel in channels}

    @property
    def triggers(self) -> Mapping[str, tuple[str, ...]]:
        """Node -> its trigger channels, sorted."""
        return self._triggers

    def needs(self, channel: str) -> bool:
        """Every trigger's value, and the Sends in flight."""
        return channel in self._used or is_wiring_channel(channel)

    def available(self, channel: str, snapshot: Snapshot) -> bool:
        """As the channel itself answers, restored from the checkpoint; a `Command` counts as already applied."""
        from langgraph.channels.base import BaseChannel

        live = self._channels.get(channel)
        if not isinstance(live, BaseChannel):
            return False
        if channel in snapshot.commanded:
            return True
        return bool(live.from_checkpoint(_copied(snapshot.values.get(channel, MISSING))).is_available())

    def join(self, channel: str, snapshot: Snapshot) -> Join | None:
        """A barrier by its class, with the names that the graph lists."""
        from langgraph.channels.named_barrier_value import NamedBarrierValue, NamedBarrierValueAfterFinish

        spec = self._channels.get(channel)
        if not isinstance(spec, (NamedBarrierValue, NamedBarrierValueAfterFinish)):
            return None
        live = spec.from_checkpoint(_copied(snapshot.values.get(channel, MISSING)))
        names, arrived = frozenset(map(str, live.names)), frozenset(map(str, live.seen))
        released = live.is_available()
        target = self._target.get(channel, target_of(channel))
        return Join(channel, target, names, arrived, released, held=arrived == names and not released)


class NameWiring:
    """The wiring that checkpoints alone show: triggers that were written at least once, by the names of their channels."""

    knows_graph: bool = False

    def __init__(self, snapshots: Iterable[Snapshot]) -> None:
        self._snapshots = tuple(snapshots)
        self._joins: dict[str, tuple[frozenset[str], bool]] = {}

    @property
    def triggers(self) -> Mapping[str, tuple[str, ...]]:
        """Node -> every trigger that history shows, sorted."""
        return self._triggers

    @cached_property
    def _triggers(self) -> Mapping[str, tuple[str, ...]]:
        """Recovered from channel names (`branch:to:NODE`, `join:…:NODE`) and from what each node has seen."""
        found: dict[str, set[str]] = {}
        channels = {channel for snapshot in self._snapshots for channel in snapshot.versions}
        for channel in channels:
            if channel.startswith(BRANCH):
                found.setdefault(channel.removeprefix(BRANCH), set()).add(channel)
            elif channel.startswith(JOIN):
                found.setdefault(target_of(channel), set()).add(channel)
        for name, seen in ((name, seen) for snapshot in self._snapshots for name, seen in snapshot.seen.items()):
            if name not in BOOKKEEPING and (name != START or START in seen):
                found.setdefault(name, set()).update(seen)
        if START in channels and not any(START in used for used in found.values()):
            found[START] = {START}
        return {name: tuple(sorted(used)) for name, used in sorted(found.items())}

    @cached_property
    def _arrivals(self) -> Mapping[str, frozenset[str]]:
        """Channel -> every name that was ever written to it, by its writes and by its stored values."""
        found: dict[str, set[str]] = {}
        for snapshot in self._snapshots:
            for write in snapshot.writes:
                if write.channel.startswith(JOIN) and isinstance(write.value, str):
                    found.setdefault(write.channel, set()).add(write.value)
            for channel, value in snapshot.values.items():
                if channel.startswith(JOIN):
                    found.setdefault(channel, set()).update(load(value)[0])
        return {channel: frozenset(names) for channel, names in found.items()}

    def needs(self, channel: str) -> bool:
        """The values of channels that StateGraph's compiler made."""
        return is_wiring_channel(channel)

    def available(self, channel: str, snapshot: Snapshot) -> bool:
        """A barrier that is complete or released; otherwise any channel that holds a value and is not deferred."""
        join = self.join(channel, snapshot)
        if join is not None:
            return join.released
        if channel in snapshot.commanded:
            return True
        value = snapshot.values.get(channel, MISSING)
        return value is not MISSING and not is_deferred(value)

    def join(self, channel: str, snapshot: Snapshot) -> Join | None:
        """A barrier by its channel's name."""
        if not channel.startswith(JOIN):
            return None
        if channel not in self._joins:
            self._joins[channel] = names_in(channel, self.triggers, self._arrivals.get(channel, frozenset()))
        names, certain = self._joins[channel]
        return stored_join(channel, snapshot.values.get(channel), names, certain)


def is_deferred(value: Any) -> bool:
    """Whether a branch channel's stored value says that its node waits for the end of the run (`defer=True`)."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and value[1] is False


def _copied(value: Any) -> Any:
    """A copy for a channel to restore from, since LangGraph's own barriers keep the set that they are handed."""
    if isinstance(value, set):
        return set(value)
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], set):
        return (set(value[0]), *value[1:])
    return value

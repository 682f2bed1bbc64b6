"""Which nodes are due next, and for every other node why it is not.

The rule is LangGraph's (`prepare_next_tasks` and `_triggers` in langgraph/pregel/_algo.py): a node is due when one of its
trigger channels is available and that channel's version is newer than the one the node has seen; a Send is due as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..langgraph_private import TASKS
from .joins import Join
from .snapshots import Snapshot
from .versions import newer, null_version
from .wiring import Wiring, is_deferred

Reason = Literal["fires", "never written", "already seen", "cleared", "empty", "deferred", "waiting"]


@dataclass(frozen=True)
class Trigger:
    """One trigger channel of a node at one checkpoint: its version against the one that the node has seen."""

    channel: str
    version: Any
    seen: Any
    reason: Reason
    join: Join | None = None

    @property
    def fires(self) -> bool:
        """Whether this channel makes its node due."""
        return self.reason == "fires"


@dataclass(frozen=True)
class NodeState:
    """One node at one checkpoint. `index` is the place among the Sends in flight for a node that a Send starts."""

    node: str
    triggers: tuple[Trigger, ...]
    index: int | None = None

    @property
    def due(self) -> bool:
        """Whether the node runs in the next superstep."""
        return any(trigger.fires for trigger in self.triggers)


def node_states(wiring: Wiring, snapshot: Snapshot) -> tuple[NodeState, ...]:
    """Every node that the wiring knows, and every Send in flight, at this checkpoint; sorted by name, Sends first."""
    return (*send_states(snapshot), *(node_state(wiring, snapshot, node) for node in wiring.triggers))


def send_states(snapshot: Snapshot) -> Iterator[NodeState]:
    """The Sends in flight; each starts its node once, whatever the node has seen."""
    for index, send in enumerate(snapshot.sends):
        yield NodeState(send.node, (Trigger(TASKS, snapshot.versions.get(TASKS), None, "fires"),), index)


def node_state(wiring: Wiring, snapshot: Snapshot, node: str) -> NodeState:
    """One node, with the reason for each of its triggers."""
    return NodeState(node, tuple(_trigger(wiring, snapshot, node, channel) for channel in wiring.triggers[node]))


def _trigger(wiring: Wiring, snapshot: Snapshot, node: str, channel: str) -> Trigger:
    null = null_version(snapshot.versions)
    recorded = snapshot.seen.get(node)
    version = snapshot.versions.get(channel)
    seen = None if recorded is None else recorded.get(channel)
    join = wiring.join(channel, snapshot)
    if null is not None and wiring.available(channel, snapshot):
        # A node that has never run needs no newer version: any available trigger makes it due.
        fresh = recorded is None or channel in snapshot.commanded or newer(version, null if seen is None else seen)
        return Trigger(channel, version, seen, "fires" if fresh else "already seen", join)
    return Trigger(channel, version, seen, _why_unavailable(snapshot, channel, version, seen, join), join)


def _why_unavailable(snapshot: Snapshot, channel: str, version: Any, seen: Any, join: Join | None) -> Reason:
    if version is None:
        return "never written"
    if join is not None and join.arrived:
        return "deferred" if join.held else "waiting"
    if is_deferred(snapshot.values.get(channel)):
        return "deferred"
    # The channel was cleared after use; what the node saw of it tells whether that use was this node's.
    return "cleared" if seen is not None else "empty"

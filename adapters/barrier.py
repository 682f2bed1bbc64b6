"""The barrier of a waiting edge, as it is wherever graphlift compiles.

LangGraph's own hands its live set out as the checkpoint. With the default `durability="async"` the set can change before it
is written: a checkpoint then records an arrival that has not happened, and after a crash the join never runs.
"""

from __future__ import annotations

from typing import Any

from langgraph.channels.named_barrier_value import NamedBarrierValue


class CopyingBarrier(NamedBarrierValue[str]):
    """A waiting edge whose checkpoints are its own, in both directions."""

    __slots__ = ()

    def checkpoint(self) -> set[str]:
        """The names that have arrived, as a set of its own."""
        return set(self.seen)

    def from_checkpoint(self, checkpoint: Any) -> CopyingBarrier:
        """A barrier that has seen what the checkpoint holds, without sharing the checkpoint's set."""
        restored = super().from_checkpoint(checkpoint)
        restored.seen = set(restored.seen)
        return restored


def own_barriers(channels: dict[str, Any]) -> None:
    """Put a CopyingBarrier in the place of every stock one."""
    for key, channel in channels.items():
        if type(channel) is NamedBarrierValue:
            barrier = CopyingBarrier(str, channel.names)
            barrier.key = key
            channels[key] = barrier

"""The channels of an inclusive graph. The one seam they use is `BaseChannel.finish()`.

LangGraph calls `finish()` on every channel, in their order, when a superstep leaves nothing to trigger. An inclusive barrier
that holds writes then sets a flag: it becomes available, its target is scheduled in the same superstep's checkpoint, and so
`next` is honest through an interrupt, a drain and a resume. What arrived stays what is recorded; nobody is said to have
written who did not.
"""

from __future__ import annotations

import threading
from typing import Any

from langgraph.channels.base import BaseChannel
from langgraph.channels.last_value import LastValueAfterFinish
from langgraph.channels.named_barrier_value import NamedBarrierValueAfterFinish
from langgraph.errors import EmptyChannelError

from ..barrier import CopyingBarrier
from ..langgraph_private import MISSING
from .release import Release


class _Round(threading.local):
    """What the round of `finish()` calls that is running has scheduled so far.

    LangGraph makes these calls one after the other on one thread, so a thread's own record, reset by the first channel of
    the round, is exact.
    """

    deferred: bool = False
    scheduled: int = 0


_round = _Round()


class RoundChannel(BaseChannel[None, None, None]):
    """Never holds a value. The first channel of a graph, so that its `finish()` opens the round."""

    @property
    def ValueType(self) -> type[None]:  # noqa: N802
        """None."""
        return type(None)

    @property
    def UpdateType(self) -> type[None]:  # noqa: N802
        """None."""
        return type(None)

    def copy(self) -> RoundChannel:
        """Itself: there is nothing to copy."""
        return self

    def checkpoint(self) -> Any:
        """Nothing is stored."""
        return MISSING

    def from_checkpoint(self, checkpoint: Any) -> RoundChannel:
        """Nothing is restored."""
        del checkpoint
        return self

    def get(self) -> None:
        """Raise; there is never a value."""
        raise EmptyChannelError

    def is_available(self) -> bool:
        """Never."""
        return False

    def update(self, values: Any) -> bool:
        """Nobody writes here."""
        del values
        return False

    def finish(self) -> bool:
        """Open the round."""
        _round.deferred, _round.scheduled = False, 0
        return False


class DeferredBranch(LastValueAfterFinish[Any]):
    """The branch channel of a `defer=True` node; tells the round when it schedules one."""

    __slots__ = ()

    def finish(self) -> bool:
        """Release the deferred node, as LangGraph does."""
        released = super().finish()
        _round.deferred |= released
        return released


class DeferredBarrier(NamedBarrierValueAfterFinish[str]):
    """A stock waiting edge into a `defer=True` node, which also restores what the edge stored before it was deferred."""

    __slots__ = ()

    def checkpoint(self) -> tuple[set[str], bool]:
        """Arrivals, as a set of its own, and whether the end of the run released them."""
        return set(self.seen), self.finished

    def from_checkpoint(self, checkpoint: Any) -> DeferredBarrier:
        """A barrier from any form that any of these barriers stored."""
        seen, flag = restored(checkpoint)
        return super().from_checkpoint(MISSING if checkpoint is MISSING else (seen, flag and seen == self.names))

    def finish(self) -> bool:
        """Release the deferred node, as LangGraph does."""
        released = super().finish()
        _round.deferred |= released
        return released


def restored(checkpoint: Any) -> tuple[set[str], bool]:
    """Arrivals and flag from a stored barrier: a set, or (set, flag), as a deferred or a released one stores itself."""
    if checkpoint is MISSING or checkpoint is None:
        return set(), False
    if isinstance(checkpoint, (tuple, list)):
        return set(checkpoint[0]), bool(checkpoint[1])
    return set(checkpoint), False


class WaitingBarrier(CopyingBarrier):
    """A waiting edge that is not inclusive, in a graph that has inclusive ones: LangGraph's contract.

    `bit` stands for its target in the round. It restores every earlier form, so that the option can be taken off an edge
    under a live thread: the arrivals stay, the release does not.
    """

    __slots__ = ("bit",)

    def __init__(self, names: set[str], bit: int = 0) -> None:
        super().__init__(str, names)
        self.bit = bit

    def _empty(self) -> WaitingBarrier:
        return WaitingBarrier(self.names, self.bit)

    def copy(self) -> WaitingBarrier:
        """The same arrivals, in a set of their own."""
        made = self._empty()
        made.key, made.seen = self.key, set(self.seen)
        return made

    def from_checkpoint(self, checkpoint: Any) -> WaitingBarrier:
        """A barrier that has seen what the checkpoint holds, of the nodes that the edge still lists."""
        made = self._empty()
        made.key, made.seen = self.key, restored(checkpoint)[0] & self.names
        return made

    def finish(self) -> bool:
        """Only tell the round when the target is scheduled."""
        if self.is_available():
            _round.scheduled |= self.bit
        return False


class InclusiveBarrier(WaitingBarrier):
    """A waiting edge that also releases when the run settles, with the writes it holds.

    `upstream` are the bits of the waiting edges' targets from which this edge's sources can be reached: once one of them is
    scheduled, the run has not settled for this edge.
    """

    __slots__ = ("released", "target", "upstream")

    def __init__(self, names: set[str], bit: int, target: str, upstream: int) -> None:
        super().__init__(names, bit)
        self.target = target
        self.upstream = upstream
        self.released = False

    def _empty(self) -> InclusiveBarrier:
        return InclusiveBarrier(self.names, self.bit, self.target, self.upstream)

    def copy(self) -> InclusiveBarrier:
        """The same arrivals and release."""
        made = self._empty()
        made.key, made.seen, made.released = self.key, set(self.seen), self.released
        return made

    def checkpoint(self) -> Any:
        """A plain set, as LangGraph's own, unless released and not yet consumed."""
        return (set(self.seen), True) if self.released else set(self.seen)

    def from_checkpoint(self, checkpoint: Any) -> InclusiveBarrier:
        """A barrier from any form that any of these barriers stored."""
        seen, flag = restored(checkpoint)
        made = self._empty()
        made.key, made.seen = self.key, seen & self.names
        made.released = flag and bool(made.seen)
        return made

    def is_available(self) -> bool:
        """Complete, or released."""
        return self.released or self.seen == self.names

    def get(self) -> Any:
        """None when complete, the record of the release otherwise."""
        if not self.is_available():
            raise EmptyChannelError
        if self.seen == self.names:
            return None
        return Release(self.target, tuple(sorted(self.seen)), tuple(sorted(self.names - self.seen)))

    def consume(self) -> bool:
        """The target ran: empty again, ready for the next round of a loop."""
        if not self.is_available():
            return False
        self.seen, self.released = set(), False
        return True

    def finish(self) -> bool:
        """Release, unless something else was scheduled that may still lead here."""
        if self.is_available():
            _round.scheduled |= self.bit
            return False
        if not self.seen or _round.deferred or self.upstream & _round.scheduled:
            return False
        self.released = True
        _round.scheduled |= self.bit
        return True

"""One channel that schedules a whole workflow: it is told which step finished, and says which become due.

LangGraph's cost of a superstep grows with the number of channels, and edges need one or more a step. Here there is one for
all: it stands in the place of LangGraph's own channel of Sends, counts in-degrees (dependency) or keeps the frontier and the
visited set (breadth-first), and hands out Sends. Its checkpoint is a bitmap and a few numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langgraph.channels.topic import Topic
from langgraph.errors import EmptyChannelError
from langgraph.types import Send

from .langgraph_private import MISSING

TOKEN = "__graphlift_token__"  # noqa: S105
"""The node name of what finished steps send to the channel; there is no such node."""

BEGIN, DONE, AGAIN = "begin", "done", "again"


def token(kind: str, *rest: Any) -> Send:
    """What the channel is told: BEGIN (a step or None, the width), DONE (a step, its targets), AGAIN (a step)."""
    return Send(TOKEN, [kind, *rest])


@dataclass(frozen=True)
class Plan:
    """The workflow by numbers: LangGraph's node of each step, its dependents, its in-degree.

    At most `width` are due at once, fewer where the run begins with less.
    """

    nodes: tuple[str, ...]
    dependents: tuple[tuple[int, ...], ...]
    degrees: tuple[int, ...]
    width: int
    begin: int | None = None


class Scheduler(Topic[Any]):
    """What both traversals share: a bitmap, a queue of steps by number, the first `width` of which are due."""

    __slots__ = ("bits", "plan", "queue", "width")

    def __init__(self, plan: Plan) -> None:
        super().__init__(Send, False)
        self.plan, self.width = plan, plan.width
        self.bits, self.queue = bytearray((len(plan.nodes) + 7) // 8), list[int]()

    def checkpoint(self) -> Any:
        """The bitmap, the queue as runs of consecutive numbers, and the width, which a resumed run keeps."""
        return [bytes(self.bits), to_runs(self.queue), self.width]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A scheduler at the point that the checkpoint holds."""
        restored = type(self)(self.plan)
        restored.key = self.key
        if checkpoint is not MISSING:
            restored.bits, restored.width = bytearray(checkpoint[0]), checkpoint[2]
            restored._enqueue(from_runs(checkpoint[1]))
        return restored

    def copy(self) -> Self:
        """An independent copy."""
        return self.from_checkpoint(self.checkpoint())

    def get(self) -> Any:
        """The Sends of the steps that are due. Raises EmptyChannelError when there are none."""
        if not self.values:
            raise EmptyChannelError
        return self.values

    def is_available(self) -> bool:
        """Whether any step is due."""
        return bool(self.values)

    def update(self, values: Sequence[Any]) -> bool:
        """Take the tokens of a superstep; all steps that were due have run. True when what is due has changed."""
        if not values:
            return False
        rest = self.queue[self.width :]
        self._enqueue([*rest, *self._released(value.arg for value in values)])
        return True

    def _enqueue(self, queue: list[int]) -> None:
        self.queue = queue
        self.values = [Send(self.plan.nodes[step], step) for step in queue[: self.width]]

    def _released(self, tokens: Iterable[Sequence[Any]]) -> list[int]:
        raise NotImplementedError

    def _marked(self, step: int) -> bool:
        return bool(self.bits[step >> 3] >> (step & 7) & 1)

    def _mark(self, step: int) -> None:
        self.bits[step >> 3] |= 1 << (step & 7)


class Countdown(Scheduler):
    """The traversal `dependency`: a step is due when its last dependency is done. Bits are the steps that are done."""

    __slots__ = ("left",)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.left: list[int] | None = None

    def _counts(self) -> list[int]:
        """How many dependencies each step still waits for; derived from the bitmap once a process."""
        if self.left is None:
            self.left = list(self.plan.degrees)
            for step, dependents in enumerate(self.plan.dependents):
                if self._marked(step):
                    for dependent in dependents:
                        self.left[dependent] -= 1
        return self.left

    def _released(self, tokens: Iterable[Sequence[Any]]) -> list[int]:
        left, released = self._counts(), list[int]()
        for kind, step, *more in tokens:
            if kind == BEGIN:
                self.width = min((self.plan.width, *more))
                released += [number for number, count in enumerate(left) if not count]
            elif kind == AGAIN:
                released.append(step)
            elif not self._marked(step):
                self._mark(step)
                for dependent in self.plan.dependents[step]:
                    left[dependent] -= 1
                    if not left[dependent]:
                        released.append(dependent)
        return sorted(released)


class Walk(Scheduler):
    """The traversal `breadth-first`: the queue is the frontier, bits are the nodes that were ever put on it."""

    __slots__ = ()

    def _released(self, tokens: Iterable[Sequence[Any]]) -> list[int]:
        released: list[int] = []
        for kind, step, *targets in tokens:
            if kind == BEGIN:
                self.bits = bytearray(len(self.bits))
                targets = [[step]]
            for target in targets[0] if targets else ():
                if not self._marked(target):
                    self._mark(target)
                    released.append(target)
        return released

    def update(self, values: Sequence[Any]) -> bool:
        """As every scheduler; a failed node has no successor at all, not even those that wait."""
        stopped = any(value.arg[0] == DONE and value.arg[2] is None for value in values)
        if not stopped:
            return super().update(values)
        self.values = []
        self.queue = self.queue[1:]
        return True


def to_runs(numbers: Sequence[int]) -> list[int]:
    """`[start, length, start, length, …]` of consecutive numbers; `from_runs` gives the numbers back."""
    runs: list[int] = []
    for number in numbers:
        if runs and number == runs[-2] + runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs


def from_runs(runs: Sequence[int]) -> list[int]:
    """The numbers that `to_runs` packed."""
    return [start + offset for start, length in zip(runs[::2], runs[1::2], strict=True) for offset in range(length)]

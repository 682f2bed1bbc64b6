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

BEGIN, DONE, AGAIN, STOP, GROUP = "begin", "done", "again", "stop", "group"


def token(kind: str, *rest: Any) -> Send:
    """What the channel is told.

    BEGIN (a step or None, the width), DONE (a step, its targets), AGAIN or STOP (a step), or GROUP: what a group would have
    told one by one, a list of steps that are due again on their own, and for each kind the steps as runs.
    """
    return Send(TOKEN, [kind, *rest])


class Groups:
    """Whether the steps that are due together make one LangGraph task; `alone` are those that never do, by number.

    `on` ends where the saver does not keep what groups need. `trusted`: whether the saver was seen to keep a group's rows, None as long as that is not known.
    """

    def __init__(self, alone: frozenset[int] = frozenset()) -> None:
        self.on, self.alone = True, alone
        self.trusted: bool | None = None


@dataclass(frozen=True)
class Plan:
    """The workflow by numbers: LangGraph's node of each step, its dependents, its in-degree.

    At most `width` are due at once, fewer where the run begins with less. `loops` are steps that take a round to be left.
    `groups`: None where each step is a LangGraph task.
    """

    nodes: tuple[str, ...]
    dependents: tuple[tuple[int, ...], ...]
    degrees: tuple[int, ...]
    width: int
    begin: int | None = None
    loops: frozenset[int] = frozenset()
    groups: Groups | None = None

    def sends(self, due: Sequence[int], asked: Iterable[int]) -> list[Send]:
        """LangGraph's tasks of the steps that are due; those that `asked` a person are tasks of their own."""
        if self.groups is None:
            return [Send(self.nodes[step], step) for step in due]
        alone = self.groups.alone.union(asked)
        group = [step for step in due if step not in alone]
        if len(group) < 2:
            return [Send(self.nodes[step], step) for step in due]
        return [Send(self.nodes[group[0]], group), *(Send(self.nodes[step], step) for step in due if step in alone)]


class Scheduler(Topic[Any]):
    """What both traversals share: a bitmap, a queue of steps by number, the first `width` of which are due."""

    __slots__ = ("asked", "bits", "plan", "queue", "width")

    def __init__(self, plan: Plan) -> None:
        super().__init__(Send, False)
        self.plan, self.width = plan, plan.width
        self.bits, self.queue = bytearray((len(plan.nodes) + 7) // 8), list[int]()
        self.asked: list[int] = []

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

    def _enqueue(self, queue: list[int]) -> None:
        self.queue = queue
        self.values = self.plan.sends(queue[: self.width], self.asked)

    def _marked(self, step: int) -> bool:
        return bool(self.bits[step >> 3] >> (step & 7) & 1)

    def _mark(self, step: int) -> None:
        self.bits[step >> 3] |= 1 << (step & 7)


class Countdown(Scheduler):
    """The traversal `dependency`: a step is due when its last dependency is done. Bits are the steps that are done.

    Rounds as the reference executor has them: `coming` are the steps of the next one, `ended` the loops that ended in this
    one, `leaving` those of the one before. A round wider than `width` takes several supersteps. After a step that stops the
    run its round goes on, and no other begins.
    """

    __slots__ = ("coming", "ended", "leaving", "left", "stopped")

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.left: list[int] | None = None
        self.coming, self.ended, self.leaving = list[int](), list[int](), list[int]()
        self.stopped = False

    def checkpoint(self) -> Any:
        """As every scheduler, and the rest of what makes the next rounds, where there is any."""
        rest = [to_runs(self.coming), self.ended, self.leaving, self.stopped, *([self.asked] if self.asked else ())]
        return [*super().checkpoint(), *(rest if any(rest) else ())]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A scheduler at the point that the checkpoint holds."""
        restored = super().from_checkpoint(checkpoint)
        if checkpoint is not MISSING and len(checkpoint) > 3:
            coming, ended, leaving, restored.stopped, *asked = checkpoint[3:]
            restored.coming, restored.ended, restored.leaving = from_runs(coming), list(ended), list(leaving)
            if asked:
                restored.asked = list(asked[0])
                restored._enqueue(restored.queue)
        return restored

    def update(self, values: Sequence[Any]) -> bool:
        """Take the tokens of a superstep; when a round is over, begin the next. True when what is due has changed."""
        if not values:
            return False
        told = [part for value in values for part in _parts(value.arg)]
        self.asked = [part[1] for part in told if part[0] == GROUP]
        rest = self.asked + self.queue[self.width :]
        self._counts()
        for kind, *more in told:
            self._take(kind, *more)
        while not rest and not self.stopped and (self.coming or self.ended or self.leaving):
            rest = self._next_round()
        if self.plan.groups is not None and not self.plan.groups.on:
            self.asked = rest[: self.width]
        self._enqueue(rest)
        return True

    def _take(self, kind: str, step: int, *more: int) -> None:
        if kind == GROUP:
            return
        if kind == BEGIN:
            self.width = min((self.plan.width, *more))
            self.coming += [number for number, count in enumerate(self._counts()) if not count]
        elif kind == AGAIN:
            self.coming.append(step)
        elif not self._marked(step):
            self.stopped = self.stopped or kind == STOP
            self._mark(step)
            if step in self.plan.loops:
                self.ended.append(step)
            else:
                self.coming += self._released_by(step)

    def _next_round(self) -> list[int]:
        left = [number for step in self.leaving for number in self._released_by(step)]
        ready = sorted([*self.coming, *left])
        self.coming, self.ended, self.leaving = [], [], self.ended
        return ready

    def _released_by(self, step: int) -> list[int]:
        left, released = self._counts(), list[int]()
        for dependent in self.plan.dependents[step]:
            left[dependent] -= 1
            if not left[dependent]:
                released.append(dependent)
        return released

    def _counts(self) -> list[int]:
        """How many dependencies each step still waits for; derived once a process from what is done and has been left."""
        if self.left is None:
            self.left = list(self.plan.degrees)
            for step, dependents in enumerate(self.plan.dependents):
                if self._marked(step) and step not in self.ended and step not in self.leaving:
                    for dependent in dependents:
                        self.left[dependent] -= 1
        return self.left


def _parts(told: Sequence[Any]) -> list[Any]:
    """What was told, one by one; a step of a group that is due again on its own as `[GROUP, step]`."""
    if told[0] != GROUP:
        return [told]
    _, asked, done, again, stop = told
    kinds = {**dict.fromkeys(asked, GROUP), **dict.fromkeys(from_runs(done), DONE)}
    kinds |= {**dict.fromkeys(from_runs(again), AGAIN), **dict.fromkeys(from_runs(stop), STOP)}
    return [[kinds[step], step] for step in sorted(kinds)]


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
        """Take the token of a superstep; a failed node has no successor at all, not even those that wait."""
        if not values:
            return False
        stopped = any(value.arg[0] == DONE and value.arg[2] is None for value in values)
        if stopped:
            self.values, self.queue = [], self.queue[1:]
        else:
            rest = self.queue[self.width :]
            self._enqueue([*rest, *self._released(value.arg for value in values)])
        return True


def to_runs(numbers: Sequence[int]) -> list[int]:
    """`[start, length, start, length, …]` of consecutive numbers; `from_runs` gives the numbers back."""
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        # The rest of a wide round, at every superstep: compared at once.
        first = numbers[0]
        if list(numbers) == list(range(first, first + len(numbers))):
            return [first, len(numbers)]
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

"""How runs are carried out: the task, what a pool of them is, and the pool that runs in this process.

A pool decides where and how many at once; it never decides what is run or what it means, so results cannot depend on it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from .case import Case
from .cassette import Tape
from .engine import Engine
from .observation import Observation, Side
from .observing import observe


@dataclass(frozen=True)
class Task:
    """One run: which case, under which engine, with which schedule (see `schedule`).

    `alone`: it must not share a process with others, and is not carried out twice.
    """

    case: str
    side: Side
    schedule: int
    tape: Tape = field(default=Tape(), compare=False)
    alone: bool = field(default=False, compare=False)


class Pool(Protocol):
    """Runs tasks. `submit` never waits; `finished` gives the results as they come, until nothing is left.

    A pool that has an attribute `shares` which is true may let runs share a process.
    """

    def submit(self, task: Task) -> None:
        """Add a task; also while `finished` is being iterated."""
        ...

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Every submitted task with what was seen, in any order."""
        ...


class InProcess:
    """Runs tasks here, one after the other: for a debugger. No time limit, and a crash is a crash of this process."""

    def __init__(self, engines: Mapping[Side, Engine], cases: Mapping[str, Case]) -> None:
        self._engines, self._cases = engines, cases
        self._tasks: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Add a task."""
        self._tasks.append(task)

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Run and give the tasks in order."""
        while self._tasks:
            task = self._tasks.popleft()
            yield task, observe(self._engines[task.side], self._cases[task.case], task.schedule, task.tape)

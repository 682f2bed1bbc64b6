"""A pool that runs tasks in child processes, forked from this one.

So every run starts from the same state, whatever ran before it, beside it, or under how many jobs. A hang, a crash, a fork
bomb or `os._exit` costs one run, and what had been seen until then is kept: the child writes its journal as it goes. POSIX
only; this process must have no other threads of its own (a lock that another thread holds would never be released).

A process costs more than most runs, so several runs may share one, on trial: only if they all ended and left their process
as it was do their results count, for then each has started from the same state. Else each of them runs again in a process of
its own, as if nothing had been.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .case import Case
from .engine import Engine
from .forked import in_child
from .libraries import is_library
from .observation import JournalReader, Observation, Side
from .running import Task

Journal = list[dict[str, Any]]
KINDS = frozenset({"begin", "end", "outcome", "broken", "recorded", "seen", "together"})
"""What the lines of a journal are about."""
READ = 1 << 18
LOOK_SECONDS = 0.25
TOGETHER = 250
"""Runs that may share a process: enough that its cost is small beside theirs."""
PATIENCE = 5.0
"""Seconds that one of several runs may take: a longer one is better off by itself."""
TRIES = 3
"""Trials that may fail before no more are made, unless more than half of them succeed."""


@dataclass
class _Child:
    tasks: tuple[Task, ...]
    limits: tuple[float, ...]
    pid: int = 0
    pipe: int = 0
    ends_at: float = 0.0
    pending: bytearray = field(default_factory=bytearray)
    journals: list[Journal] = field(default_factory=lambda: [[]])
    together: bool = False
    """Whether the runs of a trial have all ended and left nothing behind."""
    spoiled: str | None = None
    """What they left behind."""
    garbled: bool = False
    """Whether something else than its journal came through the pipe: user code wrote to a file that it did not open."""
    first: bool = False
    """Whether it is one of the first runs, whose imports of libraries this process takes over before there are trials."""

    @property
    def alone(self) -> bool:
        return len(self.tasks) == 1

    def take(self, data: bytes) -> None:
        self.pending += data
        *whole, rest = self.pending.split(b"\n")
        self.pending = bytearray(rest)
        for text in whole:
            if text and not self.garbled:
                self._take(text)

    def _take(self, text: bytes | bytearray) -> None:
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if isinstance(line, dict) and line.get("on") in KINDS:
            self._line(line)
        else:
            self.garbled = True

    def _line(self, line: dict[str, Any]) -> None:
        if line["on"] == "together":
            self.spoiled = line["spoiled"]
            self.together = self.spoiled is None
            return
        self.journals[-1].append(line)
        if line["on"] == "seen" and not self.alone:
            self.journals.append([])
            self.wait()

    def wait(self) -> None:
        """Start the clock of the run that is next."""
        limit = self.limits[min(len(self.journals), len(self.limits)) - 1]
        self.ends_at = time.monotonic() + (limit if self.alone else min(limit, PATIENCE))

    @property
    def told_all(self) -> bool:
        last = self.journals[-1]
        return (
            self.garbled
            or self.together
            or self.spoiled is not None
            or (self.alone and bool(last) and last[-1]["on"] == "seen")
        )


class Forking:
    """Runs tasks in forked children, at most `jobs` at once; each has `timeout` seconds, or the case's own limit.

    `together` is how many runs may share a child on trial; with 1 each has its own.
    """

    def __init__(
        self,
        engines: Mapping[Side, Engine],
        cases: Mapping[str, Case],
        *,
        jobs: int = 1,
        timeout: float = 30.0,
        together: int = 1,
    ) -> None:
        self._engines, self._cases = engines, cases
        self._jobs, self._timeout, self._together = max(1, jobs), timeout, together
        self._alone: deque[Task] = deque()
        self._sharing: deque[Task] = deque()
        self._succeeded = self._failed = 0
        self.processes = 0
        self._first = len(engines) if self.shares else 0
        self.spoiled: str | None = None
        """Why runs could not share a process, as the last trial that failed told it."""

    @property
    def shares(self) -> bool:
        """Whether runs may share a process."""
        return self._together > 1

    def submit(self, task: Task) -> None:
        """Add a task; the second run of a case comes before the first of others, so that cases are judged one by one."""
        queue = self._alone if task.alone or not self.shares else self._sharing
        if task.schedule:
            queue.appendleft(task)
        else:
            queue.append(task)

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Give each task when its child has told all, or was killed. Closing the iterator kills what still runs."""
        journals = self.journals()
        try:
            for task, journal in journals:
                yield task, JournalReader(task.side, self._engines[task.side].name).read(journal).observation()
        finally:
            journals.close()

    def journals(self) -> Generator[tuple[Task, Journal], None, None]:
        """The same as journals, which are JSON data: what is seen of each run is what `JournalReader` makes of them."""
        if self.shares:
            is_library("")  # what it remembers is shared with every child
        # Objects that exist now are shared with every child; a collection in a child would copy their pages.
        gc.collect()
        gc.freeze()
        running: dict[int, _Child] = {}
        with selectors.DefaultSelector() as selector:
            try:
                while self._alone or self._sharing or running:
                    while self._may_start(running):
                        child = self._start(self._next(), running)
                        running[child.pipe] = child
                        selector.register(child.pipe, selectors.EVENT_READ)
                    for child in _ready(selector, running):
                        selector.unregister(child.pipe)
                        del running[child.pipe]
                        yield from self._ended(child)
            finally:
                for child in running.values():
                    _end(child)
                gc.unfreeze()

    def _may_start(self, running: Mapping[int, _Child]) -> bool:
        if len(running) >= self._jobs or not (self._alone or self._sharing):
            return False
        return bool(self._first) or not any(child.first for child in running.values())

    def _next(self) -> tuple[Task, ...]:
        if not self._sharing:
            return (self._alone.popleft(),)
        if self._first:
            return (self._sharing.popleft(),)
        if self._failed >= TRIES and self._failed > self._succeeded:
            self._alone.extend(self._sharing)
            self._sharing.clear()
            return (self._alone.popleft(),)
        size = max(1, min(self._together, -(-len(self._sharing) // self._jobs)))
        return tuple(self._sharing.popleft() for _ in range(size))

    def _start(self, tasks: tuple[Task, ...], others: Mapping[int, _Child]) -> _Child:
        limits = tuple(self._cases[task.case].timeout or self._timeout for task in tasks)
        child = _Child(tasks, limits, first=self._first > 0)
        self._first = max(0, self._first - 1)
        self.processes += 1
        child.pipe, theirs = os.pipe()
        if not child.alone:
            _widen(child.pipe)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns where a thread exists, idle or not
            child.pid = os.fork()
        if child.pid == 0:
            for pipe in (child.pipe, *others):
                os.close(pipe)
            in_child(self._engines, self._cases, tasks, child.limits, theirs)
        os.close(theirs)
        child.wait()
        return child

    def _ended(self, child: _Child) -> Iterator[tuple[Task, Journal]]:
        if child.alone:
            yield child.tasks[0], _journal(child)
            return
        _end(child)
        self._succeeded += child.together
        self._failed += not child.together
        for journal in child.journals:
            _import_libraries(journal)
        if child.together:
            yield from zip(child.tasks, child.journals, strict=False)
            return
        self.spoiled = child.spoiled or "a run that did not end"
        self._alone.extend(child.tasks)


def _journal(child: _Child) -> Journal:
    """The journal of a child with one run; its end is told here where the child did not."""
    late = time.monotonic() >= child.ends_at
    status, was_running = _end(child)
    (journal,) = child.journals
    _import_libraries(journal)
    if child.garbled:
        told = "its process wrote into the gate's own pipe, which it did not open"
        return [
            *(line for line in journal if line["on"] not in ("outcome", "seen")),
            {"on": "broken", "kind": "crashed", "error": told},
        ]
    if child.told_all:
        return journal
    hung = late and was_running
    error = f"did not end within {child.limits[0]:g} s" if hung else _told(status)
    return [*journal, {"on": "broken", "kind": "timeout" if hung else "crashed", "error": error}]


def _import_libraries(journal: Journal) -> None:
    for name in journal[-1].get("libraries", ()) if journal else ():
        importlib.import_module(name)


def _ready(selector: selectors.BaseSelector, running: Mapping[int, _Child]) -> list[_Child]:
    """Wait for something to happen; the children that have told all, have died, or are out of time."""
    now = time.monotonic()
    wait = max(0.0, min(child.ends_at for child in running.values()) - now)
    events = selector.select(min(wait, LOOK_SECONDS))
    # What a run started may hold the pipe open after its own process has gone.
    gone = [] if events else [child for child in running.values() if _is_gone(child)]
    events = events or selector.select(0)
    done = [] if events else gone
    for key, _ in events:
        child = running[key.fd]
        data = os.read(child.pipe, READ)
        child.take(data)
        if not data or child.told_all:
            done.append(child)
    late = (child for child in running.values() if time.monotonic() >= child.ends_at and child not in done)
    return [*done, *late]


def _widen(pipe: int) -> None:
    """Room for the journals of many runs, so that their child need not wait for this process."""
    import fcntl  # POSIX only, as `os.fork` is

    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if size is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, size, READ)


def _is_gone(child: _Child) -> bool:
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(child: _Child) -> tuple[int, bool]:
    """Kill the child with everything that it started; its wait status, and whether it was still running."""
    reaped, status = os.waitpid(child.pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if not reaped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        _, status = os.waitpid(child.pid, 0)
    os.close(child.pipe)
    return status, not reaped


def _told(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"its process was killed by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"

"""Seeded turns: activations that could run at once run one at a time, in an order that the seed decides.

What depends on the order of completion then differs between two seeds, and what differs between engines under one seed is
not chance. Seeds come in pairs: 2n+1 is the exact reverse of 2n, so that any two activations that can overlap change places.
Nothing waits for ever: who holds the turn too long (a handler that waits for its sibling) loses it.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from pathlib import Path
from typing import Self

from .plain import digest_text

WINDOW = 0.001
"""Seconds without an arrival after which the arrived are taken to be all, on threads."""
LOOP_TURNS = 8
"""The same, on an event loop, in turns of the loop."""
LEASE = 0.05
"""Seconds after which the next one starts although the one before has not ended."""


class SeededTurns:
    """The turns of one run. Thread-safe; threads and event loops may mix."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._ready = threading.Condition()
        self._waiting: dict[str, str] = {}
        self._holder: str | None = None
        self._taken = self._arrived = 0.0
        self._arrivals = 0
        self._settled = -1
        self._home, self._threads = threading.get_ident(), set(threading.enumerate())

    def enter(self, key: str) -> None:
        """Wait on this thread for the turn of `key`. On an event loop's thread it never waits: that would stop the others."""
        if threading.active_count() == 1 or _on_a_loop():
            return
        with self._ready:
            if self._is_alone():
                return
            self._arrive(key)
            others = _Others()
            while not self._is_next(key) or not self._have_all_arrived(others):
                # Who is not next is told when that changes: were all to look, each would see the others at work.
                self._ready.wait(WINDOW / 2 if self._is_next(key) else LEASE)
            self._take(key)

    async def aenter(self, key: str) -> None:
        """Wait on the running loop for the turn of `key`."""
        if threading.active_count() == 1 and len(asyncio.all_tasks()) == 1:
            return
        with self._ready:
            self._arrive(key)
        while True:
            known = self._arrivals
            for _ in range(LOOP_TURNS):
                await asyncio.sleep(0)
            with self._ready:
                if known == self._arrivals and self._is_next(key) and self._is_quiet():
                    self._take(key)
                    return
                waits = self._holder is not None or not self._is_quiet()
            await asyncio.sleep(WINDOW if waits else 0)

    def leave(self, key: str) -> None:
        """`key` has ended, or gave up waiting."""
        with self._ready:
            self._waiting.pop(key, None)
            if self._holder == key:
                self._holder = None
            self._ready.notify_all()

    def rank(self, key: str) -> str:
        """The text by which the keys that wait are ordered."""
        text = digest_text(f"{self._seed // 2}/{key}")
        return text if self._seed % 2 == 0 else "".join(f"{15 - int(digit, 16):x}" for digit in text)

    def _arrive(self, key: str) -> None:
        self._waiting[key] = self.rank(key)
        self._arrivals += 1
        self._arrived = time.monotonic()
        self._ready.notify_all()

    def _is_next(self, key: str) -> bool:
        if self._holder is not None and time.monotonic() - self._taken < LEASE:
            return False
        return self._waiting[key] == min(self._waiting.values())

    def _is_quiet(self) -> bool:
        """Whether nobody else is about to arrive from another thread."""
        return threading.active_count() == 1 or time.monotonic() - self._arrived >= WINDOW

    def _is_alone(self) -> bool:
        """Whether the run is on its own thread, has started no other and was met by none: those that were there are idle."""
        return (
            not self._arrivals
            and threading.get_ident() == self._home
            and self._threads.issuperset(threading.enumerate())
        )

    def _have_all_arrived(self, others: _Others) -> bool:
        """Whether nobody else is about to arrive, as was seen since the last arrival or is seen now."""
        if self._settled != self._arrivals and self._is_quiet():
            overdue = time.monotonic() - self._arrived >= LEASE
            if overdue or not others.are_at_work():
                self._settled = self._arrivals
        return self._settled == self._arrivals

    def _take(self, key: str) -> None:
        del self._waiting[key]
        self._holder, self._taken = key, time.monotonic()
        self._ready.notify_all()


class Chance:
    """What engines and handlers draw from `random`, by the schedule: the same in every run of the gate.

    Between two schedules it is another, so that what depends on it differs within an engine. `drawn` says whether anything was.
    The caller's state comes back at the end.
    """

    def __init__(self, schedule: int) -> None:
        self._schedule = schedule
        self.drawn = False

    def __enter__(self) -> Self:
        self._callers = random.getstate()
        random.seed(self._schedule)
        self._first = random.getstate()
        return self

    def __exit__(self, *_: object) -> None:
        self.drawn = random.getstate() != self._first
        random.setstate(self._callers)


class Untouched:
    """In the place of `Chance` where the process is not ours alone: others draw from the same `random`."""

    drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Others:
    """The other threads, of which one may be about to arrive: on a loaded machine it waits for a processor past any window."""

    def __init__(self) -> None:
        self._used = self._now()
        self._idle = 0

    def are_at_work(self) -> bool:
        """Whether one used a processor since the last look, or waits for one; twice idle is idle."""
        used = self._now()
        busy = used - self._used > 2e-5 or _someone_is_runnable()
        self._used, self._idle = used, 0 if busy else self._idle + 1
        return self._idle < 2

    @staticmethod
    def _now() -> float:
        return time.process_time() - time.thread_time()


def _someone_is_runnable() -> bool:
    """Whether Linux has another thread of this process waiting for a processor; False where it cannot be told."""
    own = threading.get_native_id()
    try:
        for task in Path("/proc/self/task").iterdir():
            # The name of the thread stands in brackets, and may have some.
            if int(task.name) != own and (task / "stat").read_bytes().rpartition(b")")[2].split(None, 1)[0] == b"R":
                return True
    except OSError:
        return False
    return False


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

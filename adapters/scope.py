"""One run's deadline, cancellation and event loop: what every activation of the run shares, and nothing that is persisted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

LONGEST = min(86_400.0 * 365 * 100, threading.TIMEOUT_MAX)
"""Seconds that a wait is cut to: Python's own waits raise OverflowError beyond what the platform's clock can hold."""


class RunStopped(Exception):  # noqa: N818  (an end, not an error of the code that sees it)
    """The run may not go on: it was cancelled, its time is over, or it failed under the policy `fail`."""


class Reported(NamedTuple):
    """A step's record, told as soon as it is there."""

    name: str
    record: dict[str, Any]


class RunScope:
    """Made by the entry point of a run, closed by it. Thread-safe.

    `timeout` is seconds for the whole run, from now.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self.timeout = timeout
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.cancelled = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._waiting: set[Future[Any]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._visiting: dict[str, None] = {}
        self.asked: dict[str, str] = {}
        """The step that asked, by the id of LangGraph's interrupt."""
        self.halted = False
        self.recorded: frozenset[str] = frozenset()
        """The steps that had ended before this invocation of the thread."""
        self.serializer: Any = None
        """The checkpointer's; None for a run without one."""
        self.finished: dict[str, dict[str, Any]] = {}
        """The records of the steps that ended in groups, also of a group that was stopped."""
        self.streams = False
        """Whether the run's stream is to be told of them one by one."""
        self._pool: ThreadPoolExecutor | None = None

    def remaining(self) -> float | None:
        """Seconds left for the run, never negative; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def expired(self) -> bool:
        """Whether the run's time is over."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def stopped(self) -> str | None:
        """Why nothing more may start, as an error text; None while the run may go on."""
        if self.deadline is None and not self.cancelled.is_set():
            return None
        if self.cancelled.is_set():
            return "CancelledError: the run was cancelled"
        return f"TimeoutError: the run took longer than {self.timeout:g} s" if self.expired() else None

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine, for a synchronous caller: all of one run's coroutines share one background loop."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="graphlift-run", daemon=True)
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return self.result_of(future)

    def result_of(self, future: Future[Any], timeout: float | None = None) -> Any:
        """Wait for a future of this run; `cancel` ends the wait. Raises TimeoutError after `timeout` seconds."""
        with self._lock:
            self._waiting.add(future)
        try:
            if self.cancelled.is_set():
                future.cancel()
            return future.result(None if timeout is None else min(timeout, LONGEST))
        finally:
            with self._lock:
                self._waiting.discard(future)

    def cancel(self) -> None:
        """Let nothing more start, cancel coroutines that run and end every wait. Can be called from any thread.

        A synchronous handler that already runs is left behind: a thread cannot be stopped from outside.
        """
        self.cancelled.set()
        with self._lock:
            waiting, tasks = list(self._waiting), list(self._tasks)
        for future in waiting:
            future.cancel()
        for task in tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """While inside, `cancel` cancels the running asyncio task; what it cancelled comes out as RunStopped."""
        task = asyncio.current_task()
        assert task is not None
        with self._lock:
            self._tasks.add(task)
        try:
            if self.cancelled.is_set():
                raise RunStopped(self.stopped())
            yield
        except asyncio.CancelledError:
            if self.cancelled.is_set() and task.cancelling() <= 1:
                task.uncancel()
                raise RunStopped(self.stopped()) from None
            raise
        finally:
            with self._lock:
                self._tasks.discard(task)

    def enter(self, name: str) -> None:
        """Note that a step has begun, so that a run which is stopped can say where."""
        self._visiting[name] = None

    def leave(self, name: str) -> None:
        """Note that it has ended. Not to be called when it raised: that is where the run was stopped."""
        self._visiting.pop(name, None)

    def asks(self, name: str, interrupts: Iterable[Any]) -> None:
        """Note that a step waits for a person: which of LangGraph's interrupts are its."""
        self._visiting.pop(name, None)
        self.asked.update((interrupt.id, name) for interrupt in interrupts)

    def report(self, name: str, record: dict[str, Any], stream: Callable[[Any], None]) -> None:
        """Note what became of a step whose LangGraph task goes on with others."""
        self.finished[name] = record
        if self.streams:
            stream(Reported(name, record))

    def pool(self, workers: int) -> ThreadPoolExecutor:
        """The threads on which the run's groups of steps run."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(workers, thread_name_prefix="graphlift-step")
            return self._pool

    def in_flight(self) -> list[str]:
        """The steps that had begun and not ended."""
        return list(self._visiting)

    def close(self) -> None:
        """End the background loop, cancelling what still runs on it, and the threads."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)

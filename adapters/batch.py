"""Many runs at once: bounded, retried, with progress, and a policy for partial failure. Knows nothing of workflows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from .errors import GraphliftError, UsageError

_LOG = logging.getLogger("graphlift.adapters")


class Ended(NamedTuple):
    """How one run of one input ended. `final`: another try would not be one (it was cancelled, or waits for a person)."""

    result: Any
    success: bool
    final: bool = False
    paused: bool = False


Run = Callable[[Mapping[str, Any], int, int], Awaitable[Ended]]
"""Runs one input; given it, its index and the attempt (from 1)."""

BatchPolicy = Literal["continue", "stop"]


@dataclass(frozen=True)
class BatchItem:
    """One input's end: its result (None when it never ran or raised), the error that was raised, and how often it ran.

    `paused`: its run waits for a person; that is neither a success nor a failure.
    """

    index: int
    result: Any = None
    error: str | None = None
    success: bool = False
    attempts: int = 0
    paused: bool = False

    @property
    def failed(self) -> bool:
        """Whether it ran and did not succeed."""
        return bool(self.attempts) and not self.success and not self.paused


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is; `last` is the item that just ended."""

    done: int
    total: int
    failed: int
    last: BatchItem


@dataclass(frozen=True)
class BatchResult:
    """Every item, in the order of the inputs. Items that never ran (under `stop`, or cancelled) have no attempts."""

    items: tuple[BatchItem, ...]

    @property
    def results(self) -> tuple[Any, ...]:
        """The results alone, in order."""
        return tuple(item.result for item in self.items)

    @property
    def failed(self) -> tuple[BatchItem, ...]:
        """The items that did not succeed, those that never ran included, those that wait for a person not."""
        return tuple(item for item in self.items if not item.success and not item.paused)

    @property
    def paused(self) -> tuple[BatchItem, ...]:
        """The items that wait for a person; each has its thread in its result."""
        return tuple(item for item in self.items if item.paused)

    @property
    def success(self) -> bool:
        """Whether every item succeeded."""
        return all(item.success for item in self.items)


class BatchStop:
    """How a batch on the running loop is told, from any thread, to start nothing more; `names` are what it answers to."""

    def __init__(self, *names: str | None) -> None:
        self.names = frozenset(name for name in names if name)
        self.requested = False
        self._loop, self._event = asyncio.get_running_loop(), asyncio.Event()

    def request(self) -> None:
        """Start nothing more, and end every wait for a next try."""
        self.requested = True
        with suppress(RuntimeError):  # the loop has ended, and the batch with it
            self._loop.call_soon_threadsafe(self._event.set)

    async def pause(self, seconds: float) -> None:
        """Wait before another try, until the batch is told to stop at the longest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()


@dataclass(frozen=True)
class BatchRules:
    """How a batch is run. `backoff` is seconds before the first retry, then doubled. Raises UsageError for nonsense."""

    max_concurrency: int = 8
    retries: int = 0
    backoff: float = 0.0
    policy: BatchPolicy = "continue"
    on_progress: Callable[[BatchProgress], None] | None = None

    def __post_init__(self) -> None:
        if self.max_concurrency < 1 or self.retries < 0 or self.backoff < 0:
            given = f"max_concurrency={self.max_concurrency}, retries={self.retries}, backoff={self.backoff}"
            mend = "max_concurrency is at least 1, the others at least 0"
            raise UsageError(f"a batch cannot be run with {given}", mend=mend)
        if self.policy not in get_args(BatchPolicy):
            mend = f"use one of: {', '.join(get_args(BatchPolicy))}"
            raise UsageError(f"there is no batch policy {self.policy!r}", mend=mend)


async def run_batch(run: Run, inputs: Sequence[Mapping[str, Any]], rules: BatchRules, stop: BatchStop) -> BatchResult:
    """Run every input, at most `max_concurrency` at once, each up to `retries` times more while it does not succeed.

    The policy `stop` starts nothing more once an item has failed for good; what runs, ends. Cancelling the batch cancels
    every run. An `on_progress` that raises is logged, and costs no run.
    """
    items = [BatchItem(index) for index in range(len(inputs))]
    queue = iter(range(len(inputs)))
    done = 0

    async def worker() -> None:
        nonlocal done
        for index in queue:
            if stop.requested or (rules.policy == "stop" and any(item.failed for item in items)):
                return
            items[index] = await _one(run, index, inputs[index], rules, stop)
            done += 1
            _tell(rules, BatchProgress(done, len(inputs), sum(item.failed for item in items), items[index]))

    async with asyncio.TaskGroup() as group:
        for _ in range(min(rules.max_concurrency, len(inputs))):
            group.create_task(worker())
    return BatchResult(tuple(items))


def _tell(rules: BatchRules, progress: BatchProgress) -> None:
    if rules.on_progress is None:
        return
    try:
        rules.on_progress(progress)
    except Exception:
        _LOG.exception("on_progress of a batch failed at %d of %d", progress.done, progress.total)


async def _one(run: Run, index: int, given: Mapping[str, Any], rules: BatchRules, stop: BatchStop) -> BatchItem:
    item = BatchItem(index)
    for attempt in range(1, rules.retries + 2):
        if attempt > 1:
            await stop.pause(rules.backoff * 2.0 ** (attempt - 2))
        if stop.requested:
            break
        try:
            ended = await run(given, index, attempt)
        except Exception as error:
            item = BatchItem(index, error=f"{type(error).__name__}: {error}", attempts=attempt)
            if isinstance(error, GraphliftError):  # refused, with a reason that holds for every other try
                break
        else:
            item = BatchItem(index, ended.result, success=ended.success, attempts=attempt, paused=ended.paused)
            if ended.success or ended.final:
                break
    return item

"""Many runs at once: bounded, retried, with progress, and a policy for partial failure. Knows nothing of workflows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Run = Callable[[Mapping[str, Any], int, int], Awaitable[Any]]
"""Runs one input; given it, its index and the attempt (from 1)."""

BatchPolicy = Literal["continue", "stop"]


@dataclass(frozen=True)
class BatchItem:
    """One input's end: its result (None when it never ran or raised), the error that was raised, and how often it ran."""

    index: int
    result: Any = None
    error: str | None = None
    success: bool = False
    attempts: int = 0


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is; `last` is the item that just ended."""

    done: int
    total: int
    failed: int
    last: BatchItem


@dataclass(frozen=True)
class BatchResult:
    """Every item, in the order of the inputs. Under `stop`, items that never ran have no attempts."""

    items: tuple[BatchItem, ...]

    @property
    def results(self) -> tuple[Any, ...]:
        """The results alone, in order."""
        return tuple(item.result for item in self.items)

    @property
    def failed(self) -> tuple[BatchItem, ...]:
        """The items that did not succeed, those that never ran included."""
        return tuple(item for item in self.items if not item.success)

    @property
    def success(self) -> bool:
        """Whether every item succeeded."""
        return not self.failed


async def run_batch(
    run: Run,
    inputs: Sequence[Mapping[str, Any]],
    *,
    succeeded: Callable[[Any], bool],
    max_concurrency: int = 8,
    retries: int = 0,
    backoff: float = 0.0,
    policy: BatchPolicy = "continue",
    on_progress: Callable[[BatchProgress], None] | None = None,
) -> BatchResult:
    """Run every input, at most `max_concurrency` at once, each up to `retries` times more while it does not succeed.

    `stop` starts nothing more once an item has failed for good; what runs, ends. `backoff` is seconds before the first
    retry, then doubled. Cancelling the batch cancels every run.
    """
    if max_concurrency < 1:
        raise ValueError("max_concurrency is at least 1")
    items = [BatchItem(index) for index in range(len(inputs))]
    queue = iter(range(len(inputs)))
    done = 0

    def stopped() -> bool:
        return policy == "stop" and any(item.attempts and not item.success for item in items)

    async def worker() -> None:
        nonlocal done
        for index in queue:
            if stopped():
                return
            items[index] = await _one(run, index, inputs[index], succeeded, retries, backoff)
            done += 1
            if on_progress is not None:
                failed = sum(1 for item in items if item.attempts and not item.success)
                on_progress(BatchProgress(done, len(inputs), failed, items[index]))

    async with asyncio.TaskGroup() as group:
        for _ in range(min(max_concurrency, len(inputs))):
            group.create_task(worker())
    return BatchResult(tuple(items))


async def _one(
    run: Run,
    index: int,
    given: Mapping[str, Any],
    succeeded: Callable[[Any], bool],
    retries: int,
    backoff: float,
) -> BatchItem:
    item = BatchItem(index)
    for attempt in range(1, retries + 2):
        if attempt > 1:
            await asyncio.sleep(backoff * 2.0 ** (attempt - 2))
        try:
            result = await run(given, index, attempt)
        except Exception as error:
            item = BatchItem(index, error=f"{type(error).__name__}: {error}", attempts=attempt)
        else:
            item = BatchItem(index, result, success=succeeded(result), attempts=attempt)
        if item.success:
            break
    return item

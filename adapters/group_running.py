"""Several steps that are due together as one LangGraph task, on threads or asyncio tasks of its own.

LangGraph's cost of a task is then paid once a superstep. What becomes of a step is the same as in a task of its own; one that
asks a person becomes such a task, since LangGraph gives answers to tasks.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.types import Send

from .frontier_channels import AGAIN, DONE, GROUP, STOP, to_runs, token
from .group_rows import Rows
from .langgraph_private import CHECKPOINT_NS, SCRATCHPAD
from .records import Record
from .scope import RunScope

HEAD_START = 0.001
"""Seconds that one thread has for all steps of a group: where they take no time, others would only be in its way."""

Kind = Callable[[Record], str]
Done = tuple[str, Record]


class Group:
    """The steps of one task, by number, and what has become of them. Thread-safe."""

    def __init__(self, steps: Sequence[int], rows: Rows, scope: RunScope) -> None:
        self.steps, self.rows, self.scope = steps, rows, scope
        self.changed = threading.Condition()
        self.waiting, self.running = deque[int](), 0
        self.ended: dict[int, Done] = {}
        self.asked: list[int] = []
        self.error: BaseException | None = None
        self.awaited = False

    def begin(self, names: Mapping[str, int], kept: Mapping[str, Record], tell: Callable[[str, Record], None]) -> None:
        """Take up what an earlier process finished; the others wait for their turn."""
        for name, record in kept.items():
            if names.get(name) in self.steps:
                self.ended[names[name]] = (name, record)
                tell(name, record)
        self.waiting.extend(step for step in self.steps if step not in self.ended)

    def take(self) -> int | None:
        """A step whose turn it is; None when there is no other."""
        with self.changed:
            if not self.waiting:
                return None
            self.running += 1
            return self.waiting.popleft()

    def finished(self, step: int, done: Done | None, error: BaseException | None = None) -> None:
        """Note what became of a step that was taken: its record, or None where it asked; after an error no other begins."""
        with self.changed:
            self.running -= 1
            if error is not None:
                self.error = self.error or error
                self.waiting.clear()
            elif done is None:
                self.asked.append(step)
            else:
                self.ended[step] = done
                self.rows.add(*done)
            if self.awaited or not self.goes_on:
                self.changed.notify_all()

    def wait_for_end(self, seconds: float | None = None) -> bool:
        """Wait until no step runs and none has to; whether that is so."""
        with self.changed:
            return self.changed.wait_for(lambda: not self.goes_on, seconds)

    def wait_for_news(self) -> bool:
        """Wait until a step has ended that is not kept; false when none is left."""
        with self.changed:
            self.awaited = True
            self.changed.wait_for(lambda: self.rows.unsaved or not self.goes_on)
            self.awaited = False
            return self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether any step has still to end."""
        return bool(self.running or self.waiting)

    def writes(self, kind: Kind) -> tuple[dict[str, Record], Send]:
        """What the task writes: the records, and what the scheduler is told."""
        whole = {name: record for _, (name, record) in sorted(self.ended.items())}
        kinds: dict[str, list[int]] = {DONE: [], AGAIN: [], STOP: []}
        for step, (_, record) in sorted(self.ended.items()):
            kinds[kind(record)].append(step)
        return self.rows.rest_of(whole), token(GROUP, sorted(self.asked), *map(to_runs, kinds.values()))


def run_on_threads(group: Group, work: Callable[[int], Done | None], workers: int) -> None:
    """Run the steps; this thread keeps what ends meanwhile. Raises what a step or the saver raised, when all have ended."""
    context = contextvars.copy_context()

    def worker() -> None:
        while (step := group.take()) is not None:
            try:
                done = context.copy().run(work, step)
            except BaseException as error:
                group.finished(step, None, error)
            else:
                group.finished(step, done)

    pool = group.scope.pool(workers)
    try:
        pool.submit(worker)
        if not group.wait_for_end(HEAD_START):
            for _ in range(min(workers - 1, len(group.waiting))):
                pool.submit(worker)
            while group.wait_for_news():
                group.rows.flush()
    finally:
        # Only where this thread was interrupted, or the saver failed, is anything left to wait for.
        group.waiting.clear()
        group.wait_for_end()
    if group.error is not None:
        group.rows.flush()
        raise group.error


async def run_on_loop(group: Group, work: Callable[[int], Any], workers: int | None) -> None:
    """Run the steps; this task keeps what ends meanwhile. A step that raises ends the others, and so does a cancellation."""
    woken = asyncio.Event()

    async def worker() -> None:
        while (step := group.take()) is not None:
            try:
                done = await work(step)
            except BaseException as error:
                group.finished(step, None, error)
                raise
            else:
                group.finished(step, done)
            finally:
                woken.set()

    tasks = [asyncio.create_task(worker()) for _ in range(min(workers or len(group.waiting), len(group.waiting)))]
    try:
        while group.goes_on and group.error is None:
            await woken.wait()
            woken.clear()
            if group.goes_on and group.error is None:
                await group.rows.aflush()
    except BaseException as error:
        await _end(group, tasks)
        if isinstance(error, asyncio.CancelledError):
            await group.rows.aflush()
        raise
    await _end(group, tasks)
    if group.error is not None:
        await group.rows.aflush()
        raise group.error


async def _end(group: Group, tasks: Sequence[asyncio.Task[None]]) -> None:
    if group.goes_on:
        group.waiting.clear()
        for task in tasks:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def workers_of(config: RunnableConfig) -> int:
    """How many steps run at once on threads: LangGraph's own number."""
    return config.get("max_concurrency") or min(32, (os.cpu_count() or 1) + 4)


def config_of(config: RunnableConfig, step: int) -> RunnableConfig:
    """The task's configuration for one step of it: what it asks and which graphs it runs are its own, also when run again."""
    configurable = config.get("configurable", {})
    space, _, task_id = configurable[CHECKPOINT_NS].rpartition(":")
    pad = replace(
        configurable[SCRATCHPAD],
        call_counter=itertools.count().__next__,
        interrupt_counter=itertools.count().__next__,
        subgraph_counter=itertools.count().__next__,
        get_null_resume=_no_answer,
        resume=[],
    )
    own = f"{space}:{uuid5(UUID(task_id), str(step))}"
    return {**config, "configurable": {**configurable, CHECKPOINT_NS: own, SCRATCHPAD: pad}}


def _no_answer(consume: bool = False) -> None:  # noqa: ARG001
    return None

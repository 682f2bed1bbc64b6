"""Decisions are written once, as generators that ask for calls; these two functions carry them out, blocking or not.

The traversals, the node kinds and the loop rules never call a handler themselves, so that sync and async cannot differ.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from .activation import Call, Outcome, aperform, perform
from .scope import RunScope


class Calls(NamedTuple):
    """Handlers to be called at once, at most `limit` at a time; answered by their outcomes in the same order."""

    items: tuple[Call, ...]
    limit: int | None = None


class Ask(NamedTuple):
    """A question to a person; answered by what the person said."""

    node: str
    payload: Any


Answer = Callable[[Ask], Any]
T = TypeVar("T")
Work = Generator[Calls | Ask, Any, T]


def drive(work: Work[T], scope: RunScope, answer: Answer) -> T:
    """Carry a piece of work out on this thread (groups on a few more) and return its result."""
    reply: Any = None
    try:
        while True:
            request = work.send(reply)
            reply = answer(request) if isinstance(request, Ask) else _together(request, scope)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        work.close()


async def adrive(work: Work[T], scope: RunScope, answer: Answer) -> T:
    """Carry a piece of work out on the running loop and return its result."""
    reply: Any = None
    try:
        while True:
            request = work.send(reply)
            reply = answer(request) if isinstance(request, Ask) else await _atogether(request, scope)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        work.close()


def _together(request: Calls, scope: RunScope) -> tuple[Outcome, ...]:
    if len(request.items) == 1:
        return (perform(request.items[0], scope),)
    workers = min(request.limit or len(request.items), len(request.items))
    with ThreadPoolExecutor(workers, thread_name_prefix="graphlift-branch") as pool:
        futures = [pool.submit(contextvars.copy_context().run, perform, call, scope) for call in request.items]
        return tuple(future.result() for future in futures)


async def _atogether(request: Calls, scope: RunScope) -> tuple[Outcome, ...]:
    if len(request.items) == 1:
        return (await aperform(request.items[0], scope),)
    gate = asyncio.Semaphore(request.limit or len(request.items))

    async def one(call: Call) -> Outcome:
        async with gate:
            return await aperform(call, scope)

    tasks = [asyncio.ensure_future(one(call)) for call in request.items]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

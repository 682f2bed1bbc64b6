"""Decisions are written once, as generators that ask for calls; these two functions carry them out, blocking or not.

The traversals, the node kinds and the loop rules never call a handler themselves, so that sync and async cannot differ.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from .activation import Call, Outcome, aperform, is_bubble_up, perform
from .results import NodeStatus
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
        futures = [pool.submit(contextvars.copy_context().run, _branch, call, scope) for call in request.items]
        return tuple(future.result() for future in futures)


def _branch(call: Call, scope: RunScope) -> Outcome:
    try:
        return perform(call, scope)
    except Exception as error:
        return _not_asked(error)


async def _abranch(call: Call, scope: RunScope) -> Outcome:
    try:
        return await aperform(call, scope)
    except Exception as error:
        return _not_asked(error)


def _not_asked(error: Exception) -> Outcome:
    """What becomes of a question inside a group. Raises any other error.

    A resumed task runs from its beginning, so that every other branch would run again; and LangGraph gives answers out in
    the order in which a task asks, which for branches is chance.
    """
    if not is_bubble_up(error):
        raise error
    text = "RuntimeError: a branch of a parallel group cannot ask a person; ask in a node of its own, before or after the group"
    return Outcome(NodeStatus.FAILED, error=text)


async def _atogether(request: Calls, scope: RunScope) -> tuple[Outcome, ...]:
    if len(request.items) == 1:
        return (await aperform(request.items[0], scope),)
    gate = asyncio.Semaphore(request.limit or len(request.items))

    async def one(call: Call) -> Outcome:
        async with gate:
            return await _abranch(call, scope)

    tasks = [asyncio.ensure_future(one(call)) for call in request.items]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

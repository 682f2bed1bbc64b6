"""An asynchronous stream that may be left at any point, closed or not, without leaving anything behind.

A plain asynchronous generator that is not closed ends wherever the garbage collector or the end of the event loop finds it,
and one inside another is then closed twice at once: Python says "asynchronous generator is already running" or "ignored
GeneratorExit", and tasks stay. Here the generators run in one task, which the end of the loop cancels like any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Exchange(Generic[T]):
    """Where the task hands over what it was asked for. It runs no further than that: who does not ask, lets it wait."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        self.asked = asyncio.Event()

    def ask(self) -> asyncio.Future[T | None]:
        self.answer = asyncio.get_running_loop().create_future()
        self.asked.set()
        return self.answer

    async def produce(self, source: AsyncGenerator[T, None]) -> None:
        try:
            async with aclosing(source):
                await self._hand_over(source)
        except Exception as error:
            if self.answer.done():
                raise
            self.answer.set_exception(error)
        finally:
            if not self.answer.done():
                self.answer.cancel()

    async def _hand_over(self, source: AsyncGenerator[T, None]) -> None:
        while True:
            await self.asked.wait()
            self.asked.clear()
            try:
                value = await anext(source)
            except StopAsyncIteration:
                if not self.answer.done():
                    self.answer.set_result(None)
                return
            if not self.answer.done():
                self.answer.set_result(value)


class EventStream(AsyncGenerator[T, None]):
    """What `source` yields (never None), for one consumer. The source begins with the first value that is asked for."""

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        self._source = source
        self._exchange: _Exchange[T] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = False

    async def __anext__(self) -> T:
        if self._ended:
            raise StopAsyncIteration
        if self._exchange is None:
            self._exchange = _Exchange[T]()
            self._task = asyncio.create_task(self._exchange.produce(self._source))
        try:
            value = await self._exchange.ask()
        except BaseException:
            await self.aclose()
            raise
        if value is not None:
            return value
        self._ended = True
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait([task])
        raise StopAsyncIteration

    async def asend(self, value: None) -> T:  # noqa: ARG002  (what every generator has)
        """The next value; there is nothing to send."""
        return await anext(self)

    async def athrow(
        self,
        typ: type[BaseException] | BaseException,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
        /,
    ) -> Any:
        """End the stream with an exception of the consumer's."""
        await self.aclose()
        error = typ if isinstance(typ, BaseException) else val if isinstance(val, BaseException) else typ()
        raise error.with_traceback(tb)

    async def aclose(self) -> None:
        """End the stream, and wait until everything in it has ended. May be called more than once."""
        self._ended = True
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()

    def __del__(self) -> None:
        # Left without being closed: the collector cannot wait, the loop that the task runs on can.
        task: asyncio.Task[None] | None = getattr(self, "_task", None)
        if task is not None and not task.done():
            with suppress(RuntimeError):
                task.get_loop().call_soon_threadsafe(task.cancel)

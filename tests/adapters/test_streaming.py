"""Leaving an asynchronous stream, in every way in which a consumer can, ends the run and leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import GraphWorkflowExecutor, WorkflowError, compile_workflow, parse_workflow
from graphlift.adapters.streaming import EventStream

NAMES = ("a", "b", "c", "z")
FLOW = parse_workflow(
    {
        "style": "dependency",
        "name": "w",
        "steps": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "z", "depends_on": ["a", "b"]}],
    }
)
Make = Callable[[], AsyncGenerator[Any, None]]


class Handlers:
    """`a` ends at once, the others wait until they are cancelled."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []

    async def __call__(self, view: Any) -> str:
        if view.node != "a":
            self.begun.append(view.node)
            try:
                await asyncio.sleep(3600)
            finally:
                self.ended.append(view.node)
        return view.node


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """What Python could only say to nobody: in a finalizer, or in the log of asyncio."""
    found: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: found.append(repr(event.exc_value)))
    caplog.set_level(logging.WARNING, "asyncio")
    yield found
    gc.collect()
    assert found == []
    assert [record for record in caplog.records if record.name == "asyncio"] == []


async def breaks(make: Make) -> None:
    async for _ in make():
        break


async def keeps(make: Make) -> Any:
    stream = make()
    await anext(stream)
    return stream


async def drops(make: Make) -> None:
    stream = make()
    await anext(stream)
    del stream
    gc.collect()
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1


async def raises(make: Make) -> None:
    with suppress(ZeroDivisionError):
        async for _ in make():
            raise ZeroDivisionError


async def closes(make: Make) -> None:
    async with aclosing(make()) as stream:
        await anext(stream)
    assert len(asyncio.all_tasks()) == 1
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def throws(make: Make) -> None:
    stream = make()
    await anext(stream)
    with pytest.raises(ZeroDivisionError):
        await stream.athrow(ZeroDivisionError())
    assert len(asyncio.all_tasks()) == 1


async def is_cancelled(make: Make) -> None:
    async def consume() -> None:
        stream = make()
        await anext(stream)
        waiting.set()
        await anext(stream)

    waiting = asyncio.Event()
    task = asyncio.create_task(consume())
    await waiting.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert len(asyncio.all_tasks()) == 1


async def never_begins(make: Make) -> None:
    make()


@pytest.mark.parametrize(("above", "kept"), [(0, True), (99, False)], ids=["frontier, saver", "edges, no saver"])
@pytest.mark.parametrize("through", ["executor", "compiled"])
@pytest.mark.parametrize(
    "leave", [breaks, keeps, drops, raises, closes, throws, is_cancelled, never_begins], ids=lambda way: way.__name__
)
@pytest.mark.usefixtures("complaints")
def test_leaving(leave: Callable[[Make], Awaitable[Any]], through: str, kept: bool, above: int) -> None:
    work, before = Handlers(), set(threading.enumerate())
    handlers: dict[str, Any] = dict.fromkeys(NAMES, work)
    saver = InMemorySaver() if kept else None
    thread: dict[str, Any] = {"thread_id": "t"} if kept else {}
    executor = GraphWorkflowExecutor(handlers, checkpointer=saver, frontier_above=above)
    compiled = compile_workflow(FLOW, handlers, checkpointer=saver, frontier_above=above)

    def make() -> AsyncGenerator[Any, None]:
        return executor.astream(FLOW, {}, **thread) if through == "executor" else compiled.astream({}, **thread)

    left = asyncio.run(leave(make))  # type: ignore[arg-type]
    del left
    gc.collect()
    assert sorted(work.ended) == sorted(work.begun)
    assert len(work.begun) == (0 if leave is never_begins else 2)
    assert executor.cancel() == 0
    assert [left.name for left in set(threading.enumerate()) - before if "graphlift" in left.name] == []


def test_nothing_runs_ahead_of_its_consumer() -> None:
    ran: list[str] = []
    handlers = {name: lambda view: ran.append(view.node) for name in "ab"}
    flow = parse_workflow(
        {"style": "dependency", "name": "w", "steps": [{"name": "a"}, {"name": "b", "depends_on": ["a"]}]}
    )

    async def consume() -> None:
        async with aclosing(compile_workflow(flow, handlers).astream({})) as stream:
            await anext(stream)
            for _ in range(50):
                await asyncio.sleep(0)
            assert ran == ["a"]

    asyncio.run(consume())


def test_a_refusal_comes_out_where_it_is_waited_for() -> None:
    async def consume() -> None:
        async for _ in compile_workflow(FLOW, dict.fromkeys(NAMES, print)).astream({}, thread_id="t"):
            raise AssertionError("it began")

    with pytest.raises(WorkflowError, match="no checkpointer"):
        asyncio.run(consume())


def test_an_end_stays_an_end() -> None:
    async def two() -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    async def consume() -> tuple[list[int], int, int]:
        stream = EventStream(two())
        values = [value async for value in stream]
        await stream.aclose()
        return values, await anext(stream, -1), len(asyncio.all_tasks())

    assert asyncio.run(consume()) == ([1, 2], -1, 1)

"""One call of a handler, with its retries and time limits, synchronously or not; failures come back as outcomes.

Only the end of the whole run (cancelled, out of time) raises: RunStopped. What had begun then has no outcome.

This is the edge where user code runs. Which call is made, and what its outcome means, is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from .packing import is_plain, pack
from .results import NodeStatus
from .scope import LONGEST, RunScope, RunStopped
from .views import Handler, NodeView, StepOutput, isolate


class Call(NamedTuple):
    """A handler to be called for `node`, with the view that it gets. `timeout` and `backoff` are seconds an attempt."""

    node: str
    handler: Handler
    view: NodeView
    timeout: float | None = None
    retries: int = 0
    backoff: float = 0.0


class Outcome(NamedTuple):
    """How a call ended. `duration` is seconds, retries and waits between them included."""

    status: NodeStatus
    output: Any = None
    error: str | None = None
    duration: float = 0.0
    tool_calls: int = 0
    attempts: int = 1
    metadata: Mapping[str, Any] = MappingProxyType({})

    @property
    def success(self) -> bool:
        """Whether the handler returned."""
        return self.status is NodeStatus.COMPLETED


def error_text(error: BaseException) -> str:
    """How errors read in results: the type's name and the message."""
    message = str(error)
    name = "CancelledError" if isinstance(error, FutureCancelled) else type(error).__name__
    return f"{name}: {message}" if message else name


def perform(call: Call, scope: RunScope) -> Outcome:
    """Make the call and wait for it; a coroutine runs on the scope's loop."""
    started = time.perf_counter()
    for attempt in range(1, call.retries + 2):
        _go_on(scope)
        try:
            return _kept(_returned(_attempt(call, scope), started, attempt), call, scope)
        except (asyncio.CancelledError, FutureCancelled) as error:
            _go_on(scope)
            return _failed(error, started, attempt, NodeStatus.CANCELLED)
        except Exception as error:
            outcome = _caught(error, call, started, attempt)
        if outcome is not None:
            return outcome
        scope.cancelled.wait(_pause(call, scope, attempt))
    raise AssertionError("the last attempt always returns")


async def aperform(call: Call, scope: RunScope) -> Outcome:
    """Make the call without blocking the loop; a synchronous handler runs on a thread of its own."""
    started = time.perf_counter()
    for attempt in range(1, call.retries + 2):
        _go_on(scope)
        try:
            with scope.interruptible():
                return _kept(_returned(await _aattempt(call, scope), started, attempt), call, scope)
        except (asyncio.CancelledError, FutureCancelled) as error:
            if _is_cancelled_from_outside():
                raise
            return _failed(error, started, attempt, NodeStatus.CANCELLED)
        except Exception as error:
            outcome = _caught(error, call, started, attempt)
        if outcome is not None:
            return outcome
        with scope.interruptible():
            await asyncio.sleep(_pause(call, scope, attempt))
    raise AssertionError("the last attempt always returns")


def _go_on(scope: RunScope) -> None:
    reason = scope.stopped()
    if reason:
        raise RunStopped(reason)


def _is_cancelled_from_outside() -> bool:
    # A handler that raises CancelledError by itself must not read as a cancelled run, nor as a finished one.
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _limit(call: Call, scope: RunScope) -> float | None:
    remaining = scope.remaining()
    if call.timeout is None or remaining is None:
        return remaining if call.timeout is None else call.timeout
    return min(call.timeout, remaining)


def _attempt(call: Call, scope: RunScope) -> Any:
    limit = _limit(call, scope)
    if limit is None:
        value = call.handler(call.view)
        return scope.wait_for(_awaited(value)) if inspect.isawaitable(value) else value
    deadline = time.monotonic() + limit
    if not is_async(call.handler):
        value = _bounded(scope, call, on_thread(call.handler, call.view), limit)
        if not inspect.isawaitable(value):
            return value
        limit = max(0.0, deadline - time.monotonic())
    else:
        value = call.handler(call.view)
    return scope.wait_for(_within(_awaited(value), call, scope, limit))


def _bounded(scope: RunScope, call: Call, future: Future[Any], limit: float) -> Any:
    try:
        return scope.result_of(future, limit)
    except TimeoutError as error:
        if future.done() and not future.cancelled():
            raise
        future.cancel()
        raise _too_long(call, scope) from error


async def _aattempt(call: Call, scope: RunScope) -> Any:
    limit = _limit(call, scope)
    work = _awaited(call.handler(call.view)) if is_async(call.handler) else _from_thread(call)
    return await (work if limit is None else _within(work, call, scope, limit))


async def _from_thread(call: Call) -> Any:
    value = await asyncio.wrap_future(on_thread(call.handler, call.view))
    return await value if inspect.isawaitable(value) else value


async def _within(work: Any, call: Call, scope: RunScope, limit: float) -> Any:
    timer = asyncio.timeout(limit)
    try:
        async with timer:
            return await work
    except TimeoutError as error:
        if not timer.expired():
            raise
        raise _too_long(call, scope) from error


async def _awaited(value: Any) -> Any:
    return await value


class StepTimeoutError(TimeoutError):
    """An attempt took longer than the step's limit."""


def _too_long(call: Call, scope: RunScope) -> Exception:
    reason = scope.stopped()
    return RunStopped(reason) if reason else StepTimeoutError(f"step {call.node!r} took longer than {call.timeout:g} s")


def on_thread(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Call a function on a new daemon thread, in a copy of this context.

    Not a pool's thread: a handler that outlives its limit would keep the pool's slot, and the process, for itself.
    """
    future: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        # The future is never set to running, so that whoever waits for it can be let go while the function still runs.
        with suppress(InvalidStateError):
            try:
                value = context.run(function, *arguments)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(value)

    threading.Thread(target=work, name="graphlift-handler", daemon=True).start()
    return future


def is_async(handler: object) -> bool:
    """Whether calling the handler gives a coroutine (decided without calling it)."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None))  # noqa: B004


def _returned(value: Any, started: float, attempt: int) -> Outcome:
    seconds = time.perf_counter() - started
    if not isinstance(value, StepOutput):
        return Outcome(NodeStatus.COMPLETED, isolate(value), None, seconds, 0, attempt)
    tools, metadata = value.tool_calls_used, value.metadata
    return Outcome(NodeStatus.COMPLETED, isolate(value.output), None, seconds, tools, attempt, metadata)


def _kept(outcome: Outcome, call: Call, scope: RunScope) -> Outcome:
    """The outcome, failed where the run's checkpoints could not hold it: LangGraph's own error would not name the step."""
    if scope.serializer is None or (is_plain(outcome.output) and is_plain(dict(outcome.metadata))):
        return outcome
    try:
        scope.serializer.dumps_typed([pack(outcome.output), pack(dict(outcome.metadata))])
    except Exception as error:
        text = f"{type(error).__name__}: what {call.node!r} returned cannot be kept in a checkpoint: {error}"
        return Outcome(NodeStatus.FAILED, error=text, duration=outcome.duration, attempts=outcome.attempts)
    return outcome


def _caught(error: Exception, call: Call, started: float, attempt: int) -> Outcome | None:
    """The outcome of a failed attempt, or None when there is another one. Raises what only passes through."""
    if isinstance(error, RunStopped) or is_bubble_up(error):
        raise error
    if attempt <= call.retries:
        return None
    return _failed(error, started, attempt, NodeStatus.FAILED)


def is_bubble_up(error: BaseException) -> bool:
    """Whether LangGraph uses this exception for control flow (an interrupt). Does not import LangGraph."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, errors.GraphBubbleUp)


def _failed(error: BaseException, started: float, attempt: int, status: NodeStatus) -> Outcome:
    text = "TimeoutError: " + str(error) if isinstance(error, StepTimeoutError) else error_text(error)
    return Outcome(status, error=text, duration=time.perf_counter() - started, attempts=attempt)


def _pause(call: Call, scope: RunScope, attempt: int) -> float:
    remaining = scope.remaining()
    return min(call.backoff * 2.0 ** (attempt - 1), LONGEST, LONGEST if remaining is None else remaining)

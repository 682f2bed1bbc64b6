"""Which run an activation belongs to, when the handlers are shared by all runs of one executor.

Handlers are wrapped once, where they stand. A wrapper looks for its run in the context of the call, which coroutines and tasks
inherit. A thread of the executor's own has no such context; there the run is known only while no other is served.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from ..seeing import default_node, default_sees, node_of_view
from ..tap import Tap
from .mirror import Serving

Function = Callable[..., Any]


class Attribution:
    """The runs that are served now, and the handlers whose activations are attributed to them."""

    def __init__(self) -> None:
        self._current: ContextVar[Serving | None] = ContextVar("graphlift_shadow", default=None)
        self._served: set[Serving] = set()
        self._lock = threading.Lock()

    @contextmanager
    def inside(self, serving: Serving) -> Iterator[None]:
        """What is called inside, in this context, belongs to the run."""
        token = self._current.set(serving)
        try:
            yield
        finally:
            # A stream that is left may be closed in another context, by the event loop or the garbage collector.
            with suppress(ValueError):
                self._current.reset(token)

    def begins(self, serving: Serving) -> None:
        """The run is served."""
        with self._lock:
            self._served.add(serving)

    def ends(self, serving: Serving) -> None:
        """It is not any more."""
        with self._lock:
            self._served.discard(serving)

    def wrap_registry(self, handlers: MutableMapping[str, Any]) -> None:
        """Wrap every callable of a mapping in place; what is wrapped already stays, so that new ones can be added later."""
        for name, handler in list(handlers.items()):
            if callable(handler) and not self._is_ours(handler):
                handlers[name] = self.wrapped(functools.partial(node_of_view, str(name)), handler)

    def wrap_methods(self, owner: Any, names: tuple[str, ...]) -> None:
        """Wrap methods of one object in place; the first argument, or its name, names the node."""
        for name in names:
            if not self._is_ours(getattr(owner, name)):
                setattr(owner, name, self.wrapped(default_node, getattr(owner, name)))

    def wrapped(self, node: Callable[..., str], function: Function) -> Function:
        """The function, seen by the run that calls it; a coroutine function when it is one."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def acall(*args: Any, **kwargs: Any) -> Any:
                serving = self._serving()
                if serving is None:
                    return await function(*args, **kwargs)
                return await _finished(
                    serving.tap, _arrived(serving.tap, node, args, kwargs), function(*args, **kwargs)
                )

            return self._ours(acall)

        @functools.wraps(function, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            serving = self._serving()
            if serving is None:
                return function(*args, **kwargs)
            return _called(serving.tap, _arrived(serving.tap, node, args, kwargs), function, args, kwargs)

        return self._ours(call)

    def unwrapped(self, function: Function) -> Function:
        """The handler itself."""
        original: Function = vars(function)["__wrapped__"] if self._is_ours(function) else function
        return original

    def _ours(self, call: Function) -> Function:
        vars(call)["__graphlift_shadow__"] = self
        return call

    def _is_ours(self, function: Any) -> bool:
        return getattr(function, "__graphlift_shadow__", None) is self

    def _serving(self) -> Serving | None:
        """The sampled run that this call belongs to."""
        serving = self._current.get() or self._only_one()
        return serving if serving is not None and serving.sampled else None

    def _only_one(self) -> Serving | None:
        """The run of a call without a context: the only one that is served, and not on a loop, where a context is never lost."""
        if not self._served or _is_on_a_loop():
            return None
        with self._lock:
            served = list(self._served)
        if len(served) == 1:
            return served[0]
        for serving in served:
            serving.doubt()
        return None


def _arrived(tap: Tap, node: Callable[..., str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return tap.began(node(*args, **kwargs), default_sees(args, kwargs))


def _called(tap: Tap, opened: Any, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        returned = function(*args, **kwargs)
    except BaseException as error:
        tap.ended(opened, error=error)
        raise
    if inspect.isawaitable(returned):
        return _finished(tap, opened, returned)
    tap.ended(opened, returned)
    return returned


async def _finished(tap: Tap, opened: Any, awaitable: Awaitable[Any]) -> Any:
    try:
        returned = await awaitable
    except BaseException as error:
        tap.ended(opened, error=error)
        raise
    tap.ended(opened, returned)
    return returned


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

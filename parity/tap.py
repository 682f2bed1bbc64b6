"""The tap: wraps node handlers so that every call becomes an activation of the trace.

A wrapped handler keeps its signature, whether it is a coroutine function, what it returns and what it raises.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import random
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .model import Activation, Handlers
from .values import Value

T = TypeVar("T")
View = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def first_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a handler saw, unless an engine says otherwise: its first argument, a context by its `data`."""
    seen = args[0] if args else kwargs
    if not isinstance(seen, Mapping) and isinstance(getattr(seen, "data", None), Mapping):
        results = getattr(seen, "results", None)
        return {"data": seen.data, "results": results} if isinstance(results, Mapping) else seen.data
    return seen


class Tap:
    """Records the activations of one run. `handlers` are the case's, already wrapped; `seed` permutes completion orders.

    With a seed, an asynchronous handler gives way to its siblings a seeded number of times before it returns, so that two
    runs see different completion orders; a difference that this makes is not one between the engines.
    """

    def __init__(
        self, handlers: Handlers | None = None, *, seed: int | None = None, view: View = first_argument
    ) -> None:
        self._lock = threading.Lock()
        self._clock = 0
        self._open: dict[int, Activation] = {}
        self._done: list[Activation] = []
        self._counts: dict[str, int] = {}
        self._random = random.Random(seed) if seed is not None else None  # noqa: S311
        self._view = view
        self.handlers: dict[str, Callable[..., Any]] = self.registry(handlers or {})

    def registry(self, handlers: Handlers) -> dict[str, Callable[..., Any]]:
        """Every callable of a registry, wrapped under its name."""
        return {name: self.wrap(name, handler) for name, handler in handlers.items()}

    def methods(self, target: object, names: Mapping[str, str]) -> None:
        """Replace methods of an object by wrapped ones, on the object only: method name to node name."""
        for method, node in names.items():
            setattr(target, method, self.wrap(node, getattr(target, method)))

    def wrap(self, node: str, handler: Callable[..., T], *, view: View | None = None) -> Callable[..., T]:
        """One handler, wrapped. `view` says what of its arguments it sees."""
        look = view or self._view
        wrapped: Any = (
            self._wrap_async(node, handler, look) if _is_async(handler) else self._wrap_sync(node, handler, look)
        )
        result: Callable[..., T] = functools.update_wrapper(wrapped, handler)
        return result

    def trace(self) -> tuple[Activation, ...]:
        """The activations so far, in the order in which they began; those that never ended included."""
        with self._lock:
            return tuple(sorted([*self._done, *self._open.values()], key=lambda item: item.begin))

    def _wrap_sync(self, node: str, handler: Callable[..., Any], look: View) -> Callable[..., Any]:
        def tapped(*args: Any, **kwargs: Any) -> Any:
            began = self._begin(node, look(args, kwargs))
            try:
                value = handler(*args, **kwargs)
            except BaseException as error:
                self._end(began, look(args, kwargs), raised=_error(error))
                raise
            if inspect.isawaitable(value):
                return self._finish_later(began, look, args, kwargs, value)
            self._end(began, look(args, kwargs), returned=Value.of(value))
            return value

        return tapped

    def _wrap_async(self, node: str, handler: Callable[..., Any], look: View) -> Callable[..., Any]:
        async def tapped(*args: Any, **kwargs: Any) -> Any:
            began = self._begin(node, look(args, kwargs))
            return await self._finish_later(began, look, args, kwargs, handler(*args, **kwargs))

        return tapped

    async def _finish_later(self, began: Activation, look: View, args: Any, kwargs: Any, value: Any) -> Any:
        try:
            result = await value
            for _ in range(self._random.randrange(4) if self._random else 0):
                await asyncio.sleep(0)
        except BaseException as error:
            self._end(began, look(args, kwargs), raised=_error(error))
            raise
        self._end(began, look(args, kwargs), returned=Value.of(result))
        return result

    def _begin(self, node: str, seen: Any) -> Activation:
        saw = Value.of(seen)
        with self._lock:
            ordinal = self._counts.get(node, 0)
            self._counts[node] = ordinal + 1
            activation = Activation(node, ordinal, self._tick(), None, saw)
            self._open[activation.begin] = activation
        return activation

    def _end(self, began: Activation, seen: Any, *, returned: Value | None = None, raised: str | None = None) -> None:
        mutated = Value.of(seen).digest != began.saw.digest
        with self._lock:
            self._open.pop(began.begin, None)
            end = self._tick()
            done = Activation(began.node, began.ordinal, began.begin, end, began.saw, returned, raised, mutated)
            self._done.append(done)

    def _tick(self) -> int:
        self._clock += 1
        return self._clock


def _is_async(handler: object) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None))  # noqa: B004


def _error(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

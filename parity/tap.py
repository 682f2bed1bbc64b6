"""The tap: wraps node handlers so that every call becomes an activation of the trace.

A wrapped handler keeps its signature, whether it is a coroutine function, what it returns and what it raises.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..adapters.views import NodeView
from .model import Activation, Handlers
from .values import Value, error_text

T = TypeVar("T")
View = Callable[[tuple[Any, ...], dict[str, Any]], Any]
Node = str | Callable[..., str]
Journal = Callable[[Activation], None]
HELD = 0.003
"""Seconds that a held tap keeps each activation open: long enough for one that was started beside it to begin."""


def first_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a handler saw, unless an engine says otherwise: its first argument, a context by its `data`."""
    seen = args[0] if args else kwargs
    if isinstance(seen, NodeView):
        return {"data": seen.data, "results": seen.results, "status": seen.status, "iteration": seen.iteration}
    if not isinstance(seen, Mapping) and isinstance(getattr(seen, "data", None), Mapping):
        results = getattr(seen, "results", None)
        return {"data": seen.data, "results": results} if isinstance(results, Mapping) else seen.data
    return seen


class Tap:
    """Records the activations of one run. `handlers` are the case's, already wrapped; `seed` permutes completion orders.

    With a seed, an asynchronous handler gives way to its siblings a seeded number of times before it returns, so that two
    runs see different completion orders; a difference that this makes is not one between the engines. A `held` tap keeps
    every activation open for a moment, so that what an engine starts at once is seen to overlap. `journal` is told of every
    activation when it begins and again when it ends, one at a time.
    """

    def __init__(
        self,
        handlers: Handlers | None = None,
        *,
        seed: int | None = None,
        view: View = first_argument,
        held: bool = False,
        journal: Journal | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._clock = 0
        self._open: dict[int, Activation] = {}
        self._done: list[Activation] = []
        self._counts: dict[str, int] = {}
        self._random = random.Random(seed) if seed is not None else None  # noqa: S311
        self._view, self._held, self._journal = view, held, journal
        self.handlers: dict[str, Callable[..., Any]] = self.registry(handlers or {})

    def registry(self, handlers: Handlers) -> dict[str, Callable[..., Any]]:
        """A registry with every callable wrapped under its name; what is not callable stays as it is.

        A handler that is given a `NodeView` is recorded under the view's node, since one handler may serve several.
        """
        return {
            name: self.wrap(functools.partial(_node_of, name), handler) if callable(handler) else handler
            for name, handler in handlers.items()
        }

    def methods(self, target: object, names: Mapping[str, str]) -> None:
        """Replace methods of an object by wrapped ones, on the object only: method name to node name."""
        for method, node in names.items():
            setattr(target, method, self.wrap(node, getattr(target, method)))

    def wrap(self, node: Node, handler: Callable[..., T], *, view: View | None = None) -> Callable[..., T]:
        """One handler, wrapped. `node` is its node, or says it from the call's arguments; `view` says what it sees."""
        look = view or self._view
        named = node if callable(node) else functools.partial(_constant, node)
        wrapped: Any = (
            self._wrap_async(named, handler, look) if _is_async(handler) else self._wrap_sync(named, handler, look)
        )
        result: Callable[..., T] = functools.update_wrapper(wrapped, handler)
        return result

    def trace(self) -> tuple[Activation, ...]:
        """The activations so far, in the order in which they began; those that never ended included."""
        with self._lock:
            return tuple(sorted([*self._done, *self._open.values()], key=lambda item: item.begin))

    def _wrap_sync(self, node: Callable[..., str], handler: Callable[..., Any], look: View) -> Callable[..., Any]:
        def tapped(*args: Any, **kwargs: Any) -> Any:
            began = self._begin(node(*args, **kwargs), look(args, kwargs))
            try:
                value = handler(*args, **kwargs)
                if inspect.isawaitable(value):
                    return self._finish_later(began, look, args, kwargs, value)
                if self._held:
                    time.sleep(HELD)
            except BaseException as error:
                self._end(began, look(args, kwargs), raised=error_text(error))
                raise
            self._end(began, look(args, kwargs), returned=Value.of(value))
            return value

        return tapped

    def _wrap_async(self, node: Callable[..., str], handler: Callable[..., Any], look: View) -> Callable[..., Any]:
        async def tapped(*args: Any, **kwargs: Any) -> Any:
            began = self._begin(node(*args, **kwargs), look(args, kwargs))
            return await self._finish_later(began, look, args, kwargs, handler(*args, **kwargs))

        return tapped

    async def _finish_later(self, began: Activation, look: View, args: Any, kwargs: Any, value: Any) -> Any:
        try:
            result = await value
            if self._held:
                await asyncio.sleep(HELD)
            for _ in range(self._turns()):
                await asyncio.sleep(0)
        except BaseException as error:
            self._end(began, look(args, kwargs), raised=error_text(error))
            raise
        self._end(began, look(args, kwargs), returned=Value.of(result))
        return result

    def _turns(self) -> int:
        with self._lock:
            return 1 + self._random.randrange(3) if self._random else 0

    def _begin(self, node: str, seen: Any) -> Activation:
        saw = Value.of(seen)
        with self._lock:
            ordinal = self._counts.get(node, 0)
            self._counts[node] = ordinal + 1
            activation = Activation(node, ordinal, self._tick(), None, saw)
            self._open[activation.begin] = activation
            if self._journal:
                self._journal(activation)
        return activation

    def _end(self, began: Activation, seen: Any, *, returned: Value | None = None, raised: str | None = None) -> None:
        mutated = Value.of(seen).digest != began.saw.digest
        with self._lock:
            self._open.pop(began.begin, None)
            done = replace(began, end=self._tick(), returned=returned, raised=raised, mutated=mutated)
            self._done.append(done)
            if self._journal:
                self._journal(done)

    def _tick(self) -> int:
        self._clock += 1
        return self._clock


def _constant(node: str, *_args: Any, **_kwargs: Any) -> str:
    return node


def _node_of(name: str, *args: Any, **_kwargs: Any) -> str:
    return args[0].node if args and isinstance(args[0], NodeView) else name


def _is_async(handler: object) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None))  # noqa: B004

"""Taps: how an engine lets the gate see each activation of a node. Engines wrap what they call; nothing of theirs changes.

A tap sees one run. Every wrapped call is an activation: what it saw, what it returned or raised, whether it changed its
input in place, and its begin and end on the run's one clock of sequence numbers (so: what happened before what). Each is
told to the journal as it happens, so that a run that is killed has a trace up to that moment.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ..adapters.errors import UsageError
from .plain import error_text
from .recorded import KEEP, Value, record
from .seeing import NodeName, Sees, default_node, default_sees, node_of_view
from .supersteps import current_superstep

T = TypeVar("T")
Journal = Callable[[dict[str, Any]], None]
NOTHING = record(None)


class Turns(Protocol):
    """Decides when an activation may run, to permute completion orders; see `schedule`."""

    def enter(self, key: str) -> None:
        """Wait on a thread until the activation may run."""
        ...

    async def aenter(self, key: str) -> None:
        """Wait on the running loop until the activation may run."""
        ...

    def leave(self, key: str) -> None:
        """The activation has ended."""
        ...


class Replacement(Protocol):
    """Answers an activation instead of its handler (a stub, a cassette); see `stubs` and `cassette`."""

    def answer(self, node: str, ordinal: int, saw: Value, seen: Any) -> Callable[[], Any] | None:
        """A function that returns or raises in the handler's place; None lets the handler run."""
        ...

    def note(self, node: str, ordinal: int, saw: Value, returned: Any, raised: BaseException | None) -> None:
        """The handler itself ran and ended like this."""
        ...


@dataclass
class _Open:
    node: str
    ordinal: int
    arrived: int
    seen: Any
    saw: Value
    opaque: set[str]

    @property
    def key(self) -> str:
        return f"{self.node}#{self.ordinal + 1}"


class Tap:
    """The eyes of one run. `handlers` are the case's, already wrapped.

    `journal` gets one JSON-able dict for each begin and end of an activation.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        turns: Turns | None = None,
        replacement: Replacement | None = None,
        normalise: Callable[[Any], Any] | None = None,
        keep: int = KEEP,
    ) -> None:
        self._journal, self._turns, self._replacement, self._keep = journal, turns, replacement, keep
        self._normalise = normalise or (lambda value: value)
        self._lock = threading.Lock()
        self._clock = itertools.count(1)
        self._ordinals: Counter[str] = Counter()
        self._running = 0
        self.wrapped = 0
        self.handlers: dict[str, Callable[..., Any]] = {}
        self.activated = False
        self.overlapped = False

    def wrap(self, node: NodeName, function: Callable[..., Any], *, sees: Sees | None = None) -> Callable[..., Any]:
        """`function`, seen. `node` is the node's name, or a function of the call's arguments that gives it.

        `sees` gives, from the call's arguments, what the node sees; it must give the same form under both engines. By
        default that is a `NodeView`'s content, or every argument that is data (services and other objects are left out).
        The wrapper is a coroutine function exactly when `function` is one.
        """
        self.wrapped += 1
        name = node if callable(node) else functools.partial(_constant, node)
        see = sees or default_sees
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
            return self._wrap_async(name, function, see)
        return self._wrap_sync(name, function, see)

    def registry(self, handlers: Mapping[str, T], *, sees: Sees | None = None) -> dict[str, T]:
        """A copy of a mapping of handlers by name, each callable in it wrapped; other values stay as they are.

        An activation belongs to the node that the handler's `NodeView` names; else the handler's name is the node's.
        """
        wrapped: dict[str, Any] = {}
        for name, handler in handlers.items():
            named = functools.partial(node_of_view, name)
            wrapped[name] = self.wrap(named, handler, sees=sees) if callable(handler) else handler
        return wrapped

    def methods(self, owner: T, names: Iterable[str], *, node: NodeName | None = None, sees: Sees | None = None) -> T:
        """Wrap methods of one object in place, for walkers that run each kind of node in a method of their own.

        `node` names the node from the call's arguments; by default it is the first argument, if that is a text, or its
        `id`, `name`, `node_id` or `node`. Returns `owner`.
        """
        for name in names:
            setattr(owner, name, self.wrap(node or default_node, getattr(owner, name), sees=sees))
        return owner

    def began(self, node: str, seen: Any) -> Any:
        """An activation that is only told of, by an engine's stream, say; what this gives is for `ended`.

        Raises UsageError where a stub or a recording must answer: what already runs cannot be answered for.
        """
        if self._replacement is not None:
            raise UsageError(
                f"{node} was told of while it ran, so its stub or recording cannot answer for it",
                mend="wrap its handler with the tap, or leave `stubs` and `recorded` out of the case",
            )
        self.wrapped += 1
        opened = self._arrive(node, seen)
        self._begin(opened)
        return opened

    def ended(self, opened: Any, returned: Any = None, error: BaseException | None = None) -> None:
        """The end of an activation that `began` told of."""
        self._end(opened, returned, error, answered=False)

    def close(self) -> None:
        """The run is over. What still goes on, on a thread that nobody waited for, is not told: the journal may be another run's now."""
        with self._lock:
            self._journal = _nowhere

    def _wrap_sync(self, name: Callable[..., str], function: Callable[..., Any], see: Sees) -> Callable[..., Any]:
        @functools.wraps(function, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            opened = self._arrive(name(*args, **kwargs), see(args, kwargs))
            try:
                if self._turns:
                    self._turns.enter(opened.key)
                answer = self._begin(opened)
                returned = answer() if answer else function(*args, **kwargs)
            except BaseException as error:
                self._end(opened, None, error, answered=False)
                raise
            if inspect.isawaitable(returned):
                return self._finish_later(opened, returned)
            self._end(opened, returned, None, answered=answer is not None)
            return returned

        return call

    def _wrap_async(self, name: Callable[..., str], function: Callable[..., Any], see: Sees) -> Callable[..., Any]:
        @functools.wraps(function, updated=())
        async def call(*args: Any, **kwargs: Any) -> Any:
            opened = self._arrive(name(*args, **kwargs), see(args, kwargs))
            try:
                if self._turns:
                    await self._turns.aenter(opened.key)
                answer = self._begin(opened)
                returned = answer() if answer else await function(*args, **kwargs)
            except BaseException as error:
                self._end(opened, None, error, answered=False)
                raise
            self._end(opened, returned, None, answered=answer is not None)
            return returned

        return call

    async def _finish_later(self, opened: _Open, awaitable: Any) -> Any:
        try:
            returned = await awaitable
        except BaseException as error:
            self._end(opened, None, error, answered=False)
            raise
        self._end(opened, returned, None, answered=False)
        return returned

    def _arrive(self, node: str, seen: Any) -> _Open:
        with self._lock:
            ordinal = self._ordinals[node]
            self._ordinals[node] += 1
            self._running += 1
            self.activated = True
            self.overlapped |= self._running > 1
            return _Open(node, ordinal, next(self._clock), seen, NOTHING, set())

    def _begin(self, opened: _Open) -> Callable[[], Any] | None:
        """What it sees is recorded when its turn has come: only then does its body look."""
        self._tell_begin(opened)
        if self._replacement is None:
            return None
        return self._replacement.answer(opened.node, opened.ordinal, opened.saw, opened.seen)

    def _tell_begin(self, opened: _Open) -> None:
        opened.saw = record(self._normalise(opened.seen), opened.opaque, self._keep)
        line = {"on": "begin", "node": opened.node, "ordinal": opened.ordinal, "at": opened.arrived}
        if (superstep := current_superstep()) is not None:
            line["superstep"] = superstep
        with self._lock:
            self._journal({**line, "saw": opened.saw.to_json()})

    def _end(self, opened: _Open, returned: Any, error: BaseException | None, *, answered: bool) -> None:
        if opened.saw is NOTHING:
            # Cancelled before its turn came: the engine had started it, and only the turns kept its body from beginning.
            self._tell_begin(opened)
        after = record(self._normalise(opened.seen), opened.opaque, self._keep)
        told = None if error is not None else record(self._normalise(returned), opened.opaque, self._keep)
        if self._replacement is not None and not answered:
            self._replacement.note(opened.node, opened.ordinal, opened.saw, returned, error)
        if self._turns:
            self._turns.leave(opened.key)
        with self._lock:
            self._running -= 1
            self._journal(
                {
                    "on": "end",
                    "node": opened.node,
                    "ordinal": opened.ordinal,
                    "at": next(self._clock),
                    "returned": told and told.to_json(),
                    "raised": _raised(error),
                    "mutated": changed_paths(opened.saw, after),
                    "opaque": sorted(opened.opaque),
                }
            )


def changed_paths(before: Value, after: Value) -> list[str]:
    """The dotted paths at which two recordings of one input differ, the deepest that are known; empty when equal."""
    if before.digest == after.digest:
        return []
    one, other = before.parts, after.parts
    paths = [path for path in sorted({*one, *other}) if one.get(path) != other.get(path)]
    deepest = [path for path in paths if not any(len(p) > len(path) and p[: len(path)] == path for p in paths)]
    return [".".join(path) for path in deepest] or ["."]


def _raised(error: BaseException | None) -> str | None:
    return None if error is None else error_text(error)


def _nowhere(line: dict[str, Any]) -> None:
    """A journal that nobody keeps."""


def _constant(value: Any, *_args: Any, **_kwargs: Any) -> Any:
    return value

"""`Shadow`: stands where the walker stood, serves with it, and lets the candidate replay each run beside it."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...adapters.errors import UsageError
from ..case import Case
from ..outcome import Outcome
from ..reading import outcome_of
from ..rule import Rule
from .attributing import Attribution
from .budget import Budget
from .calls import CaseOf, arguments_of, case_of_call, engine_of, registry_of, signature_of
from .mirror import Mirror
from .runs import Run
from .sinks import Sink

ENTRIES = ("__call__", "aexecute", "arun", "astream", "execute", "execute_sync", "run", "run_sync", "stream")
"""Methods that run a workflow, where the legacy executor has them."""
_LOG = logging.getLogger("graphlift.shadow")


class Shadow:
    """A drop-in for the executor `legacy`: the same calls, results, exceptions and attributes, with `candidate` beside it.

    `candidate` replays what the handlers answered: an engine of the gate, a `GraphWorkflowExecutor`, or a function of the case
    and its handlers. Where the legacy executor calls its nodes is seen at `handlers`, the name of its attribute that maps
    names to callables (found by itself where there is only one), or at its `methods` that run a node each. Both are wrapped in
    place and stay what they are for everybody else. `entries` are its methods that run a workflow; `case` makes a case of such a
    call. Everything else is as in `Mirror`, which is at `mirror` with its counts.

    A legacy executor that runs handlers on threads of its own is seen while it serves one run at a time; runs that overlap there
    are counted as unattributed. A stream is compared when it was read to its end, by the last item's `result`.
    Raises UsageError where nothing could be seen.
    """

    mirror: Mirror

    def __init__(
        self,
        legacy: Any,
        candidate: Any,
        *,
        sinks: Sequence[Sink],
        handlers: str | None = None,
        methods: Sequence[str] = (),
        entries: Sequence[str] = ENTRIES,
        case: CaseOf = case_of_call,
        read: Callable[[Any], Outcome] = outcome_of,
        rules: Sequence[Rule] | None = None,
        budget: Budget | None = None,
        seed: int | None = None,
    ) -> None:
        engine = engine_of(candidate, read)
        mirror = Mirror(engine, sinks=sinks, read=read, rules=rules, budget=budget, seed=seed)
        calls = _Calls(mirror, legacy, case, handlers, tuple(methods))
        known = [name for name in entries if callable(getattr(legacy, name, None))]
        if not known:
            raise UsageError(
                f"{type(legacy).__name__} has none of the methods {', '.join(entries)}",
                mend="name those that run: entries=(…)",
            )
        for name, value in (("mirror", mirror), ("_calls", calls), ("_legacy", legacy), ("_entries", frozenset(known))):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in ("mirror", "_calls", "_legacy", "_entries"):  # not made yet, as in a copy
            raise AttributeError(name)
        found = getattr(self._legacy, name)
        return self._calls.seen(name, found) if name in self._entries else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._legacy, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._legacy, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._legacy), "mirror"})

    def __repr__(self) -> str:
        return f"<Shadow of {self._legacy!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the legacy executor, where it can be called."""
        return self._calls.seen("__call__", self._legacy)(*args, **kwargs)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        # `isinstance(executor, Walker)` is what a team's code may ask.
        return type(self._legacy)


class _Calls:
    """The calls of one legacy executor."""

    def __init__(
        self, mirror: Mirror, legacy: Any, case: CaseOf, handlers: str | None, methods: tuple[str, ...]
    ) -> None:
        self._mirror, self._legacy, self._case = mirror, legacy, case
        self._registry, self._methods = registry_of(legacy, handlers), methods
        self._attribution = Attribution()
        self._signatures: dict[str, inspect.Signature | None] = {}
        if self._registry is None and not methods:
            raise UsageError(
                f"{type(legacy).__name__} has no mapping of callables to see its nodes at",
                mend="name the attribute that holds them (handlers='…'), or the methods that run a node (methods=…)",
            )
        self._wrap()

    def _wrap(self) -> None:
        if self._registry is not None:
            self._attribution.wrap_registry(self._registry)
        self._attribution.wrap_methods(self._legacy, self._methods)

    def seen(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A method that runs a workflow, each call of it a run that is shadowed."""
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004

            @functools.wraps(function, updated=())
            async def acall(*args: Any, **kwargs: Any) -> Any:
                run = self._begin(name, function, args, kwargs)
                return await run.awaited(function(*args, **kwargs))

            return acall

        @functools.wraps(function, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            return _served(self._begin(name, function, args, kwargs), functools.partial(function, *args, **kwargs))

        return call

    def _begin(self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Run:
        """Nothing that goes wrong here is the caller's business."""
        serving, case = self._mirror.open(), None
        try:
            if serving.sampled:
                self._wrap()
                case = self._with_handlers(
                    self._case(name, arguments_of(self._signature(name, function), args, kwargs))
                )
        except Exception:
            _LOG.exception("a call of %s cannot be shadowed", name)
        return Run(self._mirror, self._attribution, serving, case)

    def _signature(self, name: str, function: Callable[..., Any]) -> inspect.Signature | None:
        if name not in self._signatures:
            self._signatures[name] = signature_of(function)
        return self._signatures[name]

    def _with_handlers(self, case: Case | None) -> Case | None:
        if case is None:
            return None
        if case.handlers or self._registry is None:
            return case
        return replace(case, handlers={key: self._attribution.unwrapped(each) for key, each in self._registry.items()})


def _served(run: Run, call: Callable[[], Any]) -> Any:
    try:
        with run.inside():
            returned = call()
    except BaseException as error:
        run.raised(error)
        raise
    if isinstance(returned, AsyncIterator):
        return run.kept(run.astreamed(returned))
    if isinstance(returned, Iterator):
        return run.kept(run.streamed(returned))
    if inspect.isawaitable(returned):
        return run.kept(run.awaited(returned))
    run.ended(returned)
    return returned

"""Engines from a function: how most projects describe their walker and their new executor to the gate."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ..case import Case
from ..observation import Side
from ..outcome import Outcome
from ..reading import outcome_of
from ..tap import Tap


@dataclass(frozen=True)
class OutcomeEngine:
    """An engine whose `function(case, handlers)` runs the case and gives the engine's own result object.

    `handlers` are the case's, tapped. The function may be a coroutine function. The result is read by `read`, which is
    `outcome_of` unless given; `ignore` are keys of the final data that are not compared.
    """

    name: str
    side: Side
    function: Callable[[Case, dict[str, Callable[..., Any]]], Any]
    sources: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    read: Callable[[Any], Outcome] | None = field(default=None)

    def run(self, case: Case, tap: Tap) -> Outcome | Awaitable[Outcome]:
        """Run the function on the case."""
        found = self.function(case, tap.handlers)
        return self._later(found) if inspect.isawaitable(found) else self._read(found)

    async def _later(self, found: Awaitable[Any]) -> Outcome:
        return self._read(await found)

    def _read(self, result: Any) -> Outcome:
        if isinstance(result, Outcome):
            return result
        return self.read(result) if self.read else outcome_of(result, ignore=self.ignore)


@dataclass(frozen=True)
class TappedEngine:
    """An engine whose nodes are no mapping of callables: `function(case, tap)` says itself where the calls are seen.

    With `tap.methods` for the methods of an object, `tap.wrap` for single callables, `streaming.run_tapped` for a LangGraph
    graph. Everything else is as in `OutcomeEngine`.
    """

    name: str
    side: Side
    function: Callable[[Case, Tap], Any]
    sources: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    read: Callable[[Any], Outcome] | None = field(default=None)

    def run(self, case: Case, tap: Tap) -> Outcome | Awaitable[Outcome]:
        """Run the function on the case."""
        as_outcome = OutcomeEngine(
            self.name, self.side, lambda case, _handlers: self.function(case, tap), self.sources, self.ignore, self.read
        )
        return as_outcome.run(case, tap)

"""Mutants of how handlers are called: run again, seen through a stale or incomplete view, answers lost on the way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...adapters.views import NodeView
from ..case import Case
from .mutant import Handlers, Mutant

View = Callable[[NodeView], NodeView]
Answer = Callable[[NodeView, Any], Any]


def _same_view(view: NodeView) -> NodeView:
    return view


def _same_answer(view: NodeView, value: Any) -> Any:
    del view
    return value


def _around(
    view: View = _same_view,
    answer: Answer = _same_answer,
    *,
    twice: bool = False,
    swallow: bool = False,
) -> Callable[[Case, Mapping[str, Callable[..., Any]]], Handlers]:
    """Wrap every tapped handler: change what it sees, run it twice, swallow its errors, change what it answered."""

    def wrap(handler: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(handler):

            async def later(seen: NodeView) -> Any:
                try:
                    if twice:
                        await handler(view(seen))
                    return answer(seen, await handler(view(seen)))
                except ValueError:
                    if swallow:
                        return None
                    raise

            return later

        def call(seen: NodeView) -> Any:
            try:
                if twice:
                    handler(view(seen))
                return answer(seen, handler(view(seen)))
            except ValueError:
                if swallow:
                    return None
                raise

        return call

    def apply(case: Case, handlers: Mapping[str, Callable[..., Any]]) -> Handlers:
        del case
        return {name: wrap(handler) for name, handler in handlers.items()}

    return apply


def _without_last_result(view: NodeView) -> NodeView:
    return replace(view, results=dict(list(view.results.items())[:-1]))


def _without_data(view: NodeView) -> NodeView:
    return replace(view, data=view.inputs)


def _counted_from_one(view: NodeView) -> NodeView:
    return replace(view, iteration=view.iteration + 1)


def _loses_a_key(view: NodeView, value: Any) -> Any:
    del view
    return {key: item for key, item in value.items() if key != "shared"} if isinstance(value, Mapping) else value


def _whole_copy(view: NodeView, value: Any) -> Any:
    return {**view.inputs, **value} if isinstance(value, Mapping) else value


def _in_an_envelope(view: NodeView, value: Any) -> Any:
    del view
    return {"result": value}


def _nothing_of_numbers(view: NodeView, value: Any) -> Any:
    del view
    return None if isinstance(value, int) else value


HANDLERS = (
    Mutant("run-twice", "every body runs twice, and the second answer counts", handlers=_around(twice=True)),
    Mutant("stale-results", "the newest result is not seen yet", handlers=_around(_without_last_result)),
    Mutant("stale-data", "the shared data is seen as it was in the beginning", handlers=_around(_without_data)),
    Mutant("iteration-from-one", "turns are counted from one", handlers=_around(_counted_from_one)),
    Mutant("lost-key", "a key that a node returned is lost", handlers=_around(answer=_loses_a_key)),
    Mutant("whole-copy", "nodes give back the inputs with their answers", handlers=_around(answer=_whole_copy)),
    Mutant("envelope", "answers are wrapped", handlers=_around(answer=_in_an_envelope)),
    Mutant("lost-number", "answers that are numbers become None", handlers=_around(answer=_nothing_of_numbers)),
    Mutant("swallow-error", "a node that fails completes with None", handlers=_around(swallow=True)),
)

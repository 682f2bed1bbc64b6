"""Run one engine on one case and say what it showed. What the engine raises is observed; only `KeyboardInterrupt` passes."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from .model import Case, Engine, Handlers, Observation, Outcome
from .tap import Journal, Tap
from .values import error_text

HELD_SEED = 3
"""The schedule that holds every activation open: what an engine starts at once is then seen to overlap."""


def observe(engine: Engine, case: Case, seed: int | None = None, journal: Journal | None = None) -> Observation:
    """One run, in this process. The handlers are opened before it and closed after it.

    An engine that returns anything but an `Outcome` is observed as one that raised, since nothing could be compared.
    """
    tap = Tap(seed=seed, held=seed == HELD_SEED, journal=journal)
    try:
        with _opened(case) as handlers:
            tap.handlers = tap.registry(handlers)
            found = engine.run(case, tap)
            outcome = asyncio.run(_settled(found)) if inspect.isawaitable(found) else found
        if not isinstance(outcome, Outcome):
            raise TypeError(f"the engine returned a {type(outcome).__name__}, not an Outcome")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Observation(engine.name, engine.side, "raised", trace=tap.trace(), error=error_text(error))
    return Observation(engine.name, engine.side, "result", outcome, tap.trace())


async def _settled(found: Awaitable[Outcome]) -> Outcome:
    return await found


@contextmanager
def _opened(case: Case) -> Iterator[Handlers]:
    if callable(case.handlers):
        with case.handlers() as handlers:
            yield handlers
    else:
        yield case.handlers

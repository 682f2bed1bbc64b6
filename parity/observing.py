"""Run one engine on one case and say what it showed. What the engine raises is observed; only `KeyboardInterrupt` passes."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from .model import Case, Engine, Handlers, Observation, Outcome
from .tap import Tap


def observe(engine: Engine, case: Case, seed: int | None = None) -> Observation:
    """One run, in this process. The handlers are opened before it and closed after it."""
    tap = Tap(seed=seed)
    try:
        with _opened(case) as handlers:
            tap.handlers = tap.registry(handlers)
            found = engine.run(case, tap)
            outcome = asyncio.run(_settled(found)) if inspect.isawaitable(found) else found
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        return Observation(engine.name, engine.side, "raised", trace=tap.trace(), error=text)
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

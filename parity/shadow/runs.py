"""One run of the legacy executor on its way through the shadow, whatever its method gives: a value, a coroutine, a stream."""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractContextManager
from typing import Any

from ...adapters.errors import UsageError
from ..case import Case
from ..outcome import Outcome
from .attributing import Attribution
from .mirror import Mirror, Serving


class Run:
    """Tells the mirror how the run ended, once. `case` is None for a run that is served only."""

    def __init__(self, mirror: Mirror, attribution: Attribution, serving: Serving, case: Case | None) -> None:
        self._mirror, self._attribution, self._serving, self._case = mirror, attribution, serving, case
        attribution.begins(serving)

    def inside(self) -> AbstractContextManager[None]:
        """What is called inside belongs to the run."""
        return self._attribution.inside(self._serving)

    def ended(self, result: Any, read: Callable[[Any], Outcome] | None = None) -> None:
        """The legacy executor gave a result."""
        self._attribution.ends(self._serving)
        if self._case is None:
            self._serving.lost("no case")
        else:
            self._serving.ended(self._case, result, read)

    def raised(self, error: BaseException) -> None:
        """The legacy executor raised."""
        self._attribution.ends(self._serving)
        if self._case is None:
            self._serving.lost("no case")
        else:
            self._serving.raised(self._case, error)

    def left(self) -> None:
        """Nobody waits for its end any more."""
        self._attribution.ends(self._serving)
        self._serving.lost("left")

    async def awaited(self, returned: Awaitable[Any]) -> Any:
        """What it comes to."""
        try:
            with self.inside():
                result = await returned
        except BaseException as error:
            self.raised(error)
            raise
        self.ended(result)
        return result

    def kept(self, given: Any) -> Any:
        """What is given to the caller in the place of a coroutine or stream; the run ends with it if it is never used."""
        weakref.finalize(given, self.left).atexit = False
        return given

    def streamed(self, items: Iterator[Any]) -> Generator[Any, None, Any]:
        """The stream; the run ends with it."""
        last = None
        try:
            while True:
                with self.inside():
                    try:
                        last = next(items)
                    except StopIteration as end:
                        self._stream_ended(last)
                        return end.value
                yield last
        except GeneratorExit:
            self.left()
            raise
        except BaseException as error:
            self.raised(error)
            raise
        finally:
            if close := getattr(items, "close", None):
                close()

    async def astreamed(self, items: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """The asynchronous stream; the run ends with it."""
        last = None
        try:
            while True:
                with self.inside():
                    try:
                        last = await anext(items)
                    except StopAsyncIteration:
                        self._stream_ended(last)
                        return
                yield last
        except GeneratorExit:
            self.left()
            raise
        except BaseException as error:
            self.raised(error)
            raise
        finally:
            if aclose := getattr(items, "aclose", None):
                await aclose()

    def _stream_ended(self, last: Any) -> None:
        result = getattr(last, "result", None)
        self.ended(last if result is None else result, self._read_if_told)

    def _read_if_told(self, last: Any) -> Outcome:
        """Not every stream tells how the run ended; what its nodes did is compared all the same."""
        try:
            return self._mirror.read(last)
        except UsageError:
            return Outcome()

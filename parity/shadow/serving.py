"""The shadow: serves a caller with the legacy engine, and lets the candidate replay the run on a thread of its own."""

from __future__ import annotations

import logging
import queue
import random
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..case import Case
from ..cassette import Tape
from ..engine import Engine
from ..judging import judge_case
from ..observation import Broken, JournalReader, Observation
from ..observing import write_journal
from ..outcome import Outcome
from ..reading import outcome_of
from ..rule import Rule
from ..shape import shape_of
from ..tap import Tap
from .budget import Breaker, Budget
from .recording import CopyingTap, NoTap, Served, copied
from .sinks import Sighting, Sink
from .traffic import Traffic

T = TypeVar("T")
_LOG = logging.getLogger("graphlift.shadow")


@dataclass
class Counts:
    """How many runs were served, shadowed, dropped (no room, too large, switched off), and found to differ or to fail.

    `untold`: how often a sink failed to take a sighting.
    """

    served: int = 0
    shadowed: int = 0
    dropped: int = 0
    differing: int = 0
    failed: int = 0
    untold: int = 0


class Shadow:
    """A candidate beside the engine that serves.

    `read` makes an `Outcome` of what the serving engine returns. `rules` compare (by default all that ship). Every case is
    replayed with recorded answers only: a handler that the candidate calls with another input is refused, never run.
    Nothing that the candidate, the rules or a sink does reaches the caller.
    """

    def __init__(
        self,
        candidate: Engine,
        *,
        sinks: Sequence[Sink],
        read: Callable[[Any], Outcome] = outcome_of,
        rules: Sequence[Rule] | None = None,
        budget: Budget | None = None,
        seed: int | None = None,
    ) -> None:
        self.counts = Counts()
        self._candidate, self._sinks, self._read, self._rules = candidate, tuple(sinks), read, rules
        self._budget = budget or Budget()
        self._breaker = Breaker(self._budget.failures)
        self._random = random.Random(seed)  # noqa: S311
        self._queue: queue.Queue[tuple[Case, Served]] = queue.Queue(self._budget.waiting)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._traffic = Traffic()

    async def serve(self, case: Case, call: Callable[[Tap], Awaitable[T]]) -> T:
        """What `call(tap)` gives or raises; the tap wraps the serving engine's handlers."""
        tap = self._tap()
        try:
            with self._traffic:
                result = await call(tap)
        except BaseException as error:
            self._note(case, tap, error=error)
            raise
        self._note(case, tap, result=result)
        return result

    def serve_sync(self, case: Case, call: Callable[[Tap], T]) -> T:
        """The same for an engine that is not asynchronous."""
        tap = self._tap()
        try:
            with self._traffic:
                result = call(tap)
        except BaseException as error:
            self._note(case, tap, error=error)
            raise
        self._note(case, tap, result=result)
        return result

    @property
    def is_on(self) -> bool:
        """Whether runs are still shadowed: it ends after too many failures in a row."""
        return not self._breaker.open

    def drain(self) -> None:
        """Wait until everything that was recorded has been replayed. For tests and for the end of a process."""
        self._queue.join()

    def _tap(self) -> Tap:
        self.counts.served += 1
        if self._breaker.open or self._random.random() >= self._budget.sample:
            return NoTap()
        return CopyingTap(self._budget.activations)

    def _note(self, case: Case, tap: Tap, result: Any = None, error: BaseException | None = None) -> None:
        """Put the run into the queue; whatever goes wrong here is logged and goes no further."""
        if not isinstance(tap, CopyingTap):
            return
        try:
            outcome = None if error is not None else copied(self._read(result))
            if tap.full:
                raise queue.Full
            self._queue.put_nowait((case, Served(tap, outcome, error)))
            self._start()
        except queue.Full:
            self.counts.dropped += 1
        except Exception:
            self.counts.failed += 1
            self._breaker.count(failed=True)
            _LOG.exception("the run of %s cannot be shadowed", case.id)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="graphlift-shadow", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            case, served = self._queue.get()
            try:
                self._tell(self._sighting(case, served))
            except BaseException as error:  # a candidate may raise anything; this thread must live
                _LOG.exception("shadowing %s failed", case.id)
                self._tell(Sighting(case.id, case.name, failed=repr(error)))
            finally:
                self._queue.task_done()

    def _sighting(self, case: Case, served: Served) -> Sighting:
        if self._breaker.open:
            self.counts.dropped += 1
            return Sighting(case.id, case.name)
        self.counts.shadowed += 1
        shape = shape_of(case)
        give_way = self._traffic.turn(self._budget.seconds / 2)
        give_way()
        legacy = replace(served.observation(case.normalise or _as_it_is, give_way), shape=shape)
        candidate = replace(self._replay(case, served, give_way), shape=shape)
        give_way()
        judged = judge_case(case.id, self._all_rules(), {"legacy": [legacy], "candidate": [candidate]})
        hung = candidate.broken.error if candidate.broken and candidate.broken.kind == "timeout" else None
        return Sighting(case.id, case.name, judged.divergences, hung)

    def _replay(self, case: Case, served: Served, give_way: Callable[[], None]) -> Observation:
        """Run the candidate with recorded answers, on one more thread, so that one that hangs is left behind."""
        seen: list[Observation] = []
        replayed = replace(case, recorded=("*",))
        tape = Tape("none", tuple(served.tap.answers(case.id, case.normalise or _as_it_is)))

        def run() -> None:
            try:
                seen.append(self._observed(replayed, tape, give_way))
            except BaseException as error:
                seen.append(self._broken("raised", repr(error)))

        thread = threading.Thread(target=run, name="graphlift-shadow-run", daemon=True)
        thread.start()
        thread.join(self._budget.seconds)
        return seen[0] if seen else self._broken("timeout", f"did not end within {self._budget.seconds:g} s")

    def _observed(self, case: Case, tape: Tape, give_way: Callable[[], None]) -> Observation:
        reader = JournalReader("candidate", self._candidate.name)

        def journal(line: dict[str, Any]) -> None:
            reader.read([line])
            give_way()

        write_journal(self._candidate, case, journal, 0, tape)
        return reader.observation()

    def _broken(self, kind: Any, error: str) -> Observation:
        return Observation("candidate", self._candidate.name, broken=Broken(kind, error))

    def _all_rules(self) -> Sequence[Rule]:
        if self._rules is None:
            from ..rules import builtin_rules

            self._rules = builtin_rules()
        return self._rules

    def _tell(self, sighting: Sighting) -> None:
        self.counts.differing += bool(sighting.divergences)
        self.counts.failed += sighting.failed is not None
        self._breaker.count(failed=sighting.failed is not None)
        for sink in self._sinks:
            try:
                sink(sighting)
            except Exception:
                self.counts.untold += 1
                _LOG.exception("a sink of the shadow failed")


def _as_it_is(value: Any) -> Any:
    return value

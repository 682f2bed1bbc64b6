"""The candidate beside an engine that serves: runs are recorded, and replayed by the candidate on threads of its own."""

from __future__ import annotations

import logging
import queue
import random
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..case import Case
from ..engine import Engine
from ..outcome import Outcome
from ..reading import outcome_of
from ..rule import Rule
from ..tap import Tap
from .budget import Breaker, Budget, Room
from .recording import CopyingTap, Loss, NoTap, Served, copied
from .replays import Replays
from .sinks import Sighting, Sink
from .traffic import Traffic

T = TypeVar("T")
_LOG = logging.getLogger("graphlift.shadow")
IDLE = 10.0
"""Seconds after which a thread that has nothing to replay ends."""


@dataclass
class Counts:
    """How many runs were served, shadowed, found to differ or to fail.

    `losses` says how many sampled runs were not shadowed, by the reason; `untold` how often a sink failed to take a sighting.
    """

    served: int = 0
    shadowed: int = 0
    differing: int = 0
    failed: int = 0
    untold: int = 0
    losses: Counter[Loss] = field(default_factory=Counter)

    @property
    def dropped(self) -> int:
        """How many sampled runs were not shadowed."""
        return self.losses.total()


class Serving:
    """One run while the engine serves it: its tap, and how it ended. End it once, with one of the methods."""

    def __init__(self, mirror: Mirror, tap: Tap) -> None:
        self.tap = tap
        self.sampled = isinstance(tap, CopyingTap)
        self.is_over = False
        self._mirror = mirror

    def ended(self, case: Case, result: Any, read: Callable[[Any], Outcome] | None = None) -> None:
        """The engine gave a result; `read` makes an outcome of it in the mirror's place."""
        self._mirror.take(self, case, lambda: (read or self._mirror.read)(result))

    def raised(self, case: Case, error: BaseException) -> None:
        """The engine raised."""
        self._mirror.take(self, case, None, error)

    def doubt(self) -> None:
        """An activation was seen that may be this run's or another's."""
        if isinstance(self.tap, CopyingTap) and not self.is_over:
            self.tap.lose("unattributed")

    def lost(self, why: Loss) -> None:
        """The run cannot be shadowed. Nothing, where it has ended already."""
        if isinstance(self.tap, CopyingTap) and not self.is_over:
            self.tap.lose(why)
        self._mirror.let_go(self)


class Mirror:
    """A candidate beside whatever serves. `Shadow` is the drop-in executor that is made of it.

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
        self.read = read
        self._sinks = tuple(sinks)
        self._budget = budget or Budget()
        self._breaker = Breaker(self._budget.failures)
        self._room = Room(self._budget.memory)
        self._random = random.Random(seed)  # noqa: S311
        self._queue: queue.Queue[tuple[Case, Served]] = queue.Queue(self._budget.waiting)
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._traffic = Traffic()
        self._replays = Replays(candidate, rules, self._budget.seconds, self._breaker, self._traffic)

    async def serve(self, case: Case, call: Callable[[Tap], Awaitable[T]]) -> T:
        """What `call(tap)` gives or raises; the tap wraps the serving engine's handlers."""
        serving = self.open()
        try:
            result = await call(serving.tap)
        except BaseException as error:
            serving.raised(case, error)
            raise
        serving.ended(case, result)
        return result

    def serve_sync(self, case: Case, call: Callable[[Tap], T]) -> T:
        """The same for an engine that is not asynchronous."""
        serving = self.open()
        try:
            result = call(serving.tap)
        except BaseException as error:
            serving.raised(case, error)
            raise
        serving.ended(case, result)
        return result

    @property
    def is_on(self) -> bool:
        """Whether runs are still shadowed: it ends after too many failures in a row."""
        return not self._breaker.open

    @property
    def held(self) -> int:
        """How many bytes all recordings hold now, about."""
        return self._room.held

    def drain(self) -> None:
        """Wait until everything that was recorded has been replayed. For tests and for the end of a process."""
        self._queue.join()

    def open(self) -> Serving:
        """A run begins. It must be ended with a method of what this gives."""
        self._traffic.begins()
        with self._lock:
            self.counts.served += 1
            chosen = not self._breaker.open and self._random.random() < self._budget.sample
        return Serving(self, CopyingTap(self._budget.activations, self._room) if chosen else NoTap())

    def take(
        self,
        serving: Serving,
        case: Case,
        outcome: Callable[[], Outcome] | None,
        error: BaseException | None = None,
    ) -> None:
        """Put a run that ended into the queue; whatever goes wrong here is logged and goes no further."""
        tap = serving.tap
        try:
            if not isinstance(tap, CopyingTap):
                return
            served = Served(tap, None if outcome is None else copied(outcome(), tap.copy), error)
            if tap.lost is None:
                self._queue.put_nowait((case, served))
                self._start()
        except queue.Full:
            serving.lost("waiting")
        except Exception:
            if isinstance(tap, CopyingTap):
                tap.release()
            self._count(failed=1)
            self._breaker.count(failed=True)
            _LOG.exception("the run of %s cannot be shadowed", case.id)
        finally:
            self.let_go(serving)

    def let_go(self, serving: Serving) -> None:
        """The caller has been served."""
        if serving.is_over:
            return
        serving.is_over = True
        self._traffic.ends()
        if isinstance(serving.tap, CopyingTap) and serving.tap.lost:
            with self._lock:
                self.counts.losses[serving.tap.lost] += 1

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, number in more.items():
                setattr(self.counts, name, getattr(self.counts, name) + number)

    def _start(self) -> None:
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if len(self._threads) < min(self._budget.concurrent, len(self._threads) + self._queue.qsize()):
                thread = threading.Thread(target=self._work, name="graphlift-shadow", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        while True:
            try:
                case, served = self._queue.get(timeout=IDLE)
            except queue.Empty:
                if self._may_end():
                    return
                continue
            try:
                self._shadow(case, served)
            except BaseException as error:  # a candidate may raise anything; this thread must live
                _LOG.exception("shadowing %s failed", case.id)
                self._tell(Sighting(case.id, case.name, failed=repr(error)))
            finally:
                served.tap.release()
                del case, served
                self._queue.task_done()

    def _may_end(self) -> bool:
        """Whether this thread is not needed now; the next run starts another. Else what nobody uses any more would stay."""
        with self._lock:
            if not self._queue.empty():
                return False
            self._threads.remove(threading.current_thread())
            return True

    def _shadow(self, case: Case, served: Served) -> None:
        if self._breaker.open:
            with self._lock:
                self.counts.losses["switched off"] += 1
            return
        self._count(shadowed=1)
        self._tell(self._replays.sighting(case, served))

    def _tell(self, sighting: Sighting) -> None:
        self._count(differing=bool(sighting.divergences), failed=sighting.failed is not None)
        self._breaker.count(failed=sighting.failed is not None)
        for sink in self._sinks:
            try:
                sink(sighting)
            except Exception:
                self._count(untold=1)
                _LOG.exception("a sink of the shadow failed")

"""What a run tells its subscribers, and how a failing subscriber is kept from failing the run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from .collecting import StreamEvent

_LOG = logging.getLogger("graphlift.adapters")


@dataclass(frozen=True)
class RunEvent:
    """One event of one run, with its progress: `done` of `total` steps have ended (skipped ones count)."""

    run_id: str
    workflow_name: str
    event: StreamEvent
    done: int
    total: int


Subscriber = Callable[[RunEvent], None]


class Subscriptions:
    """Who listens. Thread-safe; a subscriber's exception is logged and goes no further."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: dict[int, Subscriber] = {}
        self._next = 0

    def add(self, subscriber: Subscriber) -> Callable[[], None]:
        """Subscribe; the returned function ends the subscription, and may be called more than once."""
        with self._lock:
            number = self._next = self._next + 1
            self._subscribers[number] = subscriber

        def end() -> None:
            with self._lock:
                self._subscribers.pop(number, None)

        return end

    def __len__(self) -> int:
        return len(self._subscribers)

    def publish(self, event: RunEvent, extra: Subscriber | None = None) -> None:
        """Tell everyone, in the order of subscription; `extra` is this run's own listener."""
        with self._lock:
            subscribers = list(self._subscribers.values())
        for subscriber in [*subscribers, *([extra] if extra else [])]:
            try:
                subscriber(event)
            except Exception:
                _LOG.exception("a subscriber of run %s failed", event.run_id)

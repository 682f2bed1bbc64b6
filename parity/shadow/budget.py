"""What shadowing may cost, and when it stops by itself."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from typing import Any

from ...adapters.errors import UsageError

MIB = 1 << 20
CONTAINERS = frozenset((dict, list, set, tuple))


@dataclass(frozen=True)
class Budget:
    """Limits of a shadow.

    `sample` is the share of runs that are shadowed (0 to 1), `seconds` how long the candidate may take for one, `concurrent`
    how many candidates replay at once, each on a thread. `waiting` is how many recorded runs may wait for that, `activations`
    how many of one run are recorded, `memory` how many bytes all recordings may hold together, those of runs that still go on
    included. A run for which there is no room is not shadowed, and counted. After `failures` in a row (the candidate hangs,
    or shadowing itself fails), or with as many candidates that hang at once, it is switched off.
    """

    sample: float = 1.0
    seconds: float = 10.0
    concurrent: int = 1
    waiting: int = 100
    activations: int = 10_000
    memory: int = 64 * MIB
    failures: int = 5

    def __post_init__(self) -> None:
        counts = (self.concurrent, self.waiting, self.activations, self.memory, self.failures)
        if not 0 <= self.sample <= 1 or self.seconds <= 0 or min(counts) < 1:
            raise UsageError(f"{self} is no budget", mend="sample is a share from 0 to 1, everything else is above 0")


class Breaker:
    """Counts failures in a row, and candidates that hang; once open it stays open.

    A process that is hurt is not one to try things in.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._failures = 0
        self._hanging = 0
        self.open = False

    def count(self, *, failed: bool) -> None:
        """One more run ended."""
        with self._lock:
            self._failures = self._failures + 1 if failed else 0
            self.open |= self._failures >= self._limit

    def hangs(self, change: int) -> None:
        """One candidate more (1) is left behind, or one that was has ended (-1)."""
        with self._lock:
            self._hanging += change
            self.open |= self._hanging >= self._limit


class Left:
    """Whether one candidate that was not waited for is still at it."""

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker
        self._lock = threading.Lock()
        self._is_left = self._has_ended = False

    def begins(self) -> None:
        """It is left behind, unless it has ended meanwhile."""
        with self._lock:
            if not self._has_ended:
                self._is_left = True
                self._breaker.hangs(1)

    def ends(self) -> None:
        """It has ended."""
        with self._lock:
            self._has_ended = True
            if self._is_left:
                self._breaker.hangs(-1)


class Room:
    """The bytes that recordings may hold together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self.held = 0

    def take(self, value: Any) -> int | None:
        """Make room for a copy of a value; gives its bytes, or None where there is none for it."""
        size = weigh(value, self._limit)
        with self._lock:
            if self.held + size > self._limit:
                return None
            self.held += size
        return size

    def give(self, size: int) -> None:
        """So many bytes are free again."""
        with self._lock:
            self.held -= size


def weigh(value: Any, most: int) -> int:
    """About how many bytes a copy of a value takes; once above `most` it looks no further.

    Counted is what `isolate` copies, builtin containers and what is directly in them; other objects are shared.
    """
    total, rest, seen = sys.getsizeof(value), [value], set[int]()
    while rest and total <= most:
        item = rest.pop()
        if type(item) in CONTAINERS and id(item) not in seen:
            seen.add(id(item))
            inner = item.values() if type(item) is dict else item
            total += sum(map(sys.getsizeof, inner))
            if not CONTAINERS.isdisjoint(map(type, inner)):
                rest += inner
    return total

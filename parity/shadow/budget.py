"""What shadowing may cost, and when it stops by itself."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from ...adapters.errors import UsageError


@dataclass(frozen=True)
class Budget:
    """Limits of a shadow.

    `sample` is the share of runs that are shadowed (0 to 1), `seconds` how long the candidate may take for one, `waiting` how
    many recorded runs may wait for it, `activations` how many of one run are recorded. After `failures` in a row (the
    candidate hangs, or shadowing itself fails) it is switched off.
    """

    sample: float = 1.0
    seconds: float = 10.0
    waiting: int = 100
    activations: int = 10_000
    failures: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.sample <= 1 or self.seconds <= 0 or min(self.waiting, self.activations, self.failures) < 1:
            raise UsageError(f"{self} is no budget", mend="sample is a share from 0 to 1, everything else is above 0")


class Breaker:
    """Counts failures in a row; once open it stays open, for a process that is hurt is not one to try things in."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._failures = 0
        self.open = False

    def count(self, *, failed: bool) -> None:
        """One more run ended."""
        with self._lock:
            self._failures = self._failures + 1 if failed else 0
            self.open |= self._failures >= self._limit

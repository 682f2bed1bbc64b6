"""Gives way to callers: a replay waits while one is being served, and lets go of the interpreter at every step.

Python runs one thread at a time and lets it go on for milliseconds, so a replay beside a caller would be felt there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE = 0.5
"""Seconds that one replay gives way at most: where callers never pause, it goes on between their steps."""
WAIT = 0.0005


class Traffic:
    """How many callers are being served now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._served = 0

    def begins(self) -> None:
        """One more is served."""
        with self._lock:
            self._served += 1

    def ends(self) -> None:
        """One has been served."""
        with self._lock:
            self._served -= 1

    def turn(self, most: float = PATIENCE) -> Callable[[], None]:
        """What one replay calls at every step; it waits for `most` seconds in all."""
        ends = time.monotonic() + min(PATIENCE, most)

        def give_way() -> None:
            time.sleep(0)
            while self._served and time.monotonic() < ends:
                time.sleep(WAIT)

        return give_way

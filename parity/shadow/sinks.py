"""Where sightings go: a file of JSON lines, a logger, or anything that is called with one."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...adapters.errors import ConfigurationError, UsageError
from ..divergence import Divergence
from ..traces import CaseTrace, traces_from_json

VERSION = 1


@dataclass(frozen=True)
class Sighting:
    """What shadowing one run gave: divergences, or `failed` when the candidate hung or shadowing itself failed.

    `trace` is how both runs went, cut to a size; it comes with the first of several sightings that are alike.
    """

    case: str
    workflow: str
    divergences: tuple[Divergence, ...] = ()
    failed: str | None = None
    trace: CaseTrace | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """One line of a file."""
        line: dict[str, Any] = {
            "shadow": VERSION,
            "case": self.case,
            "workflow": self.workflow,
            "failed": self.failed,
            "divergences": [{**item.to_json(), "under": item.under} for item in self.divergences],
        }
        return line if self.trace is None else {**line, "trace": self.trace.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Sighting:
        """The sighting that a line tells. Raises KeyError or TypeError for one that is none."""
        found = tuple(Divergence(**{**item, "paths": tuple(item["paths"])}) for item in data["divergences"])
        (trace,) = traces_from_json([data["trace"]]) if data.get("trace") else (None,)
        return cls(data["case"], data["workflow"], found, data["failed"], trace)


Sink = Callable[[Sighting], object]


class JsonLines:
    """Appends each sighting to a file as one line. Without `traces` only the values that differ are in it."""

    def __init__(self, path: str | Path, *, traces: bool = True) -> None:
        self._path, self._traces = Path(path), traces
        self._lock = threading.Lock()

    def __call__(self, sighting: Sighting) -> None:
        """Write one."""
        told = sighting if self._traces else replace(sighting, trace=None)
        line = json.dumps(told.to_json(), sort_keys=True) + "\n"
        with self._lock, self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line)


class Logging:
    """Logs each sighting that has something to say, as a warning."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("graphlift.shadow")

    def __call__(self, sighting: Sighting) -> None:
        """Log one."""
        if sighting.failed:
            self._logger.warning("shadow of %s failed: %s", sighting.case, sighting.failed)
        for item in sighting.divergences:
            self._logger.warning("shadow of %s: %s: %s", sighting.case, item.key, item.cause)


def read_sightings(path: Path, shown: str) -> list[Sighting]:
    """The sightings of a file. Raises `ConfigurationError` with file and line for a line that is none."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(Sighting.from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, UsageError) as error:
            where, mend = f"{shown}:{number}", "delete the line"
            raise ConfigurationError(f"is no sighting: {error!r}", where=where, mend=mend) from None
    return found

"""What the objects that plugins return look like to the rest of graphlift.

Every registered object has a stable `id` and a one-line `summary`, so that it can be listed, selected and skipped. The
folder that calls an object narrows the protocol: a codemod in `graphlift.migrate.codemods`, a metric in
`graphlift.migrate.ratchet`, a divergence rule in `graphlift.parity.rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class Registered(Protocol):
    """Anything that a hook contributes to a registry."""

    @property
    def id(self) -> str:
        """The stable name, unique among objects of its kind."""
        ...

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ...


PARTS: Mapping[str, tuple[str, ...]] = {
    "graphlift_cases": ("id", "name", "normalised"),
    "graphlift_codemods": ("id", "summary", "stage", "suffixes", "needles", "opt_in", "rewrite"),
    "graphlift_engines": ("name", "side", "sources", "run"),
    "graphlift_executors": ("id", "summary", "pool"),
    "graphlift_ratchet_metrics": ("id", "summary", "default_cap", "by_file", "needs", "measure", "grow"),
    "graphlift_reference_finders": ("id", "summary", "suffixes", "find"),
    "graphlift_reporters": ("id", "render"),
    "graphlift_rules": ("id", "family", "summary", "explanation", "needs", "check"),
}
"""What graphlift uses of the objects that each hook returns; an object that lacks a part is refused when it is given."""

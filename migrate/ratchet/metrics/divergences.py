"""Metric `divergences`: known divergences in the parity gate's baseline, by rule and case. Reads the file, runs nothing."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ....adapters.errors import ConfigurationError
from ..keys import Key
from .base import Reading, Scope


class Divergences:
    """Counts what the baseline lists."""

    id = "divergences"
    summary = "known divergences in the parity gate's baseline, by rule and case"
    default_cap: int | None = 0
    by_file = False

    def needs(self) -> Sequence[str]:
        """Nothing: the baseline is where the configuration says."""
        return ()

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a divergence rule and case; an entry counts as often as it allows (`at_most`)."""
        place = scope.tree.base.settings.parity.baseline
        if place not in scope.tree.paths:
            return {}
        counts: Counter[Key] = Counter()
        for entry in _entries(scope.tree.text(place) or "", place):
            key = Key(self.id, str(entry.get("rule", "any")), str(entry.get("case", "*")))
            counts[key] += _allowed(entry)
        return {key: Reading(count, place) for key, count in counts.items()}

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """A baseline with one more entry."""
        place = scope.tree.base.settings.parity.baseline
        before = scope.tree.read(place) if place in scope.tree.paths else b""
        return {
            place: before + f'\n[[divergence]]\nrule = "GL101"\ncase = "grown"\nat_most = {scope.limit + 1}\n'.encode()
        }


def _entries(text: str, where: str) -> list[dict[str, Any]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"is not valid TOML: {error}", where=where, mend="mend the TOML there") from None
    return [entry for entry in data.get("divergence", []) if isinstance(entry, dict)]


def _allowed(entry: Mapping[str, Any]) -> int:
    count = entry.get("at_most", 1)
    return count if isinstance(count, int) and count > 0 else 1

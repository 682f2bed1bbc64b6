"""Renames and splits that people declare with `[[move]]`: the new files' caps together may not be above the old file's.

Git follows a rename by content; a part that was taken out of a file is too unlike it, and has to be declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .book import Move
from .findings import Finding
from .keys import Key
from .lock import Lock
from .measuring import Measurement, Registry


@dataclass(frozen=True)
class Transfer:
    """The caps that moves authorise, by new key, and what is wrong with moves that let a sum rise."""

    caps: Mapping[Key, int]
    findings: tuple[Finding, ...]


def transfer(registry: Registry, moves: Sequence[Move], old: Lock, new: Lock, measurement: Measurement) -> Transfer:
    """What `moves` authorise, given the locks of the merge base and of now."""
    caps: dict[Key, int] = {}
    findings: list[Finding] = []
    for move in _by_source(moves):
        for (metric, detail), budget in budgets(registry, move, old).items():
            # The old file counts as well: while it keeps its cap, nothing was handed on.
            keys = [Key(metric, place, detail) for place in sorted({move.source, *move.to})]
            wanted = {key: new[key] for key in keys if key in new}
            unrecorded = [key for key in keys if key not in new and key in measurement.values]
            total = sum(wanted.values()) + sum(measurement.values[key].value for key in unrecorded)
            if total <= budget:
                caps.update(wanted)
                caps.update({key: measurement.values[key].value for key in unrecorded})
            else:
                name = str(Key(metric, move.source, detail))
                message = f"moved to {', '.join(move.to)}, whose caps come to {total}; the old cap was {budget}"
                mend = f"bring them down by {total - budget}, or raise the cap of one"
                findings.append(Finding("sum-rises", "error", name, message, mend, move.to[0]))
    return Transfer(caps, tuple(findings))


def _by_source(moves: Sequence[Move]) -> list[Move]:
    """One move a source, so that no cap is handed on twice."""
    targets: dict[str, tuple[str, ...]] = {}
    for move in moves:
        targets[move.source] = tuple(dict.fromkeys((*targets.get(move.source, ()), *move.to)))
    return [Move.model_validate({"from": source, "to": to}) for source, to in targets.items()]


def budgets(registry: Registry, move: Move, lock: Lock) -> dict[tuple[str, str], int]:
    """What the new files of a move may come to, by metric and detail: the old file's cap and those they had themselves."""
    places = {move.source, *move.to}
    families = {(key.metric, key.detail) for key in lock if key.place == move.source and registry.by_file(key)}
    return {
        family: sum(cap for key, cap in lock.items() if (key.metric, key.detail) == family and key.place in places)
        for family in families
    }

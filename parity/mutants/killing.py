"""The measurement: which mutants the gate sees on a corpus of workflows, and by which rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..engines.reference import ReferenceEngine
from ..fuzz.draft import Draft
from ..fuzz.searching import differences, draw
from ..fuzz.shapes import SHAPES
from ..rule import Rule

if TYPE_CHECKING:
    from .mutant import Mutant


@dataclass(frozen=True)
class Killed:
    """One mutant's fate: the rules that see it on the first workflow on which the gate does, none when it survives."""

    mutant: str
    summary: str
    rules: tuple[str, ...] = ()
    tried: int = 0

    @property
    def survives(self) -> bool:
        """Whether no workflow showed it."""
        return not self.rules


def corpus(size: int, seed: int = 0) -> list[Draft]:
    """The shipped shapes, and so many drawn workflows of both styles; the same for the same seed."""
    return [*SHAPES, *draw(size, seed)]


def measure(
    mutants: Iterable[Mutant],
    rules: Sequence[Rule],
    workflows: Sequence[Draft],
    on_mutant: Callable[[], object] = lambda: None,
) -> list[Killed]:
    """Try every mutant on the workflows, until the gate sees it."""
    fates = []
    for mutant in mutants:
        on_mutant()
        fates.append(_fate(mutant, rules, workflows))
    return fates


def _fate(mutant: Mutant, rules: Sequence[Rule], workflows: Sequence[Draft]) -> Killed:
    for number, draft in enumerate(workflows, start=1):
        found = differences({"legacy": ReferenceEngine(), "candidate": mutant}, rules, draft)
        if found:
            seen = dict.fromkeys(item.rule for item in found if item.under is None)
            return Killed(mutant.id, mutant.summary, tuple(seen), number)
    return Killed(mutant.id, mutant.summary, (), len(workflows))


def kill_rate(fates: Sequence[Killed]) -> float:
    """The share of mutants that the gate sees, from 0 to 1."""
    return sum(not fate.survives for fate in fates) / len(fates) if fates else 0.0

"""What a mutant is: a candidate engine over the compiled graph, wrong in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..case import Case
from ..engines.compiled import CompiledEngine
from ..observation import Side
from ..outcome import Outcome
from ..tap import Tap

Handlers = dict[str, Callable[..., Any]]


def _same_case(case: Case) -> Case:
    return case


def _same_handlers(case: Case, handlers: Mapping[str, Callable[..., Any]]) -> Handlers:
    del case
    return dict(handlers)


def _same_outcome(outcome: Outcome) -> Outcome:
    return outcome


@dataclass(frozen=True)
class Mutant:
    """One mistake. `case` changes what is compiled, `handlers` how the tapped handlers are called, `outcome` what is told."""

    id: str
    summary: str
    case: Callable[[Case], Case] = _same_case
    handlers: Callable[[Case, Mapping[str, Callable[..., Any]]], Handlers] = _same_handlers
    outcome: Callable[[Outcome], Outcome] = _same_outcome
    side: Side = "candidate"
    sources: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How reports name it."""
        return f"mutant {self.id}"

    def run(self, case: Case, tap: Tap) -> Outcome:
        """Run the case wrongly."""
        changed = self.case(case)
        tap.handlers = self.handlers(changed, tap.handlers)
        outcome = CompiledEngine().run(changed, tap)
        assert isinstance(outcome, Outcome)
        return self.outcome(outcome)

"""The reference walkers as an engine: `run_breadth_first` for successor style, `run_dependency` for dependency style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...adapters.model import SuccessorWorkflow
from ...adapters.oracle_breadth_first import run_breadth_first
from ...adapters.oracle_dependency import run_dependency
from ..observation import Side
from ..outcome import Outcome
from .binding import policy_of, version, workflow_of

if TYPE_CHECKING:
    from ...adapters.results import WorkflowResult
    from ..case import Case
    from ..tap import Tap


@dataclass(frozen=True)
class ReferenceEngine:
    """Runs a case under the reference walker of its definition's style."""

    name: str = "reference"
    side: Side = "legacy"
    sources: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """Part of the evidence."""
        return version("graphlift")

    def run(self, case: Case, tap: Tap) -> Outcome:
        """Run it once."""
        return Outcome.of(_run(case, tap))


def _run(case: Case, tap: Tap) -> WorkflowResult:
    workflow = workflow_of(case)
    more: dict[str, Any] = {"conditions": case.options.get("conditions")}
    if isinstance(workflow, SuccessorWorkflow):
        answers = case.options.get("answers", {})
        return run_breadth_first(workflow, tap.handlers, case.inputs, answers=answers, **more)
    return run_dependency(workflow, tap.handlers, case.inputs, failure_policy=policy_of(case), **more)

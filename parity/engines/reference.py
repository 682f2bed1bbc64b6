"""The reference walkers as an engine: exact oracles for both styles of a neutral workflow."""

from __future__ import annotations

from dataclasses import dataclass

from ...adapters.errors import UsageError
from ..model import Case, Outcome, Side
from ..outcomes import outcome_of
from ..tap import Tap


@dataclass(frozen=True)
class ReferenceEngine:
    """Runs a neutral workflow with the reference walker of its style. `case.options` are passed on to it."""

    name: str = "reference walker"
    side: Side = "legacy"
    sources: tuple[str, ...] = ()

    async def run(self, case: Case, tap: Tap) -> Outcome:
        """Run the case. Raises `UsageError` where its definition is no neutral workflow."""
        from ...adapters import DependencyWorkflow, SuccessorWorkflow, arun_breadth_first, arun_dependency

        workflow = case.definition
        if isinstance(workflow, SuccessorWorkflow):
            result = await arun_breadth_first(workflow, tap.handlers, case.inputs, **case.options)
        elif isinstance(workflow, DependencyWorkflow):
            result = await arun_dependency(workflow, tap.handlers, case.inputs, **case.options)
        else:
            raise UsageError(
                f"the definition of case {case.id!r} is a {type(workflow).__name__}, not a neutral workflow"
            )
        return outcome_of(result)

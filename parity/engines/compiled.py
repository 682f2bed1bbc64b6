"""The compiled graph as an engine, for neutral workflows."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Case, Outcome, Side
from ..outcomes import outcome_of
from ..tap import Tap


@dataclass(frozen=True)
class CompiledEngine:
    """Compiles a neutral workflow to LangGraph and runs it. `case.options` are passed on to `compile_workflow`."""

    name: str = "compiled graph"
    side: Side = "candidate"
    sources: tuple[str, ...] = ()

    async def run(self, case: Case, tap: Tap) -> Outcome:
        """Run the case. Raises what compiling raises, which the gate reports as an engine without a result."""
        from ...adapters import compile_workflow

        compiled = compile_workflow(case.definition, tap.handlers, **case.options)
        return outcome_of(await compiled.arun(case.inputs))

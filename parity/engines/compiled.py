"""The compiled graph as an engine: `compile_workflow` on LangGraph, for both traversals."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..observation import Side
from ..outcome import Outcome
from .binding import policy_of, version, workflow_of

if TYPE_CHECKING:
    from ...adapters.results import WorkflowResult
    from ..case import Case
    from ..tap import Tap


@dataclass(frozen=True)
class CompiledEngine:
    """Compiles a case and runs the graph. `mode` "async" runs it on an event loop; a case's option `mode` wins."""

    name: str = "langgraph"
    side: Side = "candidate"
    sources: tuple[str, ...] = ()
    mode: str = "sync"

    @property
    def version(self) -> str:
        """Part of the evidence."""
        return version("graphlift", "langgraph")

    def run(self, case: Case, tap: Tap) -> Outcome | Awaitable[Outcome]:
        """Compile and run it once."""
        compiled = _compile(case, tap)
        if case.options.get("mode", self.mode) == "async":
            return _arun(compiled, case)
        return Outcome.of(_answered(compiled, case, compiled.run(case.inputs, **_thread(compiled))))


def _compile(case: Case, tap: Tap) -> Any:
    from ...adapters.compiling import compile_workflow

    workflow = workflow_of(case)
    needs_saver = any(getattr(node, "kind", "") == "human" for node in getattr(workflow, "nodes", ()))
    return compile_workflow(
        workflow,
        tap.handlers,
        conditions=case.options.get("conditions"),
        failure_policy=policy_of(case),
        checkpointer=_saver() if needs_saver else None,
    )


def _saver() -> Any:
    from langgraph.checkpoint.memory import InMemorySaver

    return InMemorySaver()


def _thread(compiled: Any) -> dict[str, Any]:
    return {"thread_id": "parity"} if compiled.checkpointer is not None else {}


def _answered(compiled: Any, case: Case, result: WorkflowResult) -> WorkflowResult:
    """Resume with the case's answers until nobody is asked any more, or nobody answers."""
    answers = case.options.get("answers", {})
    while result.interrupt is not None and result.interrupt.node_id in answers:
        result = compiled.run(resume=answers[result.interrupt.node_id], **_thread(compiled))
    return result


async def _arun(compiled: Any, case: Case) -> Outcome:
    answers = case.options.get("answers", {})
    result = await compiled.arun(case.inputs, **_thread(compiled))
    while result.interrupt is not None and result.interrupt.node_id in answers:
        result = await compiled.arun(resume=answers[result.interrupt.node_id], **_thread(compiled))
    return Outcome.of(result)

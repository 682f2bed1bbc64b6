"""How many supersteps a run can take at most: LangGraph's recursion limit, computed instead of guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .bindings import Bindings
from .model import SuccessorWorkflow, Workflow
from .turning import loop_max
from .views import NodeView, OwnCopy

SLACK = 5


def superstep_limit(workflow: Workflow, bindings: Bindings, inputs: Mapping[str, Any]) -> int:
    """Every superstep runs at least one node, so the turns of all steps (and of their exit nodes) are a bound."""
    if isinstance(workflow, SuccessorWorkflow):
        return len(workflow.nodes) + SLACK
    turns = len(workflow.steps) + SLACK
    for step in workflow.steps:
        if step.loop_until is not None:
            view = NodeView(step.name, OwnCopy(inputs), OwnCopy(inputs))
            try:
                turns += loop_max(step, view, bindings) + 1
            except Exception:  # noqa: S112  (the step itself will fail with it, and be recorded)
                continue
    return turns

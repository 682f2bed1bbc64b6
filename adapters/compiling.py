"""`compile_workflow`: the one way from a definition and its handlers to a graph that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from .bindings import bind_dependency, bind_successor
from .compiled import CompiledWorkflow, Traversal, declaration_order
from .errors import WorkflowError
from .frontier import wire_frontier_breadth_first, wire_frontier_dependency
from .model import DependencyWorkflow, SuccessorWorkflow, Workflow
from .oracle_dependency import FailurePolicy
from .threads import fingerprint
from .views import Condition, Handler
from .wire_breadth_first import check_breadth_first, wire_breadth_first
from .wire_dependency import DependencySteps, wire_dependency

FRONTIER_ABOVE = 64
"""Above this number of steps the frontier form is chosen: from about here on it is the cheaper one (see benchmarks/)."""

FRONTIER_WIDTH = 128
"""Steps a superstep in the frontier form: LangGraph's own work is quadratic in the width above about 256."""

BY_STYLE: dict[str, Traversal] = {"successor": "breadth-first", "dependency": "dependency"}
WIRE_BREADTH_FIRST: dict[str, Callable[..., Any]] = {
    "edges": wire_breadth_first,
    "frontier": wire_frontier_breadth_first,
}


@dataclass(frozen=True)
class _Options:
    handlers: Mapping[str, Handler]
    checkpointer: Any
    failure_policy: FailurePolicy
    conditions: Mapping[str, Condition] | None
    form: str
    width: int


def compile_workflow(
    workflow: Workflow,
    handlers: Mapping[str, Handler],
    *,
    traversal: Traversal | None = None,
    checkpointer: Any = None,
    failure_policy: FailurePolicy = "fail",
    conditions: Mapping[str, Condition] | None = None,
    frontier_above: int = FRONTIER_ABOVE,
    frontier_width: int = FRONTIER_WIDTH,
) -> CompiledWorkflow:
    """Compile a workflow to a LangGraph graph under a traversal (by default the one of its style).

    `checkpointer` is any LangGraph saver. Above `frontier_above` steps the graph has the frontier form, whose cost of a step
    does not grow, with at most `frontier_width` steps a superstep, and in a synchronous run no more than 24 to 32 (the threads of
    Python's pool) or `max_concurrency`, but for a long workflow with a checkpointer, whose supersteps are one task each; both
    forms do and give the same. Raises WorkflowError when a handler or condition
    is missing or cannot be called, for an option that makes no sense, or when the traversal cannot run this workflow.
    """
    traversal = traversal or BY_STYLE[workflow.style]
    if traversal != BY_STYLE[workflow.style]:
        raise WorkflowError(
            f"workflow {workflow.name!r} is in {workflow.style} style and cannot run under the traversal {traversal!r}",
            mend=f"use {BY_STYLE[workflow.style]!r}, or rewrite the definition in the other style",
        )
    _check_options(workflow.name, failure_policy, frontier_width)
    steps = len(workflow.nodes) if isinstance(workflow, SuccessorWorkflow) else len(workflow.steps)
    form = "frontier" if steps > frontier_above else "edges"
    options = _Options(handlers, checkpointer, failure_policy, conditions, form, frontier_width)
    if isinstance(workflow, SuccessorWorkflow):
        return _compile_successor(workflow, options)
    return _compile_dependency(workflow, options)


def _check_options(workflow: str, failure_policy: str, frontier_width: int) -> None:
    if failure_policy not in get_args(FailurePolicy):
        raise WorkflowError(
            f"workflow {workflow!r}: there is no failure policy {failure_policy!r}",
            mend=f"use one of: {', '.join(get_args(FailurePolicy))}",
        )
    if frontier_width < 1:
        raise WorkflowError(
            f"workflow {workflow!r}: with a frontier_width of {frontier_width} no step could ever run",
            mend="give at least 1",
        )


def _compile_successor(workflow: SuccessorWorkflow, options: _Options) -> CompiledWorkflow:
    if options.failure_policy != "fail":
        raise WorkflowError(
            f"workflow {workflow.name!r}: breadth-first stops at a failure; it has no policy {options.failure_policy!r}",
            mend="handle recoverable errors inside the node's handler",
        )
    check_breadth_first(workflow)
    bindings = bind_successor(workflow, options.handlers, options.conditions)
    if options.checkpointer is None and any(node.kind == "human" for node in workflow.nodes):
        raise WorkflowError(
            f"workflow {workflow.name!r} has human nodes, but no checkpointer keeps it while it waits",
            mend="compile it with a checkpointer and run it with a thread_id",
        )
    wire = partial(WIRE_BREADTH_FIRST[options.form], workflow, bindings, options.checkpointer)
    return CompiledWorkflow(
        workflow,
        wire(),
        "breadth-first",
        "fail",
        options.form,
        fingerprint(workflow, f"breadth-first/{options.form}"),
        bindings,
        options.checkpointer,
        declaration_order(workflow),
        entered_at=wire,
    )


def _compile_dependency(workflow: DependencyWorkflow, options: _Options) -> CompiledWorkflow:
    bindings = bind_dependency(workflow, options.handlers, options.conditions)
    steps = DependencySteps(workflow, bindings, options.failure_policy)
    graph: Any
    if options.form == "frontier":
        graph = wire_frontier_dependency(workflow, steps, options.checkpointer, options.width)
    else:
        graph = wire_dependency(workflow, steps, options.checkpointer)
    # A thread of steps that are tasks each would be misread by one whose tasks are groups of them.
    form = f"{options.form}-groups" if getattr(graph, "grouped", False) else options.form
    return CompiledWorkflow(
        workflow,
        graph,
        "dependency",
        options.failure_policy,
        options.form,
        fingerprint(workflow, f"dependency/{options.failure_policy}/{form}"),
        bindings,
        options.checkpointer,
        declaration_order(workflow),
    )

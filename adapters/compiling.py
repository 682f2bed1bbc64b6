"""`compile_workflow`: the one way from a definition and its handlers to a graph that runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .bindings import bind_dependency, bind_successor
from .compiled import CompiledWorkflow, Traversal, declaration_order
from .errors import WorkflowError
from .model import DependencyWorkflow, SuccessorWorkflow, Workflow
from .oracle_dependency import FailurePolicy
from .threads import fingerprint
from .views import Condition, Handler
from .wire_breadth_first import check_breadth_first, wire_breadth_first
from .wire_dependency import DependencySteps, wire_dependency

BY_STYLE: dict[str, Traversal] = {"successor": "breadth-first", "dependency": "dependency"}


def compile_workflow(
    workflow: Workflow,
    handlers: Mapping[str, Handler],
    *,
    traversal: Traversal | None = None,
    checkpointer: Any = None,
    failure_policy: FailurePolicy = "fail",
    conditions: Mapping[str, Condition] | None = None,
) -> CompiledWorkflow:
    """Compile a workflow to a LangGraph graph under a traversal (by default the one of its style).

    `checkpointer` is any LangGraph saver. Raises WorkflowError when a handler or condition is missing, or when the
    traversal cannot run this workflow.
    """
    traversal = traversal or BY_STYLE[workflow.style]
    if traversal != BY_STYLE[workflow.style]:
        raise WorkflowError(
            f"workflow {workflow.name!r} is in {workflow.style} style and cannot run under the traversal {traversal!r}",
            mend=f"use {BY_STYLE[workflow.style]!r}, or rewrite the definition in the other style",
        )
    if isinstance(workflow, SuccessorWorkflow):
        return _compile_successor(workflow, handlers, checkpointer, failure_policy, conditions)
    return _compile_dependency(workflow, handlers, checkpointer, failure_policy, conditions)


def _compile_successor(
    workflow: SuccessorWorkflow,
    handlers: Mapping[str, Handler],
    checkpointer: Any,
    failure_policy: FailurePolicy,
    conditions: Mapping[str, Condition] | None,
) -> CompiledWorkflow:
    if failure_policy != "fail":
        raise WorkflowError(
            f"workflow {workflow.name!r}: breadth-first stops at a failure; it has no policy {failure_policy!r}",
            mend="handle recoverable errors inside the node's handler",
        )
    check_breadth_first(workflow)
    bindings = bind_successor(workflow, handlers, conditions)
    if checkpointer is None and any(node.kind == "human" for node in workflow.nodes):
        raise WorkflowError(
            f"workflow {workflow.name!r} has human nodes, but no checkpointer keeps it while it waits",
            mend="compile it with a checkpointer and run it with a thread_id",
        )
    return CompiledWorkflow(
        workflow,
        wire_breadth_first(workflow, bindings, checkpointer),
        "breadth-first",
        "fail",
        "edges",
        fingerprint(workflow, "breadth-first/edges"),
        bindings,
        checkpointer,
        declaration_order(workflow),
        partial(wire_breadth_first, workflow, bindings, checkpointer),
    )


def _compile_dependency(
    workflow: DependencyWorkflow,
    handlers: Mapping[str, Handler],
    checkpointer: Any,
    failure_policy: FailurePolicy,
    conditions: Mapping[str, Condition] | None,
) -> CompiledWorkflow:
    bindings = bind_dependency(workflow, handlers, conditions)
    graph = wire_dependency(workflow, DependencySteps(workflow, bindings, failure_policy), checkpointer)
    mark = fingerprint(workflow, f"dependency/{failure_policy}/edges")
    return CompiledWorkflow(
        workflow,
        graph,
        "dependency",
        failure_policy,
        "edges",
        mark,
        bindings,
        checkpointer,
        declaration_order(workflow),
    )

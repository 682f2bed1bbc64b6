"""Workflows: what they are (`definition`), what runs them (`walker`) and who builds it (`runtime_factory`)."""

from shop.workflows.definition import DefinitionError, WorkflowDefinition, available_workflows, load_workflow
from shop.workflows.walker import NodeOutcome, NodeState, WorkflowContext, WorkflowExecutor, WorkflowResult

__all__ = [
    "DefinitionError",
    "NodeOutcome",
    "NodeState",
    "WorkflowContext",
    "WorkflowDefinition",
    "WorkflowExecutor",
    "WorkflowResult",
    "available_workflows",
    "load_workflow",
]

"""Moved to `shop.workflows.walker` in 2.0; kept so that old imports work."""

from shop.workflows.walker import WorkflowExecutor, WorkflowResult, WorkflowWalker  # noqa: F401

CompiledWorkflowExecutor = WorkflowWalker

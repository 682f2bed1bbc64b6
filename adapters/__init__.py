"""What a workflow and a result are, and how a workflow runs on LangGraph in the old result shape.

This is the whole public API of the layer. Names are resolved when first used, so that importing the package imports neither
LangGraph nor pydantic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import (
        ConfigurationError,
        EnvironmentProblem,
        GraphliftError,
        PluginError,
        UnsupportedOptionError,
        UsageError,
        WorkflowError,
    )
    from .model import (
        ConditionNode,
        DependencyStep,
        DependencyWorkflow,
        HumanNode,
        ParallelNode,
        SuccessorWorkflow,
        TaskNode,
        Workflow,
        content_hash,
        parse_workflow,
    )
    from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult

_HOME = {
    "errors": (
        "ConfigurationError",
        "EnvironmentProblem",
        "GraphliftError",
        "PluginError",
        "UnsupportedOptionError",
        "UsageError",
        "WorkflowError",
    ),
    "model": (
        "ConditionNode",
        "DependencyStep",
        "DependencyWorkflow",
        "HumanNode",
        "ParallelNode",
        "SuccessorWorkflow",
        "TaskNode",
        "Workflow",
        "content_hash",
        "parse_workflow",
    ),
    "results": ("InterruptInfo", "NodeResult", "NodeStatus", "WorkflowContext", "WorkflowResult"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "ConditionNode",
    "ConfigurationError",
    "DependencyStep",
    "DependencyWorkflow",
    "EnvironmentProblem",
    "GraphliftError",
    "HumanNode",
    "InterruptInfo",
    "NodeResult",
    "NodeStatus",
    "ParallelNode",
    "PluginError",
    "SuccessorWorkflow",
    "TaskNode",
    "UnsupportedOptionError",
    "UsageError",
    "Workflow",
    "WorkflowContext",
    "WorkflowError",
    "WorkflowResult",
    "content_hash",
    "parse_workflow",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

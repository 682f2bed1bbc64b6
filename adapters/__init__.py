"""What a workflow and a result are, and how a workflow runs on LangGraph in the old result shape.

This is the whole public API of the layer. Names are resolved when first used, so that importing the package imports neither
LangGraph nor pydantic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .collecting import StreamEvent
    from .compiled import CompiledWorkflow, ThreadState, Traversal
    from .compiling import compile_workflow
    from .errors import (
        ConfigurationError,
        EnvironmentProblem,
        GraphliftError,
        PluginError,
        UnsupportedOptionError,
        UsageError,
        WorkflowError,
    )
    from .expressions import Expression, parse_expression
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
    from .oracle_breadth_first import arun_breadth_first, run_breadth_first
    from .oracle_dependency import FailurePolicy, arun_dependency, run_dependency
    from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult
    from .scope import RunScope, RunStopped
    from .threads import UNSET
    from .views import Condition, Handler, NodeView, StepOutput

_HOME: dict[str, tuple[str, ...]] = {
    "collecting": ("StreamEvent",),
    "compiled": ("CompiledWorkflow", "ThreadState", "Traversal"),
    "compiling": ("compile_workflow",),
    "errors": (
        "ConfigurationError",
        "EnvironmentProblem",
        "GraphliftError",
        "PluginError",
        "UnsupportedOptionError",
        "UsageError",
        "WorkflowError",
    ),
    "expressions": ("Expression", "parse_expression"),
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
    "oracle_breadth_first": ("arun_breadth_first", "run_breadth_first"),
    "oracle_dependency": ("FailurePolicy", "arun_dependency", "run_dependency"),
    "results": ("InterruptInfo", "NodeResult", "NodeStatus", "WorkflowContext", "WorkflowResult"),
    "scope": ("RunScope", "RunStopped"),
    "threads": ("UNSET",),
    "views": ("Condition", "Handler", "NodeView", "StepOutput"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "UNSET",
    "CompiledWorkflow",
    "Condition",
    "ConditionNode",
    "ConfigurationError",
    "DependencyStep",
    "DependencyWorkflow",
    "EnvironmentProblem",
    "Expression",
    "FailurePolicy",
    "GraphliftError",
    "Handler",
    "HumanNode",
    "InterruptInfo",
    "NodeResult",
    "NodeStatus",
    "NodeView",
    "ParallelNode",
    "PluginError",
    "RunScope",
    "RunStopped",
    "StepOutput",
    "StreamEvent",
    "SuccessorWorkflow",
    "TaskNode",
    "ThreadState",
    "Traversal",
    "UnsupportedOptionError",
    "UsageError",
    "Workflow",
    "WorkflowContext",
    "WorkflowError",
    "WorkflowResult",
    "arun_breadth_first",
    "arun_dependency",
    "compile_workflow",
    "content_hash",
    "parse_expression",
    "parse_workflow",
    "run_breadth_first",
    "run_dependency",
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

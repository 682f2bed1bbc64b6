"""What a workflow and a result are, and how a workflow runs on LangGraph in the old result shape.

This is the whole public API of the layer. Names are resolved when first used, so that importing the package imports neither
LangGraph nor pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy import lazy_exports

if TYPE_CHECKING:
    from .aliases import deprecated_alias
    from .batch import BatchItem, BatchPolicy, BatchProgress, BatchResult
    from .cache import CacheStatistics, CompileCache
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
    from .events import RunEvent, Subscriber
    from .executor import GraphWorkflowExecutor, WorkflowFailedError
    from .expressions import Expression, parse_expression
    from .loaders import load_python, load_workflow
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
    from .options import LEGACY_OPTIONS, LegacyOption, Verdict, options_table
    from .oracle_breadth_first import arun_breadth_first, run_breadth_first
    from .oracle_dependency import FailurePolicy, arun_dependency, run_dependency
    from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult
    from .scope import RunScope, RunStopped
    from .session import RunOptions
    from .shapes import ClassShape, DictShape, NeutralShape, ResultShape
    from .threads import UNSET
    from .views import Condition, Handler, NodeView, StepOutput

_HOME: dict[str, tuple[str, ...]] = {
    "aliases": ("deprecated_alias",),
    "batch": ("BatchItem", "BatchPolicy", "BatchProgress", "BatchResult"),
    "cache": ("CacheStatistics", "CompileCache"),
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
    "events": ("RunEvent", "Subscriber"),
    "executor": ("GraphWorkflowExecutor", "WorkflowFailedError"),
    "expressions": ("Expression", "parse_expression"),
    "loaders": ("load_python", "load_workflow"),
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
    "options": ("LEGACY_OPTIONS", "LegacyOption", "Verdict", "options_table"),
    "oracle_breadth_first": ("arun_breadth_first", "run_breadth_first"),
    "oracle_dependency": ("FailurePolicy", "arun_dependency", "run_dependency"),
    "results": ("InterruptInfo", "NodeResult", "NodeStatus", "WorkflowContext", "WorkflowResult"),
    "scope": ("RunScope", "RunStopped"),
    "session": ("RunOptions",),
    "shapes": ("ClassShape", "DictShape", "NeutralShape", "ResultShape"),
    "threads": ("UNSET",),
    "views": ("Condition", "Handler", "NodeView", "StepOutput"),
}

__all__ = [
    "LEGACY_OPTIONS",
    "UNSET",
    "BatchItem",
    "BatchPolicy",
    "BatchProgress",
    "BatchResult",
    "CacheStatistics",
    "ClassShape",
    "CompileCache",
    "CompiledWorkflow",
    "Condition",
    "ConditionNode",
    "ConfigurationError",
    "DependencyStep",
    "DependencyWorkflow",
    "DictShape",
    "EnvironmentProblem",
    "Expression",
    "FailurePolicy",
    "GraphWorkflowExecutor",
    "GraphliftError",
    "Handler",
    "HumanNode",
    "InterruptInfo",
    "LegacyOption",
    "NeutralShape",
    "NodeResult",
    "NodeStatus",
    "NodeView",
    "ParallelNode",
    "PluginError",
    "ResultShape",
    "RunEvent",
    "RunOptions",
    "RunScope",
    "RunStopped",
    "StepOutput",
    "StreamEvent",
    "Subscriber",
    "SuccessorWorkflow",
    "TaskNode",
    "ThreadState",
    "Traversal",
    "UnsupportedOptionError",
    "UsageError",
    "Verdict",
    "Workflow",
    "WorkflowContext",
    "WorkflowError",
    "WorkflowFailedError",
    "WorkflowResult",
    "arun_breadth_first",
    "arun_dependency",
    "compile_workflow",
    "content_hash",
    "deprecated_alias",
    "load_python",
    "load_workflow",
    "options_table",
    "parse_expression",
    "parse_workflow",
    "run_breadth_first",
    "run_dependency",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)

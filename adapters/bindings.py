"""A workflow together with the code it names: handlers and conditions, looked up and checked before any node runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any

from .activation import is_async
from .errors import WorkflowError
from .expressions import parse_expression
from .graphs import ancestors
from .model import (
    ConditionNode,
    DependencyStep,
    DependencyWorkflow,
    HumanNode,
    ParallelNode,
    SuccessorWorkflow,
    TaskNode,
)
from .views import Condition, Handler, NodeView

Rule = Callable[[NodeView], Any]


@dataclass(frozen=True)
class Bindings:
    """Per step: its handler, and its rules (`condition`, `when`, `loop_until`, `loop_max`) as callables over a view."""

    handlers: Mapping[str, Handler]
    rules: Mapping[tuple[str, str], Rule] = field(default_factory=dict)
    tasks: Mapping[str, TaskNode] = field(default_factory=dict)

    def rule(self, step: str, kind: str) -> Rule | None:
        """The rule of that kind, None when the step has none."""
        return self.rules.get((step, kind))


def bind_successor(
    workflow: SuccessorWorkflow, handlers: Mapping[str, Handler], conditions: Mapping[str, Condition] | None = None
) -> Bindings:
    """Look up every handler and condition. Raises WorkflowError naming the node for one that is missing or invalid."""
    tasks = [node for node in workflow.nodes if isinstance(node, TaskNode)]
    rules = {
        (node.name, "condition"): _rule(workflow, node, "condition", node.condition, conditions or {})
        for node in workflow.nodes
        if isinstance(node, ConditionNode)
    }
    found = {task.name: _handler(workflow.name, task, handlers) for task in tasks}
    return Bindings(found, rules, {task.name: task for task in tasks})


def bind_dependency(
    workflow: DependencyWorkflow, handlers: Mapping[str, Handler], conditions: Mapping[str, Condition] | None = None
) -> Bindings:
    """Look up every handler and rule. Raises WorkflowError naming the step, also when a rule reads what it never sees."""
    rules: dict[tuple[str, str], Rule] = {}
    for step in workflow.steps:
        for kind, text in (("when", step.when), ("loop_until", step.loop_until)):
            if text is not None:
                rules[step.name, kind] = _rule(workflow, step, kind, text, conditions or {})
        if isinstance(step.loop_max, str):
            rules[step.name, "loop_max"] = _loop_max(workflow.name, step)
    _check_reach(workflow, conditions or {})
    return Bindings({step.name: _handler(workflow.name, step, handlers) for step in workflow.steps}, rules)


def _handler(workflow: str, step: TaskNode | DependencyStep, handlers: Mapping[str, Handler]) -> Handler:
    handler = handlers.get(step.handler_name)
    if handler is None:
        raise WorkflowError(
            f"workflow {workflow!r}: step {step.name!r} needs the handler {step.handler_name!r}, which was not given",
            mend=f"add it to the handlers{_close(step.handler_name, handlers)}",
        )
    if not callable(handler):
        raise WorkflowError(
            f"workflow {workflow!r}: the handler {step.handler_name!r} of step {step.name!r} is not callable",
            mend="give a function of one argument, the view",
        )
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise WorkflowError(
            f"workflow {workflow!r}: the handler {step.handler_name!r} of step {step.name!r} is a generator; its body would "
            "never run",
            mend="return the values, as a list for instance, instead of yielding them",
        )
    return handler


def _close(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


AnyStep = TaskNode | ConditionNode | ParallelNode | HumanNode | DependencyStep


def _rule(
    workflow: SuccessorWorkflow | DependencyWorkflow,
    step: AnyStep,
    kind: str,
    text: str,
    conditions: Mapping[str, Condition],
) -> Rule:
    where = f"workflow {workflow.name!r}: {kind} of {step.name!r}"
    if text in conditions:
        return _named(where, text, conditions[text])
    if text.isidentifier() and text not in ("inputs", "data", "results", "status", "True", "False", "None"):
        raise WorkflowError(
            f"{where}: {text!r} is neither a condition that was given nor an expression",
            mend=f"add {text!r} to `conditions`{_close(text, conditions)}",
        )
    expression = _parsed(where, text, ("inputs", "data", "results", "status"))
    unknown = sorted(expression.steps - set(workflow.by_name()))
    if unknown:
        raise WorkflowError(
            f"{where} reads {unknown[0]!r}, which is not a step", mend="correct the name; it would always read as None"
        )
    return lambda view: expression.evaluate(view.scope())


def _named(where: str, text: str, condition: Condition) -> Rule:
    if not callable(condition):
        raise WorkflowError(
            f"{where}: the condition {text!r} is not callable", mend="give a function of one argument, the view"
        )
    if is_async(condition):
        raise WorkflowError(f"{where}: {_COROUTINE.format(text)}", mend=_DECIDE)
    return partial(_decided, text, condition)


_COROUTINE = "the condition {0!r} gives a coroutine, which would always read as true"
_DECIDE = "make it a plain function; what has to be awaited belongs in a step, whose output the condition reads"


def _decided(text: str, condition: Condition, view: NodeView) -> Any:
    verdict = condition(view)
    if inspect.isawaitable(verdict):
        if inspect.iscoroutine(verdict):
            verdict.close()
        raise TypeError(f"{_COROUTINE.format(text)}; {_DECIDE}")
    return verdict


def _loop_max(workflow: str, step: DependencyStep) -> Rule:
    expression = _parsed(f"workflow {workflow!r}: loop_max of {step.name!r}", str(step.loop_max), ("inputs",))
    return lambda view: expression.evaluate({"inputs": view.inputs})


def _parsed(where: str, text: str, names: tuple[str, ...]) -> Any:
    try:
        return parse_expression(text, names)
    except WorkflowError as error:
        raise WorkflowError(f"{where}: {error.message}", mend=error.mend) from error


def _check_reach(workflow: DependencyWorkflow, conditions: Mapping[str, Condition]) -> None:
    """A rule may read only what the step waits for: anything else may or may not be there when it is evaluated."""
    steps = workflow.by_name()
    rules = [
        (step, kind, text)
        for step in workflow.steps
        for kind, text in (("when", step.when), ("loop_until", step.loop_until))
        if text is not None and text not in conditions
    ]
    if not rules:
        return
    masks, index = ancestors(steps), {name: i for i, name in enumerate(steps)}
    for step, kind, text in rules:
        own = {step.name} if kind == "loop_until" else set()
        for name in sorted(parse_expression(text).steps - own):
            if not masks[step.name] >> index[name] & 1:
                raise WorkflowError(
                    f"workflow {workflow.name!r}: {kind} of {step.name!r} reads {name!r}, for which it does not wait",
                    mend=f"add {name!r} to depends_on of {step.name!r}",
                )

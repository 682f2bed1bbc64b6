"""The reference executor: exactly what an in-degree executor does (ADR-062), and no more.

It is the specification that the compiled graph is compared with, small enough to be read. Steps that are ready together run
one after the other in declaration order, so that its own runs are repeatable; what a step sees does not depend on that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from .bindings import Bindings, bind_dependency
from .driving import Ask, Work, adrive, drive
from .graphs import ancestors, dependents_of
from .model import DependencyStep, DependencyWorkflow
from .oracle_breadth_first import finished
from .results import NodeResult, NodeStatus, WorkflowResult
from .scope import RunScope
from .turning import blocked, is_failed, turn
from .views import Condition, Handler, NodeView, OwnCopy, Visible

FailurePolicy = Literal["fail", "skip-dependents", "run-dependents"]


def run_dependency(
    workflow: DependencyWorkflow,
    handlers: Mapping[str, Handler],
    inputs: Mapping[str, Any] | None = None,
    *,
    failure_policy: FailurePolicy = "fail",
    conditions: Mapping[str, Condition] | None = None,
) -> WorkflowResult:
    """Run every step once, after all its dependencies, on this thread.

    Under `fail` the steps that were ready together with a failing one still run, and nothing after them. Raises
    WorkflowError when a handler or condition is missing; failures of steps are in the result.
    """
    bindings = bind_dependency(workflow, handlers, conditions)
    with RunScope() as scope:
        return drive(_execute(workflow, bindings, dict(inputs or {}), failure_policy), scope, _nobody)


async def arun_dependency(
    workflow: DependencyWorkflow,
    handlers: Mapping[str, Handler],
    inputs: Mapping[str, Any] | None = None,
    *,
    failure_policy: FailurePolicy = "fail",
    conditions: Mapping[str, Condition] | None = None,
) -> WorkflowResult:
    """The same on the running loop; synchronous handlers run on threads."""
    bindings = bind_dependency(workflow, handlers, conditions)
    with RunScope() as scope:
        return await adrive(_execute(workflow, bindings, dict(inputs or {}), failure_policy), scope, _nobody)


def _nobody(question: Ask) -> Any:
    raise AssertionError(f"dependency style has no human steps, but {question.node!r} asked")


class _Seen:
    """What has finished so far, as each step sees it: only what it waits for."""

    def __init__(self, workflow: DependencyWorkflow, inputs: dict[str, Any]) -> None:
        steps = workflow.by_name()
        self.inputs = inputs
        self.masks, self.index = ancestors(steps), {name: bit for bit, name in enumerate(steps)}
        self.results: dict[str, NodeResult] = {}
        self.outputs: dict[str, Any] = {}
        self.status: dict[str, str] = {}

    def add(self, result: NodeResult) -> None:
        self.results[result.node_id] = result
        self.status[result.node_id] = result.status.value
        self.outputs.pop(result.node_id, None)
        if result.status in (NodeStatus.COMPLETED, NodeStatus.RUNNING):
            self.outputs[result.node_id] = result.output

    def view(self, name: str, previous: NodeResult | None) -> NodeView:
        mask = self.masks[name] | (0 if previous is None else 1 << self.index[name])
        results, status = Visible(self.outputs, mask, self.index), Visible(self.status, mask, self.index)
        runs = 0 if previous is None else previous.runs
        return NodeView(name, OwnCopy(self.inputs), OwnCopy(self.inputs), OwnCopy(results), OwnCopy(status), runs)


def _execute(
    workflow: DependencyWorkflow, bindings: Bindings, inputs: dict[str, Any], policy: FailurePolicy
) -> Work[WorkflowResult]:
    started = time.perf_counter()
    steps, dependents = workflow.by_name(), dependents_of(workflow.by_name())
    waiting = {name: len(set(step.depends_on)) for name, step in steps.items()}
    seen = _Seen(workflow, inputs)
    ready = [name for name, count in waiting.items() if not count]
    while ready:
        for name in ready:
            failed = [needed for needed in dict.fromkeys(steps[name].depends_on) if is_failed(seen.results[needed])]
            if failed and policy == "skip-dependents":
                seen.add(blocked(name, failed))
            else:
                seen.add((yield from _every_turn(steps[name], seen, bindings)))
        if policy == "fail" and any(is_failed(seen.results[name]) for name in ready):
            break
        ready = _released(ready, waiting, dependents, seen.index)
    return finished(workflow.name, dict(inputs), seen.results, time.perf_counter() - started)


def _released(
    ready: list[str], waiting: dict[str, int], dependents: dict[str, list[str]], index: Mapping[str, int]
) -> list[str]:
    released = set()
    for name in ready:
        for dependent in dependents[name]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                released.add(dependent)
    return sorted(released, key=index.__getitem__)


def _every_turn(step: DependencyStep, seen: _Seen, bindings: Bindings) -> Work[NodeResult]:
    """One execution of a step, its loop inside it."""
    previous: NodeResult | None = None
    while True:
        done = yield from turn(step, seen.view(step.name, previous), bindings, previous)
        if not done.again:
            return done.result
        seen.add(done.result)
        previous = done.result

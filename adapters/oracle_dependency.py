"""The reference executor: exactly what an in-degree executor does (ADR-062), and no more.

It is the specification that the compiled graph is compared with, small enough to be read. Time passes in rounds, in each of
which every step that is ready takes one turn, one after the other in declaration order; so its runs are repeatable, and which
of two failures came first is told by the definition alone. A loop takes a round a turn, and one more to be left. What a step
sees does not depend on any of that.
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
from .turning import blocked, is_failed, turn, unfinished
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

    Under `fail` the steps that were ready together with a failing one still take their turn, and nothing after them. Raises
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
        # The last turn gives a step its place in the order of execution.
        self.results.pop(result.node_id, None)
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
    steps, seen, rounds = workflow.by_name(), _Seen(workflow, inputs), _Rounds(workflow)
    while rounds.ready or rounds.leaving:
        for name in rounds.ready:
            failed = [needed for needed in dict.fromkeys(steps[name].depends_on) if is_failed(seen.results[needed])]
            again = False
            if failed and policy == "skip-dependents":
                seen.add(blocked(name, failed))
            else:
                again = yield from _one_turn(steps[name], seen, bindings)
            rounds.turned(name, again)
        if policy == "fail" and any(is_failed(seen.results[name]) for name in rounds.ready):
            break
        rounds.go_on()
    results = {name: unfinished(result) for name, result in seen.results.items()}
    return finished(workflow.name, dict(inputs), results, time.perf_counter() - started)


def _one_turn(step: DependencyStep, seen: _Seen, bindings: Bindings) -> Work[bool]:
    """Take one turn of a step; whether its loop goes on."""
    latest = seen.results.get(step.name)
    done = yield from turn(step, seen.view(step.name, latest), bindings, latest)
    seen.add(done.result)
    return done.again


class _Rounds:
    """Which steps are `ready` in this round. `leaving`: loops that ended in the round before."""

    def __init__(self, workflow: DependencyWorkflow) -> None:
        self._steps, self._dependents = workflow.by_name(), dependents_of(workflow.by_name())
        self._index = {name: place for place, name in enumerate(self._steps)}
        self._waiting = {name: len(set(step.depends_on)) for name, step in self._steps.items()}
        self.ready = [name for name, count in self._waiting.items() if not count]
        self.leaving: list[str] = []
        self._ended: list[str] = []
        self._again: list[str] = []

    def turned(self, name: str, again: bool) -> None:
        (self._again if again else self._ended).append(name)

    def go_on(self) -> None:
        loops = [name for name in self._ended if self._steps[name].loop_until is not None]
        released = set(self._again)
        for name in [*self.leaving, *(name for name in self._ended if name not in loops)]:
            for dependent in self._dependents[name]:
                self._waiting[dependent] -= 1
                if not self._waiting[dependent]:
                    released.add(dependent)
        self.ready, self.leaving = sorted(released, key=self._index.__getitem__), loops
        self._ended, self._again = [], []

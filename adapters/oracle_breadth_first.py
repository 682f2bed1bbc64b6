"""The reference walker: exactly what a breadth-first walker with a visited set does (ADR-030), and no more.

It is the specification that the compiled graph is compared with, small enough to be read. It keeps no checkpoints.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from .bindings import Bindings, bind_successor
from .driving import Answer, Ask, Calls, Work, adrive, drive
from .model import SuccessorWorkflow
from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult
from .scope import RunScope
from .views import Condition, Handler, NodeView, OwnCopy
from .visiting import Visit, visit


def run_breadth_first(
    workflow: SuccessorWorkflow,
    handlers: Mapping[str, Handler],
    inputs: Mapping[str, Any] | None = None,
    *,
    conditions: Mapping[str, Condition] | None = None,
    answers: Mapping[str, Any] | None = None,
) -> WorkflowResult:
    """Walk the workflow on this thread: FIFO frontier, one node at a time, each node once, at its first arrival.

    `answers` are what people say at human nodes, by node; without one the walk pauses there. Raises WorkflowError when a
    handler or condition is missing; a failing node ends the walk and is in the result.
    """
    walk = _walk(workflow, bind_successor(workflow, handlers, conditions), dict(inputs or {}))
    with RunScope() as scope:
        return drive(walk, scope, _answering(answers or {}))


async def arun_breadth_first(
    workflow: SuccessorWorkflow,
    handlers: Mapping[str, Handler],
    inputs: Mapping[str, Any] | None = None,
    *,
    conditions: Mapping[str, Condition] | None = None,
    answers: Mapping[str, Any] | None = None,
) -> WorkflowResult:
    """The same walk on the running loop; synchronous handlers run on threads."""
    walk = _walk(workflow, bind_successor(workflow, handlers, conditions), dict(inputs or {}))
    with RunScope() as scope:
        return await adrive(walk, scope, _answering(answers or {}))


class _Unanswered:
    """What a human node gets when nobody answered: the walk pauses."""


def _answering(answers: Mapping[str, Any]) -> Answer:
    return lambda question: answers.get(question.node, _Unanswered)


def _walk(workflow: SuccessorWorkflow, bindings: Bindings, inputs: dict[str, Any]) -> Work[WorkflowResult]:
    started = time.perf_counter()
    nodes = workflow.by_name()
    frontier, visited = deque([workflow.start]), {workflow.start}
    seen = _Seen(inputs)
    interrupt: InterruptInfo | None = None
    while frontier:
        name = frontier.popleft()
        try:
            done = yield from _until_question(visit(nodes[name], seen.view(name), bindings))
        except _Paused as pause:
            interrupt = InterruptInfo(name, None, pause.payload)
            seen.results[name] = NodeResult(name, NodeStatus.INTERRUPTED)
            break
        seen.add(done)
        if not done.result.success:
            break
        fresh = [target for target in dict.fromkeys(done.targets) if target not in visited]
        visited.update(fresh)
        frontier.extend(fresh)
    return finished(workflow.name, seen.data, seen.results, time.perf_counter() - started, interrupt)


class _Seen:
    """What has happened so far, as the next node sees it."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.inputs, self.data = inputs, dict(inputs)
        self.results: dict[str, NodeResult] = {}
        self.outputs: dict[str, Any] = {}
        self.status: dict[str, str] = {}

    def view(self, name: str) -> NodeView:
        return NodeView(name, OwnCopy(self.inputs), OwnCopy(self.data), OwnCopy(self.outputs), OwnCopy(self.status))

    def add(self, done: Visit) -> None:
        result = done.result
        self.results[result.node_id] = result
        self.status[result.node_id] = result.status.value
        if result.status is NodeStatus.COMPLETED:
            self.outputs[result.node_id] = result.output
        self.data.update(done.changes)


class _Paused(Exception):  # noqa: N818
    def __init__(self, payload: Any) -> None:
        super().__init__()
        self.payload = payload


def _until_question(step: Work[Visit]) -> Work[Visit]:
    reply: Any = None
    try:
        while True:
            request: Calls | Ask = step.send(reply)
            reply = yield request
            if reply is _Unanswered and isinstance(request, Ask):
                raise _Paused(request.payload)
    except StopIteration as end:
        done: Visit = end.value
        return done


def finished(
    name: str,
    data: dict[str, Any],
    results: dict[str, NodeResult],
    seconds: float,
    interrupt: InterruptInfo | None = None,
) -> WorkflowResult:
    """The result of a run whose node results are given in execution order."""
    failed = [result for result in results.values() if result.status in (NodeStatus.FAILED, NodeStatus.CANCELLED)]
    return WorkflowResult(
        name,
        success=not failed and interrupt is None,
        context=WorkflowContext(data, results),
        total_duration=seconds,
        total_tool_calls=sum(result.tool_calls_used for result in results.values()),
        error=next((result.error for result in failed if result.error), None),
        interrupt=interrupt,
    )

"""The seam to the graph engine: the shop's definitions go in, the shop's results come out, LangGraph does the walking.

Nothing here decides what runs next. `ShopExecutor` takes what `WorkflowWalker` took, so that it can stand in its place.
"""

from __future__ import annotations

import inspect
import uuid
import warnings
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphlift import adapters as graph

from shop.workflows.conditions import evaluate
from shop.workflows.definition import ConditionNode, Node, ParallelNode, TaskNode, WorkflowDefinition
from shop.workflows.walker import NodeOutcome, NodeState, WorkflowContext, WorkflowResult

Handlers = Mapping[str, Callable[..., Any]]


# -- definitions in ----------------------------------------------------------------------------------------------------


def to_graph(
    workflow: WorkflowDefinition, *, max_concurrency: int = 4, default_timeout: float | None = None
) -> graph.SuccessorWorkflow:
    """The same workflow for the graph engine. A node's handler goes by the node's name, since it has its own params."""

    def convert(node: Node) -> Any:
        if isinstance(node, ConditionNode):
            return graph.ConditionNode(
                name=node.id, condition=node.expression, branches=dict(node.branches), default=node.default
            )
        if isinstance(node, ParallelNode):
            return graph.ParallelNode(
                name=node.id, branches=node.branches, join=node.join, max_concurrency=max_concurrency, next=node.next
            )
        return graph.TaskNode(
            name=node.id, next=node.next, retries=node.attempts, timeout=node.timeout or default_timeout
        )

    return graph.SuccessorWorkflow(
        name=workflow.name, start=workflow.start, nodes=tuple(convert(node) for node in workflow.nodes.values())
    )


def conditions_of(workflow: WorkflowDefinition) -> dict[str, Callable[[graph.NodeView], str]]:
    """The shop's expressions stay the shop's: the graph asks `evaluate`."""
    nodes = (node for node in workflow.nodes.values() if isinstance(node, ConditionNode))
    return {node.expression: partial(_label, node.expression) for node in nodes}


def _label(expression: str, view: graph.NodeView) -> str:
    return evaluate(expression, dict(view.data))


def handlers_of(workflow: WorkflowDefinition, handlers: Handlers, services: Any) -> dict[str, Callable[..., Any]]:
    """One callable a task node, of a view instead of (data, services, **params)."""
    tasks = (node for node in workflow.nodes.values() if isinstance(node, TaskNode))
    return {node.id: _bound(node, handlers.get(node.handler), services) for node in tasks}


def _bound(node: TaskNode, handler: Callable[..., Any] | None, services: Any) -> Callable[[graph.NodeView], Any]:
    if handler is None:
        return partial(_missing, node.handler)
    call = _call_async if inspect.iscoroutinefunction(handler) else _call
    return partial(call, handler, services, node.params)


def _missing(name: str, view: graph.NodeView) -> None:
    # As before: a handler that does not exist fails its node, not the whole definition.
    raise LookupError(f"no handler {name!r}")


def _call(handler: Callable[..., Any], services: Any, params: Mapping[str, Any], view: graph.NodeView) -> Any:
    return handler(dict(view.data), services, **params)


async def _call_async(
    handler: Callable[..., Any], services: Any, params: Mapping[str, Any], view: graph.NodeView
) -> Any:
    return await handler(dict(view.data), services, **params)


# -- results out -------------------------------------------------------------------------------------------------------

_STATES = {graph.NodeStatus.COMPLETED: NodeState.DONE, graph.NodeStatus.CANCELLED: NodeState.CANCELLED}
_STATUSES = {
    NodeState.DONE: graph.NodeStatus.COMPLETED,
    NodeState.FAILED: graph.NodeStatus.FAILED,
    NodeState.CANCELLED: graph.NodeStatus.CANCELLED,
}


@dataclass(frozen=True)
class ShopShape:
    """The graph's results as the shop's own classes, and back."""

    id: str = "shop"
    summary: str = "shop.workflows.walker.WorkflowResult"
    run_id: str = ""

    def build(self, result: graph.WorkflowResult) -> WorkflowResult:
        context = WorkflowContext(self.run_id, dict(result.context.data))
        error = None
        for node in result.context.node_results.values():
            for ended in (*node.children, node):
                context.outcomes[ended.node_id] = _outcome(ended)
            if not node.success and error is None:
                error = f"{node.node_id}: {context.outcomes[node.node_id].error}"
        return WorkflowResult(
            result.workflow_name, result.success, context, error or _stopped(result.error), result.total_duration
        )

    def read(self, value: WorkflowResult) -> graph.WorkflowResult:
        results = {
            outcome.node_id: graph.NodeResult(
                outcome.node_id,
                _STATUSES[outcome.state],
                outcome.output,
                outcome.error,
                outcome.seconds,
                metadata={"attempts": outcome.attempts},
            )
            for outcome in value.context.outcomes.values()
        }
        context = graph.WorkflowContext(dict(value.data), results)
        return graph.WorkflowResult(value.workflow, value.ok, context, value.seconds, error=value.error)


def _outcome(node: graph.NodeResult) -> NodeOutcome:
    failed = next((child for child in node.children if not child.success), None)
    error = node.error and (f"{failed.node_id}: {_told(failed.error)}" if failed else _told(node.error))
    state = _STATES.get(node.status, NodeState.FAILED)
    return NodeOutcome(node.node_id, state, node.output, error, node.duration_seconds, node.metadata.get("attempts", 1))


def _told(error: str | None) -> str:
    return "timed out" if error and error.startswith("TimeoutError") else error or ""


def _stopped(error: str | None) -> str | None:
    return "cancelled" if error and error.startswith("CancelledError") else error


# -- in the walker's place ---------------------------------------------------------------------------------------------


class ShopExecutor:
    """Runs workflows on the graph engine.

    `handlers` maps a handler's name to a function of (data, services, **params), sync or async; sync ones run on a
    thread. `max_concurrency` (once `max_workers`) bounds a parallel group. `trace` says nothing any more: use `stream`.
    """

    def __init__(
        self,
        handlers: Handlers,
        services: Any = None,
        *,
        max_concurrency: int = 4,
        default_timeout: float | None = None,
        max_workers: int | None = None,
        checkpoints: None = None,
        trace: bool = False,
    ) -> None:
        if checkpoints is not None:
            raise TypeError("the walker's checkpoints cannot be read any more; give the graph a checkpointer")
        if trace:
            warnings.warn("trace=True has no effect; use ShopExecutor.stream", DeprecationWarning, stacklevel=2)
        self._handlers, self._services = handlers, services
        self._max_concurrency = max_workers or max_concurrency
        self._default_timeout = default_timeout
        self._running: dict[str, graph.GraphWorkflowExecutor] = {}

    async def execute(
        self, workflow: WorkflowDefinition, data: Mapping[str, Any] | None = None, *, run_id: str | None = None
    ) -> WorkflowResult:
        """Run a workflow from its start. Never raises for a failed node."""
        run_id = run_id or uuid.uuid4().hex
        self._running[run_id] = engine = self._engine(workflow, run_id)
        try:
            return await engine.execute(workflow, dict(data or {}), run_id=run_id)
        finally:
            del self._running[run_id]

    def execute_sync(self, workflow: WorkflowDefinition, data: Mapping[str, Any] | None = None) -> WorkflowResult:
        """`execute`, for scripts without an event loop."""
        return self._engine(workflow, uuid.uuid4().hex).execute_sync(workflow, dict(data or {}))

    async def stream(
        self, workflow: WorkflowDefinition, data: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[NodeOutcome | WorkflowResult, None]:
        """The outcome of each node as it ends, a failed one too, and at last the result."""
        run_id = uuid.uuid4().hex
        engine = self._engine(workflow, run_id)
        try:
            # Closed at once when the caller stops listening, so that no further node is started.
            async with aclosing(engine.astream(workflow, dict(data or {}), run_id=run_id)) as events:
                async for event in events:
                    if event.node_result is not None:
                        yield _outcome(event.node_result)
                    elif event.result is not None:
                        yield engine.shape.build(event.result)
        except graph.WorkflowFailedError as failure:
            result = engine.shape.build(failure.result)
            failed = [outcome for outcome in result.context.outcomes.values() if outcome.state is not NodeState.DONE]
            if failed:
                yield failed[-1]
            yield result

    def cancel(self, run_id: str) -> None:
        """Stop a run that `execute` has begun."""
        if run_id in self._running:
            self._running[run_id].cancel(run_id)

    def _engine(self, workflow: WorkflowDefinition, run_id: str) -> graph.GraphWorkflowExecutor:
        return graph.GraphWorkflowExecutor(
            handlers_of(workflow, self._handlers, self._services),
            conditions=conditions_of(workflow),
            shape=ShopShape(run_id=run_id),
            definition=partial(to_graph, max_concurrency=self._max_concurrency, default_timeout=self._default_timeout),
        )


def create_engine(handlers: Handlers, services: Any = None, *, max_concurrency: int = 4) -> ShopExecutor:
    """The executor that code should build; `ShopExecutor` is its type."""
    return ShopExecutor(handlers, services, max_concurrency=max_concurrency)

"""The workflow walker.

Runs a `WorkflowDefinition` breadth first: a queue of node ids, a set of those that were visited, one node at a time.
Started in 2023 as forty lines in the order script. Retries came with the first card gateway, parallel groups with the
second courier, checkpoints with the power cut.

The result types at the top are what everybody else uses; the walker itself is everything below them.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from shop.workflows.conditions import evaluate
from shop.workflows.definition import ConditionNode, Node, ParallelNode, TaskNode, WorkflowDefinition, load_workflow

log = logging.getLogger(__name__)


class NodeState(str, Enum):
    """How a node ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass
class NodeOutcome:
    """What became of one node. `output` is what its handler returned; a condition's is its label."""

    node_id: str
    state: NodeState
    output: Any = None
    error: str | None = None
    seconds: float = 0.0
    attempts: int = 1


@dataclass
class WorkflowContext:
    """The data that nodes read and add to, and the outcomes so far."""

    run_id: str
    data: dict[str, Any] = field(default_factory=dict)
    outcomes: dict[str, NodeOutcome] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class WorkflowResult:
    """What `execute` returns. It does not raise for a failed node: look at `ok` and `error`."""

    workflow: str
    ok: bool
    context: WorkflowContext
    error: str | None = None
    seconds: float = 0.0

    @property
    def data(self) -> dict[str, Any]:
        return self.context.data

    @property
    def visited(self) -> list[str]:
        """The ids of the nodes that ran, in the order in which they ended."""
        return list(self.context.outcomes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "workflow": self.workflow,
            "ok": self.ok,
            "error": self.error,
            "data": self.data,
            "nodes": {node_id: outcome.state.value for node_id, outcome in self.context.outcomes.items()},
        }


class CheckpointStore:
    """Walker state as JSON files, one a run, so that a run survives a power cut."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, run_id: str, state: Mapping[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        target = self._folder / f"{run_id}.json"
        draft = target.with_suffix(".tmp")
        draft.write_text(json.dumps(state, default=str), encoding="utf-8")
        draft.replace(target)

    def load(self, run_id: str) -> dict[str, Any] | None:
        target = self._folder / f"{run_id}.json"
        return json.loads(target.read_text(encoding="utf-8")) if target.is_file() else None

    def forget(self, run_id: str) -> None:
        (self._folder / f"{run_id}.json").unlink(missing_ok=True)


class WorkflowWalker:
    """Walks a workflow and calls its handlers.

    `handlers` maps a handler's name to a function of (data, services, **params), sync or async; sync ones run on a
    thread. `max_workers` bounds a parallel group. `trace=True` logs every node and keeps the log in the context's
    metadata.
    """

    def __init__(
        self,
        handlers: Mapping[str, Callable[..., Any]],
        services: Any = None,
        *,
        max_workers: int = 4,
        default_timeout: float | None = None,
        checkpoints: CheckpointStore | None = None,
        trace: bool = False,
    ) -> None:
        self._handlers = handlers
        self._services = services
        self._max_workers = max_workers
        self._default_timeout = default_timeout
        self._checkpoints = checkpoints
        self._trace = trace
        self._cancelled: set[str] = set()

    # -- what others call ----------------------------------------------------------------------------------------

    async def execute(
        self,
        workflow: WorkflowDefinition,
        data: Mapping[str, Any] | None = None,
        *,
        run_id: str | None = None,
    ) -> WorkflowResult:
        """Run a workflow from its start. Never raises for a failed node."""
        context = self._new_context(data, run_id)
        return await self._walk(workflow, context, deque([workflow.start]), set())

    async def execute_by_name(self, name: str, data: Mapping[str, Any] | None = None) -> WorkflowResult:
        return await self.execute(load_workflow(name), data)

    def execute_sync(self, workflow: WorkflowDefinition, data: Mapping[str, Any] | None = None) -> WorkflowResult:
        """For scripts: `execute` with an event loop of its own."""
        return asyncio.run(self.execute(workflow, data))

    async def resume(self, workflow: WorkflowDefinition, run_id: str) -> WorkflowResult:
        """Go on with a run from its last checkpoint; `KeyError` if there is none."""
        saved = self._checkpoints.load(run_id) if self._checkpoints else None
        if saved is None:
            raise KeyError(f"no checkpoint for run {run_id}")
        context = self._new_context(saved["data"], run_id)
        for raw in saved["outcomes"]:
            context.outcomes[raw["node_id"]] = NodeOutcome(**{**raw, "state": NodeState(raw["state"])})
        return await self._walk(workflow, context, deque(saved["pending"]), set(saved["visited"]))

    def cancel(self, run_id: str) -> None:
        """Stop a run before its next node. The node that is running now is allowed to finish."""
        self._cancelled.add(run_id)

    # -- the walk ------------------------------------------------------------------------------------------------

    async def _walk(
        self, workflow: WorkflowDefinition, context: WorkflowContext, pending: deque[str], visited: set[str]
    ) -> WorkflowResult:
        started = time.perf_counter()
        error: str | None = None
        while pending:
            if context.run_id in self._cancelled:
                error = "cancelled"
                break
            node_id = pending.popleft()
            if node_id in visited:
                continue
            visited.add(node_id)
            node = workflow.nodes.get(node_id)
            if node is None:
                log.warning("%s: there is no node %r, skipped", workflow.name, node_id)
                continue
            outcome = await self._execute_node(node, context, workflow)
            context.outcomes[node_id] = outcome
            if outcome.state is not NodeState.DONE:
                error = f"{node_id}: {outcome.error}"
                break
            pending.extend(self._next_nodes(node, outcome))
            self._save_checkpoint(context, pending, visited)
        self._finish(context, error)
        return WorkflowResult(workflow.name, error is None, context, error, time.perf_counter() - started)

    async def _execute_node(self, node: Node, context: WorkflowContext, workflow: WorkflowDefinition) -> NodeOutcome:
        """Run one node of any type and put what it adds into the context."""
        if self._trace:
            log.info("%s: %s", context.run_id, node.id)
            context.metadata.setdefault("trace", []).append(node.id)
        if isinstance(node, ConditionNode):
            return self._run_condition(node, context)
        if isinstance(node, ParallelNode):
            return await self._run_parallel(node, context, workflow)
        return await self._run_task(node, context)

    def _next_nodes(self, node: Node, outcome: NodeOutcome) -> list[str]:
        if isinstance(node, ConditionNode):
            target = node.branches.get(outcome.output, node.default)
            return [target] if target else []
        return list(node.next)

    # -- one node ------------------------------------------------------------------------------------------------

    async def _run_task(self, node: TaskNode, context: WorkflowContext) -> NodeOutcome:
        started = time.perf_counter()
        last = "never tried"
        for attempt in range(1, max(node.attempts, 1) + 1):
            try:
                output = await self._call_handler(node, context)
            except asyncio.CancelledError:
                raise
            except Exception as problem:  # noqa: BLE001 - whatever a handler raises fails the node, not the process
                last = self._describe(problem)
                log.debug("%s: attempt %d of %d: %s", node.id, attempt, node.attempts, last)
                continue
            if isinstance(output, Mapping):
                context.data.update(output)
            return NodeOutcome(node.id, NodeState.DONE, output, None, time.perf_counter() - started, attempt)
        return NodeOutcome(node.id, NodeState.FAILED, None, last, time.perf_counter() - started, node.attempts)

    async def _call_handler(self, node: TaskNode, context: WorkflowContext) -> Any:
        handler = self._handlers.get(node.handler)
        if handler is None:
            raise LookupError(f"no handler {node.handler!r}")
        if inspect.iscoroutinefunction(handler):
            call = handler(dict(context.data), self._services, **node.params)
        else:
            call = asyncio.to_thread(handler, dict(context.data), self._services, **node.params)
        return await asyncio.wait_for(call, node.timeout or self._default_timeout)

    def _run_condition(self, node: ConditionNode, context: WorkflowContext) -> NodeOutcome:
        try:
            return NodeOutcome(node.id, NodeState.DONE, evaluate(node.expression, context.data))
        except Exception as problem:  # noqa: BLE001 - a typo in a YAML file fails the run, with its message
            return NodeOutcome(node.id, NodeState.FAILED, None, self._describe(problem))

    # -- parallel groups -----------------------------------------------------------------------------------------

    async def _run_parallel(
        self, node: ParallelNode, context: WorkflowContext, workflow: WorkflowDefinition
    ) -> NodeOutcome:
        started = time.perf_counter()
        slots = asyncio.Semaphore(self._max_workers)
        branches = [workflow.nodes[name] for name in node.branches]

        async def run(branch: Node) -> tuple[WorkflowContext, NodeOutcome]:
            # Each branch works on its own copy: two handlers must not write to one dict at the same time.
            own = WorkflowContext(context.run_id, dict(context.data))
            async with slots:
                return own, await self._execute_node(branch, own, workflow)

        finished = await asyncio.gather(*(run(branch) for branch in branches))
        for _, outcome in finished:
            context.outcomes[outcome.node_id] = outcome
        failed = [outcome for _, outcome in finished if outcome.state is not NodeState.DONE]
        seconds = time.perf_counter() - started
        if failed and (node.join == "all" or len(failed) == len(finished)):
            return NodeOutcome(node.id, NodeState.FAILED, None, f"{failed[0].node_id}: {failed[0].error}", seconds)
        self._merge(context, (own for own, outcome in finished if outcome.state is NodeState.DONE))
        output = {outcome.node_id: outcome.output for _, outcome in finished if outcome.state is NodeState.DONE}
        return NodeOutcome(node.id, NodeState.DONE, output, None, seconds)

    def _merge(self, context: WorkflowContext, branches: Iterable[WorkflowContext]) -> None:
        """Bring the branches' data together, in the order of the definition and not of who was first."""
        for own in branches:
            context.data.update(own.data)

    # -- odds and ends -------------------------------------------------------------------------------------------

    def _new_context(self, data: Mapping[str, Any] | None, run_id: str | None) -> WorkflowContext:
        return WorkflowContext(run_id or uuid.uuid4().hex, dict(data or {}))

    def _save_checkpoint(self, context: WorkflowContext, pending: deque[str], visited: set[str]) -> None:
        if self._checkpoints is None:
            return
        outcomes = [{**vars(outcome), "state": outcome.state.value} for outcome in context.outcomes.values()]
        state = {"data": context.data, "outcomes": outcomes, "pending": list(pending), "visited": sorted(visited)}
        self._checkpoints.save(context.run_id, state)

    def _finish(self, context: WorkflowContext, error: str | None) -> None:
        self._cancelled.discard(context.run_id)
        if error is None and self._checkpoints is not None:
            self._checkpoints.forget(context.run_id)
        if self._trace:
            log.info("%s: %s", context.run_id, error or "done")

    @staticmethod
    def _describe(problem: BaseException) -> str:
        if isinstance(problem, TimeoutError):
            return "timed out"
        return f"{type(problem).__name__}: {problem}"


# The name that the rest of the shop knows.
WorkflowExecutor = WorkflowWalker

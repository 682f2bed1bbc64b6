"""Progress of a run, chunk by chunk, for the screen in the warehouse.

`WorkflowExecutor.execute` only speaks when all is over, so this walks the workflow itself and borrows the executor's
insides for each node. Keep the loop in step with `WorkflowWalker._walk`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shop.handlers import HANDLERS
from shop.services import Services
from shop.workflows.compiled_executor import CompiledWorkflowExecutor
from shop.workflows.definition import WorkflowDefinition
from shop.workflows.walker import NodeState

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Chunk:
    """`kind` is started, node, finished, failed or cancelled; `progress` runs from 0 to 1."""

    kind: str
    node_id: str | None
    progress: float
    payload: Any = None


class StreamingExecutor:
    """Runs workflows and tells about it. One run at a time."""

    def __init__(self, services: Services, handlers: Mapping[str, Callable[..., Any]] = HANDLERS) -> None:
        self._walker = CompiledWorkflowExecutor(handlers, services)
        self._subscribers: list[Callable[[Chunk], None]] = []
        self._stopped = False

    def subscribe(self, callback: Callable[[Chunk], None]) -> None:
        self._subscribers.append(callback)

    def cancel(self) -> None:
        """No further node is started; the stream ends with a `cancelled` chunk."""
        self._stopped = True

    async def stream(self, workflow: WorkflowDefinition, data: Mapping[str, Any]) -> AsyncIterator[Chunk]:
        self._stopped = False
        async for chunk in self._chunks(workflow, data):
            for callback in self._subscribers:
                callback(chunk)
            yield chunk

    async def _chunks(self, workflow: WorkflowDefinition, data: Mapping[str, Any]) -> AsyncIterator[Chunk]:
        walker = self._walker
        context = walker._new_context(data, None)
        pending, visited = deque([workflow.start]), set()
        yield Chunk("started", None, 0.0, workflow.name)
        while pending:
            progress = len(visited) / len(workflow.nodes)
            if self._stopped:
                yield Chunk("cancelled", None, progress)
                return
            node = workflow.nodes.get(node_id := pending.popleft())
            if node is None or node_id in visited:
                continue
            visited.add(node_id)
            outcome = await walker._execute_node(node, context, workflow)
            if outcome.state is NodeState.FAILED:
                yield Chunk("failed", node_id, progress, outcome.error)
                return
            yield Chunk("node", node_id, len(visited) / len(workflow.nodes), outcome.output)
            pending.extend(walker._next_nodes(node, outcome))
        yield Chunk("finished", None, 1.0, dict(context.data))

"""Progress of a run, chunk by chunk, for the screen in the warehouse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from shop.handlers import HANDLERS
from shop.services import Services
from shop.workflows.definition import WorkflowDefinition
from shop.workflows.engine import create_engine
from shop.workflows.walker import NodeState, WorkflowResult


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
        self._engine = create_engine(handlers, services)
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
        done, total = 0, len(workflow.nodes)
        yield Chunk("started", None, 0.0, workflow.name)
        async with aclosing(self._engine.stream(workflow, data)) as events:
            async for event in events:
                if isinstance(event, WorkflowResult):
                    if event.ok:
                        yield Chunk("finished", None, 1.0, dict(event.data))
                    return
                if event.state is NodeState.FAILED:
                    yield Chunk("failed", event.node_id, done / total, event.error)
                    return
                done += 1
                yield Chunk("node", event.node_id, done / total, event.output)
                if self._stopped:
                    yield Chunk("cancelled", None, done / total)
                    return

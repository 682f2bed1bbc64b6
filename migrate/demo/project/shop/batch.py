"""Run one workflow for many inputs: the night's restocking, the refunds after a recall."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shop import workflows
from shop.handlers import HANDLERS
from shop.services import Services


@dataclass(frozen=True)
class BatchReport:
    """How a batch went; `results` are in the order of the inputs."""

    results: tuple[workflows.WorkflowResult, ...]

    @property
    def failed(self) -> list[str]:
        return [result.error or "" for result in self.results if not result.ok]


class BatchRunner:
    def __init__(self, services: Services, *, parallel: int = 3) -> None:
        self._services = services
        self._slots = asyncio.Semaphore(parallel)

    async def run(self, name: str, inputs: Iterable[Mapping[str, Any]]) -> BatchReport:
        workflow = workflows.load_workflow(name)
        executor = workflows.WorkflowExecutor(HANDLERS, self._services, max_workers=1)
        results = await asyncio.gather(*(self._one(executor, workflow, data) for data in inputs))
        return BatchReport(tuple(results))

    async def _one(
        self, executor: workflows.WorkflowExecutor, workflow: workflows.WorkflowDefinition, data: Mapping[str, Any]
    ) -> workflows.WorkflowResult:
        async with self._slots:
            return await executor.execute(workflow, data)

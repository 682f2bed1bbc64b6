"""Routes of the back office's API, as plain functions: a request is a mapping, a response a status and a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shop.handlers import HANDLERS
from shop.services import Services
from shop.workflows.definition import DefinitionError, available_workflows, load_workflow
from shop.workflows.walker import WorkflowResult, WorkflowWalker


@dataclass(frozen=True)
class Response:
    status: int
    body: dict[str, Any]


def list_workflows() -> Response:
    return Response(200, {"workflows": available_workflows()})


def _executor(services: Services, request: Mapping[str, Any]) -> WorkflowWalker:
    return WorkflowWalker(HANDLERS, services, max_workers=request.get("workers", 2), trace=False)


def _body(result: WorkflowResult) -> dict[str, Any]:
    body = result.to_dict()
    body["run_id"] = result.context.run_id
    return body


async def run_workflow(services: Services, request: Mapping[str, Any]) -> Response:
    """POST /workflows/run with `workflow` and `data`: 200, 404 for an unknown flow, 422 when a step failed."""
    try:
        workflow = load_workflow(request["workflow"])
    except DefinitionError as problem:
        return Response(404, {"error": str(problem)})
    result = await _executor(services, request).execute(workflow, request.get("data"))
    return Response(200 if result.ok else 422, _body(result))

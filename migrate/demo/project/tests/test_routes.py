from __future__ import annotations

import asyncio
from unittest.mock import AsyncMock, patch

from shop.api.routes import Response, list_workflows, run_workflow
from shop.services import Services
from shop.workflows.walker import WorkflowContext, WorkflowResult


def test_the_flows_are_listed() -> None:
    assert list_workflows() == Response(200, {"workflows": ["order", "refund", "restock"]})


def test_a_run_that_works(services: Services) -> None:
    response = asyncio.run(
        run_workflow(services, {"workflow": "refund", "data": {"order_id": "A-1", "reason": "late"}})
    )
    assert response.status == 200
    assert response.body["nodes"]["refund_postage"] == "done"
    assert response.body["run_id"]


def test_a_step_that_fails_is_422(services: Services) -> None:
    response = asyncio.run(run_workflow(services, {"workflow": "order", "data": {"order_id": "Z-9"}}))
    assert (response.status, response.body["error"]) == (422, "load_order: HandlerError: no order Z-9")


def test_an_unknown_flow_is_404(services: Services) -> None:
    assert asyncio.run(run_workflow(services, {"workflow": "returns"})).status == 404


def test_the_number_of_workers_is_passed_on(services: Services) -> None:
    with patch("shop.api.routes.WorkflowWalker") as engine:
        engine.return_value.execute = AsyncMock(return_value=WorkflowResult("refund", True, WorkflowContext("r1")))
        response = asyncio.run(run_workflow(services, {"workflow": "refund", "workers": 7}))
    assert response.body["run_id"] == "r1"
    assert 7 in engine.call_args.kwargs.values()

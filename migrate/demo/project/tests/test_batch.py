from __future__ import annotations

import asyncio
from unittest import mock

from shop.batch import BatchRunner
from shop.services import Services


def test_results_come_in_the_order_of_the_inputs(services: Services) -> None:
    report = asyncio.run(
        BatchRunner(services).run("refund", [{"order_id": "A-1", "reason": "late"}, {"order_id": "Z-9"}])
    )
    assert [result.ok for result in report.results] == [True, False]
    assert report.failed == ["load_order: HandlerError: no order Z-9"]


def test_one_executor_serves_the_whole_batch(services: Services) -> None:
    with mock.patch("shop.workflows.WorkflowExecutor") as executor:
        executor.return_value.execute = mock.AsyncMock()
        asyncio.run(BatchRunner(services).run("restock", [{"sku": "CH-11"}, {"sku": "FR-58"}]))
    assert executor.call_count == 1
    assert executor.return_value.execute.await_count == 2

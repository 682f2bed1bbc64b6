"""The shop's flows from end to end, with real handlers and a real database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from shop.services import CourierDown, GatewayBusy, Services
from shop.workflows import NodeState, WorkflowResult, load_workflow
from shop.workflows.runtime_factory import create_executor


def run(services: Services, name: str, **data: Any) -> WorkflowResult:
    return asyncio.run(create_executor(services).execute(load_workflow(name), data))


def test_a_small_order_goes_out_without_review(services: Services) -> None:
    result = run(services, "order", order_id="A-1")
    assert result.ok
    assert "manual_review" not in result.visited
    assert services.database.rows("SELECT * FROM payments") == [{"order_id": "A-1", "amount": 89.0}]
    assert services.database.rows("SELECT courier, grams FROM shipments") == [{"courier": "dhl", "grams": 790}]
    assert services.database.rows("SELECT template FROM mails") == [{"template": "on its way"}]
    assert services.database.one("SELECT on_hand, reserved FROM stock WHERE sku = 'CH-11'") == {
        "on_hand": 10,
        "reserved": 0,
    }


def test_a_large_order_is_looked_at_first(services: Services) -> None:
    result = run(services, "order", order_id="A-2")
    assert result.ok
    assert result.visited.index("manual_review") < result.visited.index("charge_card")


def test_the_van_does_not_wait_for_the_scale(services: Services) -> None:
    result = run(services, "order", order_id="A-1")
    assert result.visited.index("hand_over") < result.visited.index("weigh")
    assert result.visited.count("hand_over") == 1


def test_out_of_stock_stops_before_the_card_is_charged(services: Services) -> None:
    services.database.run("UPDATE stock SET reserved = 12 WHERE sku = 'CH-11'")
    result = run(services, "order", order_id="A-1")
    assert not result.ok
    assert result.error == "reserve_stock: HandlerError: CH-11 is out of stock"
    assert result.visited == ["load_order", "reserve_stock"]
    assert services.database.rows("SELECT * FROM payments") == []


def test_a_busy_gateway_is_asked_three_times(services: Services) -> None:
    asked: list[str] = []

    def busy_twice(order_id: str, amount: float) -> str:
        asked.append(order_id)
        if len(asked) < 3:
            raise GatewayBusy
        return "PAY"

    result = run(replace(services, charge=busy_twice), "order", order_id="A-1")
    assert result.ok
    assert len(asked) == 3
    assert result.context.outcomes["charge_card"].attempts == 3


def test_one_courier_is_enough(services: Services) -> None:
    def down(sku: str, quantity: int) -> float:
        raise CourierDown("try later")

    result = run(replace(services, couriers={**services.couriers, "dhl": down}), "order", order_id="A-1")
    assert result.ok
    assert result.data["courier"] == "gls"
    assert result.context.outcomes["quote_dhl"].state is NodeState.FAILED


@pytest.mark.parametrize(
    ("reason", "amount", "inspected"), [("damaged", 89.0, True), ("late", 8.9, False), ("changed my mind", 89.0, False)]
)
def test_refunds(services: Services, reason: str, amount: float, inspected: bool) -> None:
    result = run(services, "refund", order_id="A-1", reason=reason)
    assert result.ok
    assert result.data["refunded"] == amount
    assert ("inspect_goods" in result.visited) is inspected
    assert services.database.rows("SELECT template FROM mails") == [{"template": "refunded"}]


def test_restocking_orders_what_will_sell(services: Services) -> None:
    result = run(services, "restock", sku="CH-11")
    assert result.data["order_quantity"] == 2  # 10 + 2 * 2 sold, less 12 on hand
    assert services.database.rows("SELECT sku, quantity FROM purchases") == [{"sku": "CH-11", "quantity": 2}]


def test_nothing_is_ordered_when_there_is_enough(services: Services) -> None:
    services.database.add_stock("BELL", 40)
    result = run(services, "restock", sku="BELL")
    assert result.ok
    assert result.visited[-1] == "size"
    assert services.database.rows("SELECT * FROM purchases") == []


def test_an_expensive_purchase_is_approved(services: Services) -> None:
    result = run(replace(services, supplier_price=lambda sku: 900.0), "restock", sku="CH-11")
    assert result.visited[-2:] == ["ask_manager", "place_purchase"]

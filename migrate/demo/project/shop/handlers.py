"""The work itself. A handler gets the run's data and the services, and returns what it wants to add to the data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from shop.services import Services

Data = dict[str, Any]
HANDLERS: dict[str, Callable[..., Any]] = {}


class HandlerError(Exception):
    """A step cannot be done, and trying again will not help."""


def handler(function: Callable[..., Any]) -> Callable[..., Any]:
    HANDLERS[function.__name__] = function
    return function


# --- orders ---------------------------------------------------------------------------------------------------------


@handler
def load_order(data: Data, services: Services) -> Data:
    order = services.database.one("SELECT * FROM orders WHERE id = ?", data["order_id"])
    if order is None:
        raise HandlerError(f"no order {data['order_id']}")
    return {key: order[key] for key in ("customer", "sku", "quantity", "total")}


@handler
def reserve_stock(data: Data, services: Services) -> Data:
    taken = services.database.run(
        "UPDATE stock SET reserved = reserved + ? WHERE sku = ? AND on_hand - reserved >= ?",
        data["quantity"],
        data["sku"],
        data["quantity"],
    )
    if not taken:
        raise HandlerError(f"{data['sku']} is out of stock")
    return {"reserved": True}


@handler
def manual_review(data: Data, services: Services) -> Data:
    services.database.run("INSERT INTO reviews VALUES (?, 'fine')", data["order_id"])
    return {"reviewed": True}


@handler
def charge_card(data: Data, services: Services) -> Data:
    payment = services.charge(data["order_id"], data["total"])
    services.database.run("INSERT INTO payments VALUES (?, ?)", data["order_id"], data["total"])
    return {"payment": payment}


@handler
def pick(data: Data, services: Services) -> Data:
    services.database.run(
        "UPDATE stock SET on_hand = on_hand - ?, on_shelf = on_shelf - ?, reserved = reserved - ? WHERE sku = ?",
        data["quantity"],
        data["quantity"],
        data["quantity"],
        data["sku"],
    )
    return {"picked": data["quantity"]}


@handler
def check_quality(data: Data, services: Services) -> Data:
    return {"quality": "ok"}


@handler
def pack(data: Data, services: Services) -> Data:
    return {"parcels": 1 + data["picked"] // 20}


@handler
async def weigh(data: Data, services: Services) -> Data:
    await asyncio.sleep(0)  # the scale is on the network
    grams = 150 * data["parcels"] + 320 * data["picked"]
    services.database.run("UPDATE shipments SET grams = ? WHERE order_id = ?", grams, data["order_id"])
    return {"grams": grams}


@handler
async def quote_courier(data: Data, services: Services, courier: str) -> Data:
    await asyncio.sleep(0)
    return {f"quote_{courier}": services.couriers[courier](data["sku"], data["quantity"])}


@handler
def print_label(data: Data, services: Services) -> Data:
    quotes = {key.removeprefix("quote_"): value for key, value in data.items() if key.startswith("quote_")}
    courier = min(sorted(quotes), key=quotes.__getitem__)
    return {"courier": courier, "label": f"{courier.upper()}-{data['order_id']}"}


@handler
def hand_over(data: Data, services: Services) -> Data:
    # The courier is often here before the scale is free: book with an estimate, `weigh` corrects it.
    grams = data.get("grams", 500)
    services.database.run(
        "INSERT INTO shipments VALUES (?, ?, ?, ?)", data["order_id"], data["courier"], data["label"], grams
    )
    return {"handed_over": True}


@handler
def send_mail(data: Data, services: Services, template: str) -> Data:
    services.database.run("INSERT INTO mails VALUES (?, ?)", data["customer"], template)
    return {"mailed": template}


# --- refunds --------------------------------------------------------------------------------------------------------


@handler
def inspect_goods(data: Data, services: Services) -> Data:
    return {"inspected": data["sku"]}


@handler
def refund(data: Data, services: Services, share: float = 1.0) -> Data:
    amount = round(data["total"] * share, 2)
    services.database.run("INSERT INTO payments VALUES (?, ?)", data["order_id"], -amount)
    return {"refunded": amount}


# --- restocking -----------------------------------------------------------------------------------------------------


@handler
def look_up_stock(data: Data, services: Services) -> Data:
    stock = services.database.one("SELECT * FROM stock WHERE sku = ?", data["sku"])
    if stock is None:
        raise HandlerError(f"we do not sell {data['sku']}")
    return {"on_hand": stock["on_hand"]}


@handler
def count_shelf(data: Data, services: Services) -> Data:
    """Go and count. The books are right most of the time."""
    counted = services.database.one("SELECT on_shelf FROM stock WHERE sku = ?", data["sku"])
    services.database.run("UPDATE stock SET on_hand = on_shelf WHERE sku = ?", data["sku"])
    return {"on_hand": counted["on_shelf"]} if counted else {}


@handler
async def ask_supplier(data: Data, services: Services) -> Data:
    await asyncio.sleep(0)
    return {"price": services.supplier_price(data["sku"])}


@handler
def forecast_sales(data: Data, services: Services) -> Data:
    sold = services.database.one("SELECT COALESCE(SUM(quantity), 0) AS n FROM orders WHERE sku = ?", data["sku"])
    return {"forecast": 10 + 2 * sold["n"] if sold else 10}


@handler
def decide_quantity(data: Data, services: Services) -> Data:
    return {"order_quantity": max(0, data["forecast"] - data["on_hand"])}


@handler
def ask_manager(data: Data, services: Services) -> Data:
    services.database.run("INSERT INTO reviews VALUES (?, 'approved')", f"restock {data['sku']}")
    return {"approved": True}


@handler
def place_purchase(data: Data, services: Services) -> Data:
    services.database.run("INSERT INTO purchases VALUES (?, ?, ?)", data["sku"], data["order_quantity"], data["price"])
    return {"purchased": data["order_quantity"]}

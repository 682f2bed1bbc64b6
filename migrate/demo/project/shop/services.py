"""What handlers may reach: the database, and the world outside behind plain callables (tests pass their own)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shop.db import Database


class GatewayBusy(Exception):
    """The card gateway asks us to come back later. It usually means it."""


class CourierDown(Exception):
    """A courier's quoting service does not answer."""


def _accept_every_card(order_id: str, amount: float) -> str:
    return f"PAY-{order_id}"


def _standard_rate(sku: str, quantity: int) -> float:
    return 4.9 + 0.3 * quantity


def _list_price(sku: str) -> float:
    return 12.5


@dataclass
class Services:
    database: Database
    charge: Callable[[str, float], str] = _accept_every_card
    couriers: Mapping[str, Callable[[str, int], float]] = field(
        default_factory=lambda: {"dhl": _standard_rate, "gls": lambda sku, quantity: 5.5}
    )
    supplier_price: Callable[[str], float] = _list_price

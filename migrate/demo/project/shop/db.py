"""SQLite: one connection, one lock. Handlers run on threads, so every statement goes through `Database`."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, customer TEXT, sku TEXT, quantity INTEGER, total REAL);
CREATE TABLE IF NOT EXISTS stock (sku TEXT PRIMARY KEY, on_hand INTEGER, reserved INTEGER DEFAULT 0, on_shelf INTEGER);
CREATE TABLE IF NOT EXISTS reviews (order_id TEXT, verdict TEXT);
CREATE TABLE IF NOT EXISTS payments (order_id TEXT, amount REAL);
CREATE TABLE IF NOT EXISTS shipments (order_id TEXT, courier TEXT, label TEXT, grams INTEGER);
CREATE TABLE IF NOT EXISTS mails (customer TEXT, template TEXT);
CREATE TABLE IF NOT EXISTS purchases (sku TEXT, quantity INTEGER, price REAL);
"""


class Database:
    """A connection that threads may share. `path` may be ":memory:"."""

    def __init__(self, path: str = ":memory:") -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.executescript(SCHEMA)

    def run(self, statement: str, *values: Any) -> int:
        """Execute one writing statement in its own transaction; returns the number of rows it touched."""
        with self._lock, self._connection:
            return self._connection.execute(statement, values).rowcount

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(row) for row in self._connection.execute(query, values)]

    def one(self, query: str, *values: Any) -> dict[str, Any] | None:
        found = self.rows(query, *values)
        return found[0] if found else None

    def add_order(self, order_id: str, customer: str, sku: str, quantity: int, total: float) -> None:
        self.run("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", order_id, customer, sku, quantity, total)

    def add_stock(self, sku: str, on_hand: int, on_shelf: int | None = None) -> None:
        """`on_hand` is what the books say, `on_shelf` what somebody would count (default: the same)."""
        shelf = on_hand if on_shelf is None else on_shelf
        self.run("INSERT INTO stock VALUES (?, ?, 0, ?)", sku, on_hand, shelf)

    def close(self) -> None:
        self._connection.close()

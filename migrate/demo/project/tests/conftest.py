from __future__ import annotations

from collections.abc import Iterator

import pytest

from shop.db import Database
from shop.services import Services


@pytest.fixture
def services() -> Iterator[Services]:
    database = Database()
    database.add_order("A-1", "ada@example.org", "CH-11", 2, 89.0)
    database.add_order("A-2", "bob@example.org", "FR-58", 1, 1450.0)
    database.add_stock("CH-11", 12)
    database.add_stock("FR-58", 1)
    yield Services(database)
    database.close()

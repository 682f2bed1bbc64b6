"""Spoke & Chain's back office.

The names below are loaded on first use: importing `shop` must stay cheap for the till, which only wants the prices.
"""

from __future__ import annotations

import importlib
from typing import Any

_LAZY = {
    "Database": "shop.db",
    "WorkflowExecutor": "shop.workflows",
    "load_workflow": "shop.workflows",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'shop' has no attribute {name!r}")

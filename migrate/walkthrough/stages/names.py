"""Places in the shop that more than one stage names."""

from __future__ import annotations

WALKER = "shop/workflows/walker.py"
WALKER_CLASS = "shop.workflows.walker.WorkflowWalker"
LISTED_CASE = "restock-books-are-wrong"

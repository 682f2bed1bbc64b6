"""Shop modes: what the back office does by itself at which time of day.

Example:
    >>> from shop.workflows import WorkflowExecutor
    >>> executor = WorkflowExecutor(HANDLERS, services)
    >>> for flow in MODES["night"].flows:
    ...     await executor.execute(load_workflow(flow), {"sku": "CH-11"})
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """Which flows start by themselves. Not a workflow engine: see `WorkflowWalker` for that."""

    name: str
    flows: tuple[str, ...] = ()


MODES = {
    mode.name: mode
    for mode in (
        Mode("day", ("order",)),
        Mode("night", ("restock",)),
        Mode("recall", ("refund", "restock")),
    )
}


def mode_for(hour: int) -> Mode:
    """The mode at an hour of the day (0-23)."""
    return MODES["day"] if 7 <= hour < 20 else MODES["night"]

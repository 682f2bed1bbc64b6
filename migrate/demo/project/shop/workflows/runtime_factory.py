"""The one place where executors should be built. Most of the code uses it; some of it is older than this file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shop.handlers import HANDLERS
from shop.services import Services

if TYPE_CHECKING:
    from shop.workflows.walker import WorkflowWalker


def create_executor(
    services: Services, *, handlers: Mapping[str, Callable[..., Any]] | None = None, workers: int = 4
) -> WorkflowWalker:
    """An executor with the shop's handlers, or with others."""
    from shop.workflows.walker import WorkflowWalker  # late: handlers import a good part of the shop

    return WorkflowWalker(handlers or HANDLERS, services, max_workers=workers, trace=False)

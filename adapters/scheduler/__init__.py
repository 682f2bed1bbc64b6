"""LangGraph's scheduler, read from its checkpoints: what runs next and why, what ran and why, which joins are stalled.

Useful to any LangGraph user, also without a migration. Reads only; nothing here runs a graph.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagram import mermaid
    from .due import NodeState, Trigger
    from .ending import Ending, TaskState
    from .explanation import Explanation, Fork, Namespace, explain
    from .history import Activation, Fired, Repeat
    from .savers import open_saver
    from .text import render
    from .waiting import WaitingEdge, stalled_edges, waiting_edges

_HOME = {
    "due": ("NodeState", "Trigger"),
    "ending": ("Ending", "TaskState"),
    "explanation": ("Explanation", "Fork", "Namespace", "explain"),
    "history": ("Activation", "Fired", "Repeat"),
    "diagram": ("mermaid",),
    "savers": ("open_saver",),
    "text": ("render",),
    "waiting": ("WaitingEdge", "stalled_edges", "waiting_edges"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Activation",
    "Ending",
    "Explanation",
    "Fired",
    "Fork",
    "Namespace",
    "NodeState",
    "Repeat",
    "TaskState",
    "Trigger",
    "WaitingEdge",
    "explain",
    "mermaid",
    "open_saver",
    "render",
    "stalled_edges",
    "waiting_edges",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""LangGraph's scheduler, read from its checkpoints: what runs next and why, what ran and why, which joins are stalled.

Useful to any LangGraph user, also without a migration. Reads only; nothing here runs a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_exports

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

__getattr__, __dir__ = lazy_exports(__name__, _HOME)

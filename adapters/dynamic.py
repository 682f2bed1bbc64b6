"""Dynamic `Send` / `Command` routing is refused: a frontier or an in-degree cannot account for nodes it never scheduled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from .activation import Outcome
from .errors import WorkflowError
from .results import NodeStatus

T = TypeVar("T")

_MESSAGE = (
    "a handler or condition returned a LangGraph {kind}; dynamic routing cannot be mixed with this traversal, whose pending "
    "nodes are counted"
)
_MEND = "return data and let the definition route, or keep this part as a LangGraph subgraph inside one handler"


def refuse_dynamic_routing(value: T) -> T:
    """The value, or for an outcome a failed one; a bare Send or Command raises WorkflowError."""
    if isinstance(value, Outcome):
        kind = _kind(value.output)
        if kind is None:
            return value
        error = "WorkflowError: " + _MESSAGE.format(kind=kind)
        return value._replace(status=NodeStatus.FAILED, output=None, error=error)
    kind = _kind(value)
    if kind is not None:
        raise WorkflowError(_MESSAGE.format(kind=kind), mend=_MEND)
    return value


def _kind(value: object) -> str | None:
    kind = type(value)
    if kind.__module__.startswith("langgraph.") and kind.__name__ in ("Send", "Command"):
        return kind.__name__
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        return _kind(value[0]) if type(value[0]) is not type(value) else None
    return None

"""An `Outcome` from what an engine returned: a `WorkflowResult`, or any object of the same shape under other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..adapters.errors import UsageError
from .model import NodeOutcome, Outcome
from .values import Value, error_text, without_addresses

#: Names under which hand-rolled engines keep the same thing, tried in this order.
SUCCESS = ("success", "succeeded", "ok", "is_success")
DATA = ("data", "state", "variables", "values")
NODES = ("node_results", "results", "steps", "nodes", "step_results")
STATUS = ("status", "state")
OUTPUT = ("output", "outputs", "result", "value")
ERROR = ("error", "error_message", "exception")
CHILDREN = ("children", "branches")
_ABSENT = object()


def outcome_of(result: Any, *, ignore: tuple[str, ...] = ()) -> Outcome:
    """Read success, final data, node results and error from a result object or mapping.

    Looks on the result and on its `context`. `ignore` are keys of the final data that are not compared. Raises `UsageError`
    where the result says nothing about success, since a missing attribute must not read as a passed run.
    """
    context = _get(result, ("context",), result)
    success = _get(result, SUCCESS)
    if success is _ABSENT:
        raise UsageError(
            f"a {type(result).__name__} does not say whether the run succeeded (none of {', '.join(SUCCESS)})",
            mend="build the Outcome yourself in the engine's run()",
        )
    data = _get(context, DATA)
    nodes = _get(context, NODES, _get(result, NODES))
    return Outcome(
        success=bool(success),
        data=_data(data, ignore),
        nodes=_nodes(nodes),
        error=_text(_get(result, ERROR, None)),
        interrupt=_interrupt(result),
    )


def _data(data: Any, ignore: tuple[str, ...]) -> dict[str, Value] | None:
    if not isinstance(data, Mapping):
        return None
    return {str(key): Value.of(value) for key, value in data.items() if key not in ignore}


def _nodes(nodes: Any) -> dict[str, NodeOutcome] | None:
    if not isinstance(nodes, Mapping):
        return None
    found: dict[str, NodeOutcome] = {}
    for name, node in nodes.items():
        found[str(name)] = _node(node)
        for child in _children(node):
            found.setdefault(f"{name}/{_get(child, ('node_id', 'name', 'id'), '?')}", _node(child))
    return found


def _children(node: Any) -> list[Any]:
    children = _get(node, CHILDREN, ())
    return list(children.values()) if isinstance(children, Mapping) else list(children or ())


def _node(node: Any) -> NodeOutcome:
    status = _get(node, STATUS)
    if status is _ABSENT:
        success = _get(node, SUCCESS)
        status = "unknown" if success is _ABSENT else "completed" if success else "failed"
    output = _get(node, OUTPUT)
    return NodeOutcome(
        str(getattr(status, "value", status)).lower(),
        None if output is _ABSENT else Value.of(output),
        _text(_get(node, ERROR, None)),
    )


def _interrupt(result: Any) -> str | None:
    interrupt = _get(result, ("interrupt", "paused_at", "paused_node"), None)
    node = _get(interrupt, ("node_id", "node"), interrupt)
    return None if node is None or node is _ABSENT or node is False else str(node)


def _get(source: Any, names: tuple[str, ...], default: Any = _ABSENT) -> Any:
    for name in names:
        value = source.get(name, _ABSENT) if isinstance(source, Mapping) else getattr(source, name, _ABSENT)
        if value is not _ABSENT and not callable(value):
            return value
    return default


def _text(error: Any) -> str | None:
    if error is None or error is _ABSENT:
        return None
    return error_text(error) if isinstance(error, BaseException) else without_addresses(str(error))

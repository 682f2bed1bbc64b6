"""What an activation sees and which node it belongs to, from the arguments of the call that carries it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..adapters.errors import UsageError
from ..adapters.views import NodeView

NodeName = str | Callable[..., str]
Sees = Callable[[tuple[Any, ...], dict[str, Any]], Any]

_NAMES = ("id", "name", "node_id", "node")
_DATA = (str, bytes, int, float, bool, type(None), list, tuple, set, frozenset)


def default_sees(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call's arguments show of the run.

    A `NodeView`'s content; else the first mapping (or the `data` of the first context) as `data`, and what else is plain data
    as `arguments`, by position and name. Objects (services, connections) are left out, unless there is nothing else.
    """
    if len(args) == 1 and isinstance(args[0], NodeView) and not kwargs:
        return view_content(args[0])
    given = {**{str(place): value for place, value in enumerate(args)}, **kwargs}
    first = next((name for name, value in given.items() if isinstance(value, Mapping) or _is_context(value)), None)
    seen = {} if first is None else _shared(given.pop(first))
    rest = {name: value for name, value in given.items() if _is_data(value) or (first is None and _has_fields(value))}
    if not seen and not rest:
        return {"arguments": given}
    return {**seen, "arguments": rest} if rest else seen


def _is_context(value: Any) -> bool:
    return not _has_fields(value) and isinstance(getattr(value, "data", None), Mapping)


def _shared(value: Any) -> dict[str, Any]:
    """The shared data of a mapping or a context, and a context's results by node if it has them."""
    if isinstance(value, Mapping):
        return {"data": value}
    results = getattr(value, "results", None)
    return {"data": value.data, "results": results} if isinstance(results, Mapping) else {"data": value.data}


def view_content(view: NodeView) -> dict[str, Any]:
    """What a `NodeView` shows. The inputs are left out where the shared data says them already."""
    return {"data": view.data, "results": view.results, "status": view.status, "iteration": view.iteration}


def node_of_view(name: str, *args: Any, **_: Any) -> str:
    """The node that a `NodeView` names, else `name`."""
    return args[0].node if args and isinstance(args[0], NodeView) else name


def default_node(*args: Any, **kwargs: Any) -> str:
    """The node that a call is about: its first argument, or that argument's `id`, `name`, `node_id` or `node`."""
    first = args[0] if args else next(iter(kwargs.values()), None)
    if isinstance(first, str):
        return first
    for name in _NAMES:
        value = first.get(name) if isinstance(first, Mapping) else getattr(first, name, None)
        if isinstance(value, str):
            return value
    raise UsageError(
        f"the tap cannot tell the node from a {type(first).__name__}",
        mend="pass node=lambda *args: … to tap.methods or tap.wrap",
    )


def _is_data(value: Any) -> bool:
    return isinstance(value, (Mapping, *_DATA))


def _has_fields(value: Any) -> bool:
    return hasattr(value, "__dataclass_fields__") or hasattr(value, "model_dump")

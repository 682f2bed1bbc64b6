"""The tap for a LangGraph graph whose nodes nobody can wrap: its own stream tells when each task begins and ends.

What a node saw is the state that its task was given; what it returned is the task's write. A change that a node makes to its
input in place shows where the graph hands out the object itself. Stubs and recorded handlers need a wrapped handler instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .seeing import default_sees
from .tap import Tap

MODES = ["tasks", "values"]


def run_tapped(tap: Tap, graph: Any, inputs: Any, config: Any = None, **more: Any) -> Any:
    """Run a compiled graph, its tasks seen by the tap; the last state, or what the graph raises.

    `more` goes to `graph.stream`; subgraphs are seen too with `subgraphs=True`, their nodes as `parent/node`.
    """
    seen = _Tasks(tap)
    for item in graph.stream(inputs, config, stream_mode=MODES, **more):
        seen.take(item)
    return seen.state


async def arun_tapped(tap: Tap, graph: Any, inputs: Any, config: Any = None, **more: Any) -> Any:
    """The same on the running event loop, with `graph.astream`."""
    seen = _Tasks(tap)
    async for item in graph.astream(inputs, config, stream_mode=MODES, **more):
        seen.take(item)
    return seen.state


class _Tasks:
    """The tasks of one run, from its events."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._open: dict[str, Any] = {}
        self.state: Any = None

    def take(self, item: tuple[Any, ...]) -> None:
        *inside, mode, event = item
        place = "".join(f"{part.split(':', 1)[0]}/" for part in (inside[0] if inside else ()))
        if mode == "values":
            self.state = event if not place else self.state
        elif "result" in event or "error" in event:
            self._end(event)
        else:
            seen = default_sees((event["input"],), {})
            self._open[event["id"]] = self._tap.began(f"{place}{event['name']}", seen)

    def _end(self, event: Mapping[str, Any]) -> None:
        opened = self._open.pop(event["id"], None)
        if opened is None:
            return  # answered from a cache: LangGraph tells of no beginning
        error = event.get("error")
        if error is not None and not isinstance(error, BaseException):
            error = RuntimeError(str(error))
        self._tap.ended(opened, event.get("result"), error)

"""In which superstep of LangGraph a call runs, for engines that run on it: theirs or a team's own, no tap has to be told."""

from __future__ import annotations

import sys


def current_superstep() -> int | None:
    """The number of the superstep whose task is running here (the first after the input is 1); None outside of a graph.

    It is read from the configuration that LangGraph gives every task. LangGraph is not imported for it: where nobody has,
    nothing runs on it.
    """
    loaded = sys.modules.get("langgraph.config")
    ask = getattr(loaded, "get_config", None)
    if ask is None:
        return None
    try:
        step = (ask().get("metadata") or {}).get("langgraph_step")
    except RuntimeError:
        return None
    return step if isinstance(step, int) else None

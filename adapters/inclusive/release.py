"""What a released join knows: who arrived and who is missing, asked from inside the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..langgraph_private import READ_KEY


@dataclass(frozen=True)
class Release:
    """The record of an inclusive release: the target, the listed nodes that wrote, and those that never ran."""

    target: str
    arrived: tuple[str, ...]
    missing: tuple[str, ...]


def waiting_release(config: Mapping[str, Any] | None = None) -> Release | None:
    """Inside a join's target: who arrived and who is missing; None when the join was complete, or is not why it runs.

    Several inclusive edges into one target release it together, and the record is their union. `config` is the node's own
    and may be left out where LangGraph can find it (everywhere but in async code before Python 3.11). The record is read
    from the barrier itself, so it survives an interrupt before the target and a resume.
    """
    if config is None:
        from langgraph.config import get_config

        config = get_config()
    read = (config.get("configurable") or {}).get(READ_KEY)
    triggers = (config.get("metadata") or {}).get("langgraph_triggers") or ()
    if read is None:
        return None
    values = (read(trigger) for trigger in triggers if str(trigger).startswith("join:"))
    return union([value for value in values if isinstance(value, Release)])


def union(releases: list[Release]) -> Release | None:
    """One record for a target that several edges released at once; a node that arrived on any edge is not missing."""
    if not releases:
        return None
    arrived = {name for release in releases for name in release.arrived}
    missing = {name for release in releases for name in release.missing} - arrived
    return Release(releases[0].target, tuple(sorted(arrived)), tuple(sorted(missing)))

"""Apply a planned retirement: all files or none, verified on disk, and undone by `graphlift retire --undo`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..edits import Applied, Flag, apply_plan

if TYPE_CHECKING:
    from ...plugins.project import Project
    from .planning import Outcome


def apply_retirement(
    project: Project, outcome: Outcome, again: Callable[[], Outcome], *, allow_dirty: bool = False
) -> Applied:
    """Write the plan. `again` plans anew: what was retired must be gone then, or every file is put back.

    Raises as `apply_plan` does.
    """
    retired = {item.symbol for item in outcome.retirements if not item.done}

    def verify(written: Mapping[str, bytes | None]) -> list[Flag]:
        left = [item for item in again().retirements if item.symbol in retired and not item.done]
        reason = "the symbol is still defined; everything was put back"
        return [Flag(path, 1, "not-retired", reason, item.symbol) for item in left for path in sorted(written)]

    return apply_plan(project, outcome.plan, allow_dirty, all_or_nothing=True, verify=verify)

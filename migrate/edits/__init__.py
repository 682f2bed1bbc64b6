"""Changes of a code base as data: make a plan, show it as a patch, apply it with a journal, take it back.

    plan = Plan.of([FileChange.edited(path, before, [Edit(0, 3, b"new")])])
    sys.stdout.buffer.write(render_diff(plan))
    applied = apply_plan(project, plan)

Used by every command that writes sources. Nothing here knows what a codemod is.
"""

from __future__ import annotations

from .apply import Applied, Recovered, apply_plan, recover, undo
from .diff import render_diff
from .model import Edit, FileChange, Flag, OverlapError, Plan, digest, splice

__all__ = [
    "Applied",
    "Edit",
    "FileChange",
    "Flag",
    "OverlapError",
    "Plan",
    "Recovered",
    "apply_plan",
    "digest",
    "recover",
    "render_diff",
    "splice",
    "undo",
]

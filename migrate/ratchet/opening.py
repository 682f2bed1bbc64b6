"""What the ratchet's subcommands share: the bench on the project that `-C` names, and a request from their options.

Cheap to import; what it needs is imported inside its functions.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...adapters.errors import UsageError
from ..console import GlobalOptions, open_project

if TYPE_CHECKING:
    import typer

    from ...plugins.project import Project
    from .checking import Request, Workbench

HOOKS = ("graphlift_ratchet_metrics", "graphlift_reference_finders")


def open_bench(ctx: typer.Context, *, staged: bool = False) -> Workbench:
    """The project with its ratchet, and the metrics and finders of its plugins."""
    from .checking import Workbench
    from .measuring import Registry

    project, plugins = open_project(ctx, hooks=HOOKS)
    finders = plugins.gather("graphlift_reference_finders")
    registry = Registry.of(plugins.gather("graphlift_ratchet_metrics"), finders)
    return Workbench.open(project, registry, staged=staged)


def make_request(
    base: str | None, absolute: bool, staged: bool, as_of: str | None, files: tuple[str, ...] = ()
) -> Request:
    """What the options ask for. Raises `UsageError` for options that contradict each other."""
    from .checking import Request

    if absolute and base is not None:
        raise UsageError("--absolute compares with no base", mend="leave --base or --absolute out")
    today = day_of(as_of) if as_of else datetime.date.today()
    only = frozenset(files) if files else None
    return Request(today, base, absolute, staged, only, dict(os.environ))


def day_of(text: str) -> datetime.date:
    """A day as typed. Raises `UsageError` for anything but YYYY-MM-DD."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a day", mend="write it as YYYY-MM-DD") from None


def inside(ctx: typer.Context, project: Project, files: frozenset[str]) -> frozenset[str]:
    """Paths as typed, from where the user stands, as paths relative to the project's root."""
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    start = options.directory.resolve()
    found = set()
    for name in files:
        path = Path(os.path.normpath(start / name))
        if not path.is_relative_to(project.root):
            raise UsageError(f"{name} is outside of the project", mend="give files of the project")
        found.add(path.relative_to(project.root).as_posix())
    return frozenset(found)

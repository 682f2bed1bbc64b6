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


def inside(ctx: typer.Context, bench: Workbench, files: frozenset[str]) -> frozenset[str]:
    """Paths as typed, from where the user stands, relative to the project's root; of a folder, all files below it.

    Raises `UsageError` for what is not there: a check of nothing would always be green.
    """
    project = bench.project
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    start = options.directory.resolve()
    found: set[str] = set()
    for name in files:
        path = Path(os.path.normpath(start / name))
        if not path.is_relative_to(project.root):
            raise UsageError(f"{name} is outside of the project", mend="give files of the project")
        relative = path.relative_to(project.root).as_posix()
        below = {known for known in bench.tree.paths if relative == "." or known.startswith(f"{relative}/")}
        if relative not in bench.tree.paths and not below:
            raise UsageError(f"there is no {name}", mend="give files or folders that git tracks or could track")
        found |= below or {relative}
    return frozenset(found)

"""`graphlift status`: where the migration stands, stage by stage, and the next command to run."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Annotated

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, open_project

if TYPE_CHECKING:
    from ...plugins.manager import Plugins
    from ...plugins.project import Project
    from ..ratchet.checking import Report
    from ..status.stages import Survey

HOOKS = ("graphlift_ratchet_metrics", "graphlift_reference_finders")
FORMATS = ("text", "json", "markdown")


def status(
    ctx: typer.Context,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="End with 1 while a stage is open.")] = False,
    style: Annotated[
        str, typer.Option("--format", metavar="[text|json|markdown]", help="How to say the result.")
    ] = "text",
) -> None:
    """Show where the migration stands; every stage is proven from the files as they are now.

    Example: graphlift status --format markdown
    """
    from ..status import reports
    from ..status.stages import survey

    if style not in FORMATS:
        raise UsageError(f"there is no format {style!r}", mend=f"formats are {', '.join(FORMATS)}")
    project, plugins = open_project(ctx, hooks=HOOKS)
    stages = survey(_survey(project, plugins))
    if style == "json":
        typer.echo(json.dumps(reports.as_data(stages), indent=2, sort_keys=True, ensure_ascii=False))
    else:
        typer.echo(reports.as_markdown(stages) if style == "markdown" else reports.as_text(stages))
    if exit_code and reports.upcoming(stages):
        raise typer.Exit(FINDINGS)


def _survey(project: Project, plugins: Plugins) -> Survey:
    from ..ledger import build_ledger
    from ..ratchet.checking import Request, Workbench, check
    from ..ratchet.measuring import Registry
    from ..status.stages import Survey as Look

    finders = plugins.gather("graphlift_reference_finders")

    def check_ratchet() -> Report | None:
        if not (project.root / project.settings.ratchet.rules).is_file():
            return None
        registry = Registry.of(plugins.gather("graphlift_ratchet_metrics"), finders)
        return check(Workbench.open(project, registry), Request(datetime.date.min, absolute=True))

    return Look(project, lambda: build_ledger(project, finders), check_ratchet)

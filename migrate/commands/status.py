"""`graphlift status`: where the migration stands, stage by stage, and the next command to run."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, open_project

if TYPE_CHECKING:
    from ...plugins.manager import Plugins
    from ...plugins.project import Project
    from ..ratchet.checking import Report
    from ..ratchet.measuring import Registry
    from ..status.stages import Survey

HOOKS = ("graphlift_ratchet_metrics", "graphlift_reference_finders")
FORMATS = ("text", "json", "markdown")


def status(
    ctx: typer.Context,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="End with 1 while a stage is open.")] = False,
    style: Annotated[
        str, typer.Option("--format", metavar="[text|json|markdown]", help="How to say the result.")
    ] = "text",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page, with the burn-down from git.")
    ] = None,
) -> None:
    """Show where the migration stands; every stage is proven from the files as they are now.

    The figures over time (JSON and the page) are the ratchet's caps, by day, as git has them.

    Example: graphlift status --html .graphlift/status.html
    """
    from ..status import reports
    from ..status.stages import survey
    from ..status.trend import read_trend

    if style not in FORMATS:
        raise UsageError(f"there is no format {style!r}", mend=f"formats are {', '.join(FORMATS)}")
    if html is not None:
        from ...parity.reporters.html_page import html_ready

        html_ready()
    project, plugins = open_project(ctx, hooks=HOOKS)
    stages = survey(_survey(project, plugins))
    trend = read_trend(project, _registry(plugins)) if style == "json" or html is not None else None
    if html is not None and trend is not None:
        from ..gate_files import write
        from ..status.page import as_html

        write(html, as_html(stages, trend), "--html")
    if style == "json":
        typer.echo(json.dumps(reports.as_data(stages, trend), indent=2, sort_keys=True, ensure_ascii=False))
    else:
        typer.echo(reports.as_markdown(stages) if style == "markdown" else reports.as_text(stages))
    if exit_code and reports.upcoming(stages):
        raise typer.Exit(FINDINGS)


def _registry(plugins: Plugins) -> Registry:
    from ..ratchet.measuring import Registry as Known

    return Known.of(plugins.gather("graphlift_ratchet_metrics"), plugins.gather("graphlift_reference_finders"))


def _survey(project: Project, plugins: Plugins) -> Survey:
    from ..ledger import build_ledger
    from ..ratchet.checking import Request, Workbench, check
    from ..status.stages import Survey as Look

    finders = plugins.gather("graphlift_reference_finders")

    def check_ratchet() -> Report | None:
        bench = Workbench.open(project, _registry(plugins))
        if bench.text(bench.rules_name) is None and not bench.is_deleted:
            return None
        return check(bench, Request(datetime.date.min, absolute=True))

    return Look(project, lambda: build_ledger(project, finders), check_ratchet)

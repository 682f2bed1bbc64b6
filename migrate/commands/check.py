"""`graphlift check`: one engine by itself, on liveness and on whether it depends on how a workflow is written."""

from __future__ import annotations

import typer

from ..console import FINDINGS, FormatOption, GlobalOptions, OutputFormat, open_project
from ..gate_checking import Checking
from ..gate_checking import check as check_alone
from ..options import grouped


@grouped
def check(ctx: typer.Context, checking: Checking, style: FormatOption = OutputFormat.TEXT) -> None:
    """Check each engine alone: both can be wrong alike, and then comparing them shows nothing.

    Every case runs as it is: a run that ends normally although a node with a live in-edge never ran is a finding. Then it
    runs with its steps renamed, declared in another order, after a step that does nothing, and with one source of a join
    slow; counts, inputs, statuses and results must be the same. What could not be checked is named.
    Recorded handlers run once for each engine, and are replayed after that. Exit code 1 for a finding, or where no case
    could be checked.

    Example: graphlift check --engine legacy --case checkout/happy
    """
    from ...plugins.gating import HOOKS, Loading

    project, plugins = open_project(ctx, HOOKS)
    project.require_config()
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    load = Loading(str(options.directory.resolve()), options.disabled)
    if not check_alone(project, plugins, load, checking, style):
        raise typer.Exit(FINDINGS)

"""`graphlift inventory`: every reference to the configured legacy symbols, and what could not be explained."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from ..console import CLEAN, FINDINGS, NoCacheOption, open_project


class InventoryFormat(StrEnum):
    """How the inventory is said."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    MARKDOWN = "markdown"


def inventory(
    ctx: typer.Context,
    live: Annotated[bool, typer.Option("--live", help="Only what runs in production: the blast radius.")] = False,
    why: Annotated[
        str, typer.Option(metavar="FILE:LINE", help="Say through which names a place reaches the symbol.")
    ] = "",
    no_cache: NoCacheOption = False,
    style: Annotated[InventoryFormat, typer.Option("--format", help="How to say the result.")] = InventoryFormat.TEXT,
) -> None:
    """List every reference to the legacy symbols, and fail when one cannot be explained. Imports none of your code.

    Example: graphlift inventory --live
    """
    from ..ledger import build_ledger, views
    from ..targeting import require_targets

    project, plugins = open_project(ctx, hooks=("graphlift_reference_finders",))
    project.require_names()
    require_targets(project, written=False)
    ledger = build_ledger(project, plugins.gather("graphlift_reference_finders"), cache=not no_cache)
    if why:
        from ..ledger.why import why as explain

        told = explain(ledger, why)
        typer.echo(
            json.dumps({"place": why, "text": told}, indent=2, sort_keys=True)
            if style is InventoryFormat.JSON
            else told
        )
    elif style is InventoryFormat.JSON:
        typer.echo(json.dumps(views.data(ledger, only_live=live), indent=2, sort_keys=True, ensure_ascii=False))
    elif style is InventoryFormat.SARIF:
        from ..ledger.sarif import sarif

        typer.echo(json.dumps(sarif(ledger), indent=2, sort_keys=True, ensure_ascii=False))
    elif style is InventoryFormat.MARKDOWN:
        typer.echo(views.markdown(ledger))
    else:
        typer.echo(views.live(ledger) if live else views.table(ledger))
    raise typer.Exit(CLEAN if ledger.is_complete else FINDINGS)

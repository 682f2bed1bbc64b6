"""`graphlift explain`: what a LangGraph thread runs next and why, what ran and why, and which joins are stalled."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import FINDINGS, FormatOption, GlobalOptions, OutputFormat, emit


def explain(
    ctx: typer.Context,
    saver: Annotated[str, typer.Argument(metavar="SAVER", help="A SQLite file, or a postgresql:// URL.")],
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.")],
    graph: Annotated[
        str | None, typer.Option(metavar="PKG.MOD:ATTR", help="The compiled graph; imported, and makes all exact.")
    ] = None,
    namespace: Annotated[
        str, typer.Option(metavar="NS", help="A subgraph, by its path (outer|inner) or its exact namespace.")
    ] = "",
    checkpoint: Annotated[
        str | None, typer.Option(metavar="ID", help="Explain up to this checkpoint instead of the newest.")
    ] = None,
    recursion_limit: Annotated[
        int | None, typer.Option(metavar="N", help="The limit the run had, which no checkpoint records.")
    ] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid diagram of the supersteps.")] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Explain a thread from its checkpoints: nodes due next, superstep history, how it ended, stalled waiting edges.

    The database is only read. Exits with 1 when a waiting edge can never release.

    Example: graphlift explain checkpoints.sqlite thread-1 --graph shop.flows:orders
    """
    from ...adapters import scheduler
    from ...adapters.scheduler.graphs import load_graph

    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    compiled = load_graph(graph, options.directory) if graph else None
    source = saver if "://" in saver else str(options.directory / saver)
    with scheduler.open_saver(source) as opened:
        found = scheduler.explain(
            opened,
            thread,
            graph=compiled,
            namespace=namespace,
            checkpoint=checkpoint,
            recursion_limit=recursion_limit,
        )
    emit(style, lambda: scheduler.mermaid(found) if mermaid else scheduler.render(found), found.to_dict)
    raise typer.Exit(FINDINGS if found.stalled else 0)

"""`graphlift demo`: a whole migration, carried out on a code base that the command writes first."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ...adapters.errors import UsageError
from ..console import FormatOption, GlobalOptions, OutputFormat, emit, note


def demo(
    ctx: typer.Context,
    directory: Annotated[
        Path, typer.Argument(metavar="[DIR]", show_default=True, help="A new or empty folder.")
    ] = Path("graphlift-demo"),
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Write a small shop with a hand-rolled walker, and migrate it: each stage is a commit.

    Every stage runs the same commands that you would run. Exit code 1 when a stage fails, 2 when DIR is not empty.

    Example: graphlift demo
    """
    from ..walkthrough.account import account
    from ..walkthrough.walk import prepare, walk

    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    if not options.directory.is_dir():
        raise UsageError(f"{options.directory.name!r} is not a folder", mend="give an existing folder with -C")
    folder = prepare(options.directory / directory)
    figures = walk(folder, note if style is OutputFormat.JSON else typer.echo)
    emit(style, lambda: account(figures, directory.as_posix()), lambda: asdict(figures))

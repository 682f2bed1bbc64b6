"""The command line: one entry, one file a command in `migrate/commands`.

This is the only place that turns a `GraphliftError` into an exit code: 0 clean, 1 findings, 2 usage or configuration,
3 the environment (a plugin that raises included). Anything else is a bug: it keeps its traceback, and ends with 70, so that
no script takes it for findings.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..adapters.errors import GraphliftError
from . import commands
from .console import GlobalOptions, note

BUG = 70
"""The exit code for a bug in graphlift itself, as sysexits.h has it (EX_SOFTWARE)."""

EPILOG = "Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 the environment."

if TYPE_CHECKING:
    app: typer.Typer


def application(names: Sequence[str] = commands.NAMES) -> typer.Typer:
    """The command line with these commands; `app` is the one with all."""
    made = typer.Typer(
        name="graphlift",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(epilog=EPILOG)(graphlift)
    commands.register(made, names)
    return made


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return application()


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"graphlift {version('graphlift')}")
        raise typer.Exit


def graphlift(
    ctx: typer.Context,
    directory: Annotated[
        Path, typer.Option("-C", "--directory", metavar="DIR", help="Work as if started in DIR.")
    ] = Path(),
    no_plugin: Annotated[
        list[str] | None, typer.Option("--no-plugin", metavar="NAME", help="Leave a plugin out; may be repeated.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Move a code base from a hand-rolled workflow walker to one graph engine, with proof.

    Example: graphlift demo
    """
    del version
    ctx.obj = GlobalOptions(directory, tuple(no_plugin or ()))


def _asked_for(arguments: Sequence[str]) -> tuple[str, ...]:
    """The command that is named, alone, so that the modules of the others are not imported; all where none is clear."""
    left = iter(arguments)
    for each in left:
        if each in commands.NAMES:
            return (each,)
        if each in ("-C", "--directory", "--no-plugin"):
            next(left, None)
        elif not each.startswith(("--directory=", "--no-plugin=")):
            break
    return commands.NAMES


def main() -> None:
    """Run the command line; the console script `graphlift` calls this."""
    for stream in (sys.stdout, sys.stderr):
        # A name in the code base may not be writable in the terminal's encoding; that must not end a run.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        application(_asked_for(sys.argv[1:]))()
    except GraphliftError as error:
        note(f"error: {error}")
        sys.exit(error.exit_code)
    except Exception as error:
        from ..plugins.manager import blamed

        if fault := blamed(error):
            note(f"error: {fault}")
            sys.exit(fault.exit_code)
        import traceback

        traceback.print_exception(error)
        note("error: this is a bug in graphlift; please report it with the lines above")
        sys.exit(BUG)


if __name__ == "__main__":
    main()

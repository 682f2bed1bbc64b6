"""What every command shares: opening the project, and saying a result as text or as JSON.

Nothing here decides what a command finds; heavy libraries are imported where they are used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from ..plugins.manager import Plugins
    from ..plugins.project import Project

CLEAN, FINDINGS, USAGE, ENVIRONMENT = 0, 1, 2, 3

T = TypeVar("T")


class OutputFormat(StrEnum):
    """How a command says its result."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How to say the result.")]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Read everything again, and keep nothing in .graphlift/cache.")
]


@dataclass(frozen=True)
class GlobalOptions:
    """The options that stand before a command's name."""

    directory: Path = Path()
    disabled: tuple[str, ...] = ()


def open_project(ctx: typer.Context, hooks: Collection[str] | None = ()) -> tuple[Project, Plugins]:
    """The project that `-C` names, and its plugins.

    `hooks` are those that the command will call; a project's own plugin that implements none of them is not imported.
    None loads everything. A change of many files that a killed command left half done is completed or rolled back first,
    and a note says which, so that no command reads half of it. Raises `GraphliftError` for a wrong configuration or plugin.
    """
    from ..plugins.manager import load_plugins
    from ..plugins.project import Project

    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    project = Project.open(options.directory)
    if (project.root / ".graphlift" / "journal" / "pending").is_dir():
        from .edits import recover

        if recovered := recover(project):
            note(f"note: {recovered}")
    return project, load_plugins(project, disabled=options.disabled, hooks=hooks)


def emit(style: OutputFormat, text: Callable[[], str], data: Callable[[], Any]) -> None:
    """Print the result on standard output: `text()` for people, `data()` as JSON with sorted keys."""
    shown = json.dumps(data(), indent=2, sort_keys=True, ensure_ascii=False) if style is OutputFormat.JSON else text()
    if shown:
        typer.echo(shown)


def note(message: str) -> None:
    """A line for people on standard error, so that standard output stays what was asked for."""
    typer.echo(message, err=True)


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterable[T]:
    """Iterate with a progress bar on standard error; only on a terminal, so that logs stay clean."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track as rich_track

    return rich_track(items, description, total=total, console=Console(stderr=True), transient=True)

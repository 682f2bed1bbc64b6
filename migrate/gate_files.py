"""The files of `graphlift parity`: what it may write in the project, and the reports that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit, note

if TYPE_CHECKING:
    from ..parity.report import Report
    from ..plugins.manager import Plugins
    from ..plugins.project import Project

Wanted = Sequence[tuple[Path, "Callable[[Report], str]"]]


@dataclass(frozen=True)
class Reporting:
    """The reports that are written besides what is printed, and the shards' reports that one is made of."""

    report: Annotated[
        list[str] | None,
        typer.Option(
            "--report", metavar="ID=FILE", help="Also write a report: html, junit, markdown, github, json, sarif, text."
        ),
    ] = None
    merge: Annotated[
        list[str] | None,
        typer.Option("--merge", metavar="FILE", help="Join the JSON reports of all shards; repeated, runs nothing."),
    ] = None
    coverage: Annotated[
        bool, typer.Option("--coverage", help="List the edges, labels, joins and other paths that no case reaches.")
    ] = False
    min_coverage: Annotated[
        int,
        typer.Option(
            "--min-coverage", min=0, max=100, metavar="N", help="Fail where the cases reach less, in percent."
        ),
    ] = 0

    def covers(self, found: Report) -> bool:
        """Whether the cases reach as much as was asked for; says so where they do not."""
        percent = found.coverage.percent
        if not self.min_coverage or (percent is not None and percent >= self.min_coverage):
            return True
        told = "could not be measured" if percent is None else f"is {percent} %"
        note(f"coverage {told}, --min-coverage asks for {self.min_coverage} %")
        return False


def inside(project: Project, name: str) -> Path:
    """The file that is written to; a link that leads out of the project is not followed."""
    path = project.root / name
    if not path.resolve().is_relative_to(project.root.resolve()) or path.is_symlink():
        raise UsageError(
            f"{name} is a link, or lies behind one that leads out of the project", mend="put a regular file there"
        )
    return path


def reporters(plugins: Plugins, wanted: Sequence[str]) -> Wanted:
    """The reports that `ID=FILE` options ask for. Raises UsageError for one that does not exist, and what a reporter lacks."""
    known = {reporter.id: reporter for reporter in plugins.gather("graphlift_reporters")}
    chosen: list[tuple[Path, Callable[[Report], str]]] = []
    for item in wanted:
        name, found, path = item.partition("=")
        if not found or not path or name not in known:
            raise UsageError(f"--report {item!r} is not ID=FILE", mend=f"the ids are {', '.join(sorted(known))}")
        # Not every reporter has to be prepared, and a library that is missing is told before the run, not after it.
        if prepare := getattr(known[name], "prepare", None):
            prepare()
        chosen.append((Path(path), known[name].render))
    return chosen


SOURCES = frozenset({".cfg", ".ini", ".ipynb", ".py", ".pyi", ".toml", ".yaml", ".yml"})


def write(path: Path, text: str, option: str = "--report") -> None:
    """Write a file of the user's choice. Raises UsageError where it cannot be written, for a link, and for a source file."""
    if path.is_symlink() or (path.exists() and path.suffix in SOURCES):
        kind = "a link" if path.is_symlink() else "a source file"
        raise UsageError(f"{option}: {path.name} is {kind}", mend="name a new file, or one that a report may replace")
    try:
        keep_out_of_git(path.parent)
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"{path.name} cannot be written: {error.strerror}", mend="give a file in a folder that exists"
        ) from None
    note(f"wrote {path.name}")


def keep_out_of_git(folder: Path) -> None:
    """Make graphlift's own folder where it is asked for and not there, with a `.gitignore` of its own; no other folder."""
    if folder.name == ".graphlift" and folder.parent.is_dir() and not folder.exists():
        folder.mkdir()
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def say(found: Report, wanted: Wanted, evidence: Path | None, style: OutputFormat, *, coverage: bool = False) -> None:
    """Write the reports and the evidence, print the report; with `coverage`, also what no case reached."""
    from ..parity.report import write_report
    from ..parity.reporters.terminal import text

    for path, render in wanted:
        write(path, render(found))
    # A part that found nothing, interrupted or asked for, says nothing of the whole and takes no older verdict away (which is
    # stale by itself once something changes); one that found something must not leave that behind.
    if evidence is not None:
        replaces = not found.holds_as_far_as_it_went if evidence.exists() else found.stopped
        if replaces or not found.partial:
            write_report(found, evidence)
    emit(style, lambda: text(found, coverage=coverage), found.to_json)

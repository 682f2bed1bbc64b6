"""`graphlift lint`: hazards in how LangGraph graphs are wired, from their source or on a compiled graph."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import FINDINGS, GlobalOptions, OutputFormat, emit, note, open_project

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..lint import Finding
    from ..lint.model import Wired


class LintFormat(StrEnum):
    """How findings are said."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def lint(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATHS]...", help="Files and folders; the project's sources when none."),
    ] = None,
    graph: Annotated[
        str | None, typer.Option(metavar="PKG.MOD:ATTR", help="Check this compiled graph instead; imports it.")
    ] = None,
    select: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Only this rule; may be repeated.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Not this rule; may be repeated.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules and exit.")] = False,
    style: Annotated[LintFormat, typer.Option("--format", help="How to say the findings.")] = LintFormat.TEXT,
) -> None:
    """Find hazards in LangGraph wiring: joins that run twice or never, routers that lose a branch, lost updates.

    The source is read and never imported. A comment `# graphlift: ignore[RULE]` on the line leaves a finding out.

    Example: graphlift lint src --format sarif
    """
    from ...adapters.errors import UsageError
    from ..lint import RULES, chosen, lint_files

    known = {rule.id for rule in RULES}
    for name in (*(select or ()), *(ignore or ())):
        if name not in known:
            raise UsageError(f"there is no rule {name!r}", mend="graphlift lint --rules lists them")
    if rules:
        _list(style)
        return
    wanted = chosen(select or (), ignore or ())
    project, _ = open_project(ctx)
    if graph:
        from ...adapters.scheduler.graphs import load_graph
        from ..lint.compiled import read_compiled
        from ..lint.run import lint_graphs

        found = lint_graphs(read_compiled(load_graph(graph, project.root), graph, project.root), wanted)
    else:
        found = lint_files(project.root, _files(ctx, project, paths or []), wanted, in_part=_tell_of_part)
    _say(style, found)
    raise typer.Exit(FINDINGS if found else 0)


def _tell_of_part(graph: Wired) -> None:
    note(
        f"note: {graph.place.file}:{graph.place.line}: of the graph {graph.name!r} the source shows only a part; "
        "`--graph pkg.mod:attr` checks the compiled one"
    )


def _list(style: LintFormat) -> None:
    from ..lint import RULES

    emit(
        OutputFormat.JSON if style is LintFormat.JSON else OutputFormat.TEXT,
        lambda: "\n".join(f"{rule.id:<20} {rule.level:<8} {rule.summary}" for rule in RULES),
        lambda: {"rules": [{"id": rule.id, "level": rule.level, "summary": rule.summary} for rule in RULES]},
    )


def _files(ctx: typer.Context, project: Project, paths: list[Path]) -> Sequence[str]:
    """The project's Python files, or those of them that are named or lie under a folder that is named."""
    from ...adapters.errors import UsageError

    files = project.files(".py")
    if not paths:
        return files
    start = (ctx.find_object(GlobalOptions) or GlobalOptions()).directory.resolve()
    found: list[str] = []
    for path in paths:
        full = (start / path).resolve()
        if not full.exists():
            raise UsageError(f"there is no {path}", mend="name files or folders of the project")
        if not full.is_relative_to(project.root):
            raise UsageError(f"{path} is outside the project", mend="start with -C in the project that has it")
        inside = PurePosixPath(full.relative_to(project.root).as_posix())
        if full.is_file():
            found.append(str(inside))
            continue
        # What is named is looked at, also where the project itself leaves it out.
        below = [file for file in files if PurePosixPath(file).is_relative_to(inside)] or _below(full, project.root)
        if not below:
            raise UsageError(f"there is no Python file in {path}", mend="name files or folders that have some")
        found += below
    return found


def _below(folder: Path, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in folder.rglob("*.py") if path.resolve().is_relative_to(root)]


def _say(style: LintFormat, found: tuple[Finding, ...]) -> None:
    from ..lint import formats

    if style is LintFormat.GITHUB:
        emit(OutputFormat.TEXT, lambda: formats.github(found), lambda: None)
    elif style is LintFormat.SARIF:
        emit(OutputFormat.JSON, lambda: "", lambda: formats.sarif(found))
    else:
        emit(OutputFormat(style.value), lambda: formats.text(found), lambda: formats.data(found))

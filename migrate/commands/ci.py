"""`graphlift ci`: print or write a GitHub workflow or a GitLab pipeline for this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, OutputFormat, emit, note, open_project

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..ci.placing import Pipeline


def ci(
    ctx: typer.Context,
    service: Annotated[
        str | None, typer.Argument(metavar="[github|gitlab]", help="For which service; guessed, if none is given.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the files; one that differs is shown and kept.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --write: put the new file in the place of one that differs.")
    ] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Print a pipeline with the ratchet, the inventory, the parity gate and the status, tuned to this project.

    Exit code 1 when a file stands there that differs; it is shown what would change, and nothing is written.

    Example: graphlift ci github --write
    """
    from ..ci.placing import check_place, pipeline

    if replace and not write:
        raise UsageError("--replace belongs to --write", mend="give both")
    project, _ = open_project(ctx)
    made = pipeline(project, service)
    if not write:
        emit(style, lambda: _printed(made), lambda: _data(made, []))
        return
    check_place(project)
    kept = [piece for piece in made.pieces if piece.differs and not replace]
    written = [] if kept else _write(project, made)
    emit(style, lambda: _told(made, written, replace), lambda: _data(made, written))
    if kept:
        raise typer.Exit(FINDINGS)


def _printed(made: Pipeline) -> str:
    if made.remark:
        note(made.remark)
    several = len(made.pieces) > 1
    return "\n".join((f"# {piece.path}\n" if several else "") + piece.text for piece in made.pieces).rstrip("\n")


def _write(project: Project, made: Pipeline) -> list[str]:
    from ..ratchet.writing import write

    return [piece.path for piece in made.pieces if write(project.root, piece.path, piece.text.encode())]


def _told(made: Pipeline, written: list[str], replace: bool) -> str:
    lines = []
    for piece in made.pieces:
        if piece.differs and not replace:
            lines.append(piece.diff().rstrip("\n"))
            lines.append(f"{piece.path} differs from that and was not touched; --replace writes the new one")
        elif piece.path in written:
            lines.append(f"{'replaced' if piece.before is not None else 'wrote'} {piece.path}")
        else:
            lines.append(f"{piece.path} is {'left out with it' if piece.is_new else 'up to date'}")
    return "\n".join([*lines, *([made.remark] if made.remark else [])]).rstrip("\n")


def _data(made: Pipeline, written: list[str]) -> dict[str, Any]:
    tuning = made.tuning
    return {
        "service": made.service,
        "files": [{"path": piece.path, "text": piece.text, "differs": piece.differs} for piece in made.pieces],
        "tuned": {"python": tuning.python, "graphlift": tuning.tool, "install": list(tuning.install)},
        "written": written,
        "remark": made.remark,
    }

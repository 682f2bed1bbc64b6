"""`graphlift init`: write a first configuration by looking at the code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, OutputFormat, emit, open_project

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..discovery import Candidate

HEADER = """\
# What graphlift knows of this project. Every key is described in docs/configuration.md of graphlift.
source = [{source}]
exclude = []
plugins = []          # modules of this project that offer engines and cases for the parity gate
"""

SYMBOL = """
{why}
[[symbol]]
legacy = "{name}"
# called = "package.module.factory"     # what a construct or a call becomes
# type = "package.module.Class"         # what an annotation becomes
# arguments = {{ rename = {{ old = "new" }}, drop = ["literal_only"], add = {{ name = "source text" }} }}
"""


def init(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the configuration instead of writing it.")] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Write graphlift.toml with the walkers found in the code, and say why each looks like one.

    An existing configuration is never overwritten. Exit code 1 when no candidate was found.

    Example: graphlift init --dry-run
    """
    from ...plugins.project import Project
    from ..discovery import find_candidates

    project, _ = open_project(ctx)
    if project.config_file is not None and not dry_run:
        name = project.config_file.name
        raise UsageError(
            f"{name} configures graphlift already", mend="edit it, or look with `graphlift init --dry-run`"
        )
    source = guess_source(project)
    looked = Project(project.root, None, project.settings.model_copy(update={"source": source}))
    candidates = find_candidates(looked)
    written = render(source, candidates)
    if not dry_run:
        _create(project.root / "graphlift.toml", written)

    def text() -> str:
        told = [_told(candidate) for candidate in candidates] or [
            "no candidate walker found; add a [[symbol]] table by hand"
        ]
        return written if dry_run else "\n".join(["wrote graphlift.toml", *told])

    emit(style, text, lambda: {"candidates": [asdict(item) for item in candidates], "configuration": written})
    if not candidates:
        raise typer.Exit(FINDINGS)


def _create(path: Path, text: str) -> None:
    """Write a new file; neither an existing file nor the target of a dangling link is ever written."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path.name} cannot be written: {error.strerror}", mend="make room for it") from None


def guess_source(project: Project) -> tuple[str, ...]:
    """The source folders: the whole project, with `src` as an import root of its own where there is one."""
    return ("src", ".") if (project.root / "src").is_dir() else (".",)


def render(source: tuple[str, ...], candidates: tuple[Candidate, ...]) -> str:
    """The text of graphlift.toml; a candidate that runs nothing for a node is left commented out."""
    parts = [HEADER.format(source=", ".join(f'"{name}"' for name in source))]
    for candidate in candidates:
        why = "\n".join([f"# {candidate.file}:{candidate.line}", *(f"#   {reason}" for reason in candidate.reasons)])
        table = SYMBOL.format(why=why, name=candidate.name)
        parts.append(table if candidate.runs_nodes else _commented(table))
    if not candidates:
        parts.append('\n# [[symbol]]\n# legacy = "package.module.Walker"\n')
    return "".join(parts)


def _commented(table: str) -> str:
    lines = (line if not line or line.startswith("#") else f"# {line}" for line in table.split("\n"))
    return "\n".join(lines)


def _told(candidate: Candidate) -> str:
    return "\n".join(
        [f"{candidate.file}:{candidate.line}: {candidate.name}", *(f"  - {reason}" for reason in candidate.reasons)]
    )

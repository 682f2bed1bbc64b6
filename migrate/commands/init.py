"""`graphlift init`: write a first configuration by looking at the code, and a module for the parity gate to fill in."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, OutputFormat, emit, open_project
from ..gate_template import template

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..discovery import Candidate

HEADER = """\
# What graphlift knows of this project. Every key is described in docs/configuration.md of graphlift.
source = [{source}]
exclude = ["/{file}"]     # it names the walker because it runs it; it goes when the walker goes
plugins = ["{module}"]      # this project's engines and cases for the parity gate; fill it in
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
    engines: Annotated[
        str, typer.Option("--engines", metavar="FILE", help="Where the module for the parity gate is written.")
    ] = "parity_cases.py",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be written.")] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Write graphlift.toml with the walkers found in the code, and say why each looks like one.

    Also writes a module with your two engines and your cases for the parity gate, to be filled in where it says TODO.
    An existing file is never overwritten. Exit code 1 when no candidate was found.

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
    file, module = _module(engines)
    written = {"graphlift.toml": render(source, candidates, file, module), file: template(candidates)}
    kept = [name for name in written if name != "graphlift.toml" and (project.root / name).exists()]
    if not dry_run:
        for name in (name for name in written if name not in kept):
            _create(project.root, name, written[name])

    def text() -> str:
        if dry_run:
            return "\n".join(f"# {name}\n{content}" for name, content in written.items())
        told = [_told(candidate) for candidate in candidates] or [
            "no candidate walker found; add a [[symbol]] table by hand"
        ]
        files = [f"{name} is there already, and stays" if name in kept else f"wrote {name}" for name in written]
        return "\n".join([*files, *told])

    emit(
        style,
        text,
        lambda: {
            "candidates": [asdict(item) for item in candidates],
            "configuration": written["graphlift.toml"],
            "engines": {"file": file, "kept": file in kept, "text": written[file]},
        },
    )
    if not candidates:
        raise typer.Exit(FINDINGS)


def _module(name: str) -> tuple[str, str]:
    """The file and the dotted name of the module for the gate. Raises UsageError for what Python could not import."""
    path = PurePosixPath(name)
    parts = [*path.parts[:-1], path.stem]
    if path.suffix != ".py" or path.is_absolute() or not all(part.isidentifier() for part in parts):
        raise UsageError(f"--engines {name!r} is no module of the project", mend="name a file like migration/gate.py")
    return path.as_posix(), ".".join(parts)


def _create(root: Path, name: str, text: str) -> None:
    """Write a new file; neither an existing file nor the target of a dangling link is ever written."""
    path = root / name
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise UsageError(
            f"{name} lies behind a link that leads out of the project", mend="name a folder in the project"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}", mend="make room for it") from None


def guess_source(project: Project) -> tuple[str, ...]:
    """The source folders: the whole project, with the folders that imports start from where they are not its root."""
    from ..import_roots import import_roots

    return (*import_roots(project), ".")


def render(source: tuple[str, ...], candidates: tuple[Candidate, ...], file: str, module: str) -> str:
    """The text of graphlift.toml; a candidate that runs nothing for a node is left commented out."""
    parts = [HEADER.format(source=", ".join(f'"{name}"' for name in source), file=file, module=module)]
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

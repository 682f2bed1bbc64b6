"""Put the text where a service looks for it: a new file is written, the same one is left, another one is only ever shown."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...adapters.errors import UsageError
from ..edits import places
from . import github, gitlab
from .tuning import Tuning, tune

if TYPE_CHECKING:
    from ...plugins.project import Project

SERVICES = ("github", "gitlab")


@dataclass(frozen=True)
class Piece:
    """One file of a pipeline: its path, its text, and what stands there now (None: nothing)."""

    path: str
    text: str
    before: str | None

    @property
    def is_new(self) -> bool:
        """Whether there is no such file."""
        return self.before is None

    @property
    def differs(self) -> bool:
        """Whether another file stands there."""
        return self.before is not None and self.before.replace("\r\n", "\n") != self.text

    def diff(self) -> str:
        """What writing it would change, as a unified diff."""
        before, after = (self.before or "").splitlines(keepends=True), self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, f"a/{self.path}", f"b/{self.path}"))


@dataclass(frozen=True)
class Pipeline:
    """A service's files, what they were tuned by, and what is left to do by hand ("" for nothing)."""

    service: str
    tuning: Tuning
    pieces: tuple[Piece, ...]
    remark: str = ""


def pipeline(project: Project, service: str | None) -> Pipeline:
    """The pipeline of a project. `service` is guessed from what the project has, where it is None."""
    chosen = service or ("gitlab" if (project.root / gitlab.MAIN).is_file() else "github")
    if chosen not in SERVICES:
        raise UsageError(f"there is no service {chosen!r}", mend=f"services are {', '.join(SERVICES)}")
    tuning = tune(project)
    if chosen == "github":
        return Pipeline(chosen, tuning, (_piece(project, github.PATH, github.render(tuning)),))
    piece = _piece(project, gitlab.PATH, gitlab.render(tuning))
    main = _piece(project, gitlab.MAIN, gitlab.INCLUDE)
    if main.is_new:
        return Pipeline(chosen, tuning, (piece, main))
    included = gitlab.PATH in (main.before or "")
    return Pipeline(chosen, tuning, (piece,), "" if included else f"add to {gitlab.MAIN}:\n{gitlab.INCLUDE}")


def _piece(project: Project, path: str, text: str) -> Piece:
    content = places.read(project.root, path)
    return Piece(path, text, None if content is None else content.decode("utf-8", "replace"))


def check_place(project: Project) -> None:
    """Raise `UsageError` where the project is a folder inside a repository: the service looks at the repository's root."""
    if (project.root / ".git").exists():
        return
    above = next((folder for folder in project.root.parents if (folder / ".git").exists()), None)
    if above is not None:
        inside = project.root.relative_to(above).as_posix()
        mend = f"print it, and save it there with `working-directory: {inside}` (GitLab: `cd {inside}`)"
        raise UsageError("a pipeline is read from the repository's root, which is above this project", mend=mend)

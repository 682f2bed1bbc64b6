"""A run of codemods on a project, from ledger to applied plan: what the command does, for Python callers too.

    plan = plan_codemods(project, codemods)
    applied = apply_codemods(project, plan, codemods)

Nothing is printed here, and the code base is never imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ...adapters.errors import UsageError
from ..collecting import no_collections
from ..edits import Applied, Flag, Plan, apply_plan
from ..ledger import build_ledger
from .engine import make_plan
from .model import Codemod

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..ledger.finders import ReferenceFinder

PathFilter = Callable[[str], bool]


def everywhere(_path: str) -> bool:
    """The filter that accepts every file."""
    return True


@no_collections()
def plan_codemods(
    project: Project,
    codemods: Iterable[Codemod],
    accepts: PathFilter = everywhere,
    finders: Sequence[ReferenceFinder] | None = None,
    *,
    cache: bool = False,
) -> Plan:
    """What `codemods` would change in the files that `accepts` takes, and what they flag there.

    `finders` are the reference finders of the ledger; None stands for the built-in ones. `cache` as in `build_ledger`.
    """
    return make_plan(project, build_ledger(project, finders, cache=cache), codemods, only_paths=accepts)


def apply_codemods(
    project: Project,
    plan: Plan,
    codemods: Sequence[Codemod],
    accepts: PathFilter = everywhere,
    finders: Sequence[ReferenceFinder] | None = None,
    *,
    allow_dirty: bool = False,
) -> Applied:
    """Write a plan, read the code base again, and put back every file that a second run would change once more.

    Raises as `apply_plan` does.
    """

    def verify(written: Mapping[str, bytes | None]) -> list[Flag]:
        again = plan_codemods(project, codemods, accepts, finders)
        reason = "a second run would change it again; it was put back"
        return [Flag(change.path, 1, "not-settled", reason) for change in again.changes if change.path in written]

    return apply_plan(project, plan, allow_dirty, verify=verify)


def path_filter(root: Path, start: Path, paths: Sequence[str]) -> PathFilter:
    """A filter for the files and folders in `paths`, which are relative to the folder `start`; all files for ().

    Raises `UsageError` for a path that does not exist or is outside of `root`.
    """
    if not paths:
        return everywhere
    wanted = [_inside(root, start, path) for path in paths]

    def accepts(path: str) -> bool:
        return any(PurePosixPath(path).is_relative_to(one) for one in wanted)

    return accepts


def _inside(root: Path, start: Path, path: str) -> PurePosixPath:
    if not path.strip():
        raise UsageError("a path is empty", mend="give paths of the project, `.` for all that is here")
    # Only the folder is resolved, not the file: a link that is named is that link.
    full = (start / path).parent.resolve() / Path(path).name if Path(path).name else start.resolve()
    if path.endswith(("..", "/.")) or path == ".":
        full = (start / path).resolve()
    if not full.exists():
        raise UsageError("there is no such file or folder", where=path, mend="give paths of the project")
    if not full.is_relative_to(root):
        raise UsageError("is outside of the project", where=path, mend="give paths of the project")
    return PurePosixPath(full.relative_to(root).as_posix())

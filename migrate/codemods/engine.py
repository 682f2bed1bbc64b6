"""Run codemods over a code base and make a plan: what changes, what is flagged, who did how much.

    plan = make_plan(project, ledger, codemods)

Stage by stage, every file in turn; then imports are edited, and every changed file is checked before it enters the plan.
A file that fails the check is left out and reported, and the rest is planned again without it. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..edits import Edit, FileChange, Flag, OverlapError, Plan, splice
from ..ledger.model import DEFINITION, STRING_TARGET
from .builtin import builtin
from .checks import problem
from .import_edits import import_edits
from .model import Codemod, Rewrite
from .referring import INSIDE_TARGET
from .source import UnreadableSourceError
from .workspace import Workspace

if TYPE_CHECKING:
    from ...plugins.project import Project
    from ..ledger.model import Ledger
    from .file import File

# Roles that need no flag where no codemod took them: what follows from something else, or is text for people.
SILENT = frozenset({DEFINITION, "import", "module-import", "star-import", "re-export", "name-string", "prose",
                    "docstring-example", "comment"})  # fmt: skip
LINK = "is a symbolic link, which is never written; what it leads to is changed in its own place"


def _everything(_path: str) -> bool:
    return True


def make_plan(
    project: Project,
    ledger: Ledger,
    codemods: Iterable[Codemod],
    *,
    only_paths: Callable[[str], bool] = _everything,
    overlay: dict[str, bytes] | None = None,
) -> Plan:
    """The plan of `codemods`, in the order of their stages, for the files that `only_paths` accepts.

    `overlay` gives other contents than the disk's for some paths; the ledger must be of the same contents.
    """
    chosen = sorted(codemods, key=lambda codemod: (codemod.stage, codemod.id))
    left_out: dict[str, Flag] = {}
    while True:
        workspace = Workspace(project, ledger, overlay)
        workspace.add_needles(chosen)
        run = _Run(workspace, chosen, lambda path: only_paths(path) and path not in left_out)
        changes, failed = run.changes()
        if not failed:
            break
        left_out.update({flag.file: flag for flag in failed})
    unreadable = [Flag(item.file, item.line, "unreadable", item.reason) for item in ledger.unreadable]
    flags = [*run.flags(), *left_out.values(), *(flag for flag in unreadable if only_paths(flag.file))]
    return Plan.of(changes, flags, run.counts())


class _Run:
    """One pass of all codemods."""

    def __init__(self, workspace: Workspace, codemods: Sequence[Codemod], accepts: Callable[[str], bool]) -> None:
        self._workspace = workspace
        self._accepts = accepts
        self._counts: dict[str, int] = {codemod.id: 0 for codemod in codemods}
        for codemod in codemods:
            for file in self._files():
                if file.has_suffix(codemod.suffixes) and _concerns(codemod, file):
                    self._rewrite(codemod, file)

    def _files(self) -> list[File]:
        return [file for path, file in self._workspace.files.items() if self._accepts(path)]

    def _rewrite(self, codemod: Codemod, file: File) -> None:
        try:
            for said in codemod.rewrite(file):
                self._hear(codemod.id, file, said)
        except UnreadableSourceError as error:
            file.flags.append(Flag(file.path, 1, "unreadable", str(error)))

    def _hear(self, codemod: str, file: File, said: Rewrite | Edit | Flag) -> None:
        if isinstance(said, Flag):
            file.flags.append(said)
        elif isinstance(said, Edit):
            if _overlaps(said, file.all_edits()):
                file.flags.append(
                    Flag(file.path, file.line_of(said.start), "overlap", f"{codemod} wants bytes that are taken")
                )
                return
            file.edits.append((codemod, said))
        elif said.reference.own_target:
            file.flags.append(file.flag(said.reference, INSIDE_TARGET, said.reference.reason))
        elif said.reference not in file.rewrites:
            file.rewrites[said.reference] = said
            file.authors[said.reference] = codemod
            if said.need:
                file.take(said.need)

    def changes(self) -> tuple[list[FileChange], list[Flag]]:
        """The changed files that pass the check, and a flag for each that does not."""
        changes, failed = [], []
        for file in self._files():
            try:
                change = _change(file)
            except (OverlapError, UnicodeEncodeError) as error:
                failed.append(Flag(file.path, 1, "unverified", f"left alone: {error}"))
                continue
            if change is None:
                continue
            if (self._workspace.project.root / file.path).is_symlink():
                failed.append(Flag(file.path, 1, "symbolic-link", LINK))
            elif reason := problem(file, change):
                failed.append(Flag(file.path, 1, "unverified", f"left alone: {reason}"))
            else:
                changes.append(change)
        return changes, failed

    def counts(self) -> list[tuple[str, int]]:
        """How many rewrites and edits each codemod made; codemods that made none are left out."""
        for file in self._files():
            # What was decided about a use is taken back where the alias that it goes through stays.
            made = [author for reference, author in file.authors.items() if reference in file.rewrites]
            for author in [*made, *(author for author, _ in file.edits)]:
                self._counts[author] = self._counts.get(author, 0) + 1
        return [(name, count) for name, count in self._counts.items() if count]

    def flags(self) -> list[Flag]:
        """What codemods flagged, and every reference that the ledger flags, or says is rewritten, and nobody took."""
        built_in = {codemod.id for codemod in builtin() if not codemod.opt_in}
        complete = built_in <= self._counts.keys()
        return [flag for file in self._files() for flag in [*file.flags, *_untaken(file, complete)]]


def _concerns(codemod: Codemod, file: File) -> bool:
    """Whether a codemod is asked about a file: one with references, or with a needle of its own."""
    return bool(file.references) or any(needle in file.content for needle in codemod.needles)


def _change(file: File) -> FileChange | None:
    if not file.rewrites and not file.edits:
        return None
    edits = file.all_edits()
    if file.is_python:
        edits = [file.source.to_file(edit) for edit in [*edits, *import_edits(file)]]
    return FileChange(file.path, file.content, splice(file.content, edits))


def _overlaps(edit: Edit, others: Collection[Edit]) -> bool:
    return any(edit.start < other.end and other.start < edit.end for other in others)


def _untaken(file: File, complete: bool) -> Iterator[Flag]:
    """Flags for the references that nobody took: those that the ledger flags, and any that it says are rewritten."""
    said = {(flag.line, flag.column, flag.symbol) for flag in file.flags}
    for reference in file.references:
        place = (reference.line, reference.column, reference.symbol)
        if reference in file.rewrites or reference.role in SILENT or place in said:
            continue
        if reference.fate == "flag":
            yield file.flag(reference, INSIDE_TARGET if reference.own_target else reference.role, reference.reason)
        elif reference.fate == "rewrite" and reference.role != STRING_TARGET and complete:
            # A patch of a name that is still looked up stays, and is right.
            yield file.flag(reference, "not-rewritten", "no codemod could rewrite it")

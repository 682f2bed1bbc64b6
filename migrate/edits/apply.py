"""Carry out a plan: only where every file still holds what the plan was made from, each file at once, all journalled.

`apply_plan` writes, `undo` takes the last one back, `recover` ends one that was killed. None of them decides what a
change should be. All three hold the project's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...adapters.errors import EnvironmentProblem, UsageError
from ...parity.writing import write_atomically
from . import places
from .journal import FOLDER, Journal, Transaction, temporary_path
from .model import FileChange, Flag, Plan
from .worktree import require_clean

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.project import Project

Verify = Callable[[Mapping[str, bytes | None]], Iterable[Flag]]


@dataclass(frozen=True)
class Applied:
    """What `apply_plan` or `undo` did: files written (or deleted), and those left alone, each with a reason.

    `unchecked`: git was not asked whether something uncommitted is in the way, since there is no repository.
    """

    written: tuple[str, ...]
    refused: tuple[Flag, ...] = ()
    unchecked: bool = False


@dataclass(frozen=True)
class Recovered:
    """How a transaction that had been cut short was ended: "completed" or "rolled back".

    `left` are files that hold neither what was there before nor what was planned; they were not touched.
    """

    action: str
    files: tuple[str, ...]
    left: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"a change of {len(self.files)} files that had been interrupted was {self.action}"
        return f"{text}; left alone, since edited in between: {', '.join(self.left)}" if self.left else text


def apply_plan(
    project: Project,
    plan: Plan,
    allow_dirty: bool = False,
    *,
    all_or_nothing: bool = False,
    verify: Verify | None = None,
) -> Applied:
    """Write what `plan` says. A file that changed since, is read-only, or cannot be written safely is left and reported.

    With `all_or_nothing`, one such file means that none is written. `verify` gets every written path with the bytes that
    are now on disk (None: deleted) and returns flags for the files that must go back to what they were; where it raises,
    all of them go back.

    Raises `UsageError` for a work tree that is not clean (unless `allow_dirty`), `EnvironmentProblem` where the disk
    refuses in the middle (everything is put back first) or another graphlift is at work.
    """
    if not plan.changes:
        return Applied(())
    unchecked = not allow_dirty and not require_clean(project.root, [change.path for change in plan.changes])
    journal = Journal(project.root)
    with journal.locked():
        _recover(journal)
        refused = tuple(flag for change in plan.changes if (flag := _refused(project.root, change)))
        paths = {flag.file for flag in refused}
        good = tuple(change for change in plan.changes if change.path not in paths)
        if not good or (refused and all_or_nothing):
            return Applied((), refused, unchecked)
        return replace(_transact(journal, good, refused, verify), unchecked=unchecked)


def undo(project: Project) -> Applied:
    """Take the last applied plan back; a file that was edited since is left and reported, and stays undoable.

    Raises `UsageError` where there is nothing to undo.
    """
    journal = Journal(project.root)
    with journal.locked():
        _recover(journal)
        names = journal.names()
        if not names:
            raise UsageError("there is nothing to undo", mend=f"applied plans are kept in {FOLDER}")
        backwards = [FileChange(c.path, c.after, c.before) for c in journal.load(names[-1]).changes]
        refused = tuple(flag for change in backwards if (flag := _refused(project.root, change)))
        paths = {flag.file for flag in refused}
        good = tuple(change for change in backwards if change.path not in paths)
        return _transact(journal, good, refused, None, names[-1]) if good else Applied((), refused)


def recover(project: Project) -> Recovered | None:
    """End a transaction that was cut short, by a kill or a power failure; None where there is none.

    It is completed where every file holds either what was there before or what was planned; where somebody edited one
    in between, or where it was to be verified and had not been, the files are rolled back. Every command that reads the
    code base should call this first.
    """
    journal = Journal(project.root)
    if not (journal.folder / "pending").is_dir():
        return None
    with journal.locked():
        return _recover(journal)


def _transact(
    journal: Journal,
    changes: tuple[FileChange, ...],
    refused: tuple[Flag, ...],
    verify: Verify | None,
    undoes: str = "",
) -> Applied:
    journal.begin(changes, undoes, verify=verify is not None)
    done: list[FileChange] = []
    try:
        for change in changes:
            _write(journal.root, change)
            done.append(change)
    except OSError as error:
        _put_back(journal.root, done)
        journal.finish(())
        where = changes[len(done)].path
        raise EnvironmentProblem(
            f"cannot be written: {error.strerror}; every file was put back", where=where, mend="mend it and try again"
        ) from error
    try:
        bad = tuple(verify({c.path: places.read(journal.root, c.path) for c in changes})) if verify else ()
    except BaseException:
        # What could not be verified must not stay.
        _put_back(journal.root, done)
        journal.finish(())
        raise
    wrong = {flag.file for flag in bad}
    written = tuple(change.path for change in changes if change.path not in wrong)
    if verify:
        journal.settle(written)
    _put_back(journal.root, [change for change in changes if change.path in wrong])
    journal.finish(written)
    return Applied(written, tuple(sorted((*refused, *bad))))


def _refused(root: Path, change: FileChange) -> Flag | None:
    """Why a change cannot be made now, or None."""
    if reason := places.refusal(root, change.path):
        return Flag(change.path, 1, "not-writable", reason)
    if places.read(root, change.path) != change.before:
        return Flag(change.path, 1, "changed-since", "does not hold what the plan was made from")
    return None


def _write(root: Path, change: FileChange) -> None:
    file = root / change.path
    if change.after is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, change.after, temporary_path(file))


def _put_back(root: Path, changes: Iterable[FileChange]) -> None:
    for change in changes:
        _write(root, FileChange(change.path, change.after, change.before))


def _recover(journal: Journal) -> Recovered | None:
    pending = journal.pending()
    if pending is None:
        return None
    states = {change.path: _state(journal.root, change) for change in pending.changes}
    for path, state in states.items():
        if state != "unsafe":
            temporary_path(journal.root / path).unlink(missing_ok=True)
    left = tuple(path for path, state in states.items() if state in ("other", "unsafe"))
    stay = _stay(journal, pending, bool(left))
    for change in pending.changes:
        wanted = "after" if change.path in stay else "before"
        if states[change.path] in ("before", "after") and states[change.path] != wanted:
            _write(journal.root, change if wanted == "after" else FileChange(change.path, change.after, change.before))
    journal.finish(stay)
    return Recovered("completed" if stay else "rolled back", tuple(change.path for change in pending.changes), left)


def _stay(journal: Journal, pending: Transaction, edited: bool) -> frozenset[str]:
    """The files of an interrupted transaction that get what was planned; the others get back what was there before.

    What had to be verified, and was not when it was cut short, must not stay: only the command that made it could do that.
    """
    settled = journal.settled()
    if edited or (pending.verify and settled is None):
        return frozenset()
    return frozenset(change.path for change in pending.changes) if settled is None else settled


def _state(root: Path, change: FileChange) -> str:
    if places.refusal(root, change.path) not in (None, "is read-only", "is in a read-only folder"):
        return "unsafe"
    content = places.read(root, change.path)
    return "after" if content == change.after else "before" if content == change.before else "other"

"""What git says about the work tree: which files a change would mix up with work that is not committed.

Only asks; never stages, commits or stashes.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from ...adapters.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

SHOWN = 5


def require_clean(root: Path, touched: Collection[str]) -> None:
    """Raise `UsageError` where the tree at `root` has uncommitted changes.

    A tracked file that differs counts wherever it is below `root`; an untracked one only where it is `touched`, since
    git could not bring it back. Outside of a repository there is nothing to ask, and nothing is refused.
    """
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return
    if _git(root, "rev-parse", "--is-inside-work-tree") is None:
        return
    changed = _names(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--", ".")
    dirty = [entry[3:] for entry in changed] + _untracked(root, touched)
    if not dirty:
        return
    more = f" and {len(dirty) - SHOWN} more" if len(dirty) > SHOWN else ""
    raise UsageError(
        f"the work tree has uncommitted changes: {', '.join(sorted(dirty)[:SHOWN])}{more}",
        mend="commit them first, or say --allow-dirty",
    )


def _untracked(root: Path, touched: Collection[str]) -> list[str]:
    existing = sorted(path for path in touched if (root / path).is_file())
    if not existing:
        return []
    # Through standard input, since thousands of paths do not fit on a command line.
    listed = _git(root, "ls-files", "-z", "--others", "--", *existing) if len(existing) <= 500 else None
    if listed is None:
        listed = _git(root, "ls-files", "-z", "--others") or ""
    return sorted(set(listed.split("\0")) & set(existing))


def _names(root: Path, *arguments: str) -> list[str]:
    output = _git(root, *arguments)
    if output is None:
        raise EnvironmentProblem("git status failed", mend="look at it with `git status`, or say --allow-dirty")
    return [name for name in output.split("\0") if name]


def _git(root: Path, *arguments: str) -> str | None:
    """Git's output; None where it ended with an error."""
    try:
        done = subprocess.run(
            ["git", "--literal-pathspecs", *arguments],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentProblem("git was not found", mend="install git, or say --allow-dirty") from None
    return done.stdout if done.returncode == 0 else None

"""Whether a change would mix with work that is not committed. Only asks git; never stages, commits or stashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...adapters.errors import UsageError
from ..git import Git

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

SHOWN = 5


def require_clean(root: Path, touched: Collection[str]) -> bool:
    """Raise `UsageError` where the tree at `root` has uncommitted changes; False where there is no repository to ask.

    A tracked file that differs counts wherever it is below `root`; an untracked one only where it is `touched`, since
    git could not bring it back. Raises `EnvironmentProblem` where there is a repository and git cannot be run.
    """
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return False
    git = Git(root)
    if not git.is_work_tree:
        return False
    existing = [path for path in touched if (root / path).is_file()]
    dirty = sorted({*git.uncommitted(), *git.untracked(existing)})
    if dirty:
        more = f" and {len(dirty) - SHOWN} more" if len(dirty) > SHOWN else ""
        raise UsageError(
            f"the work tree has uncommitted changes: {', '.join(dirty[:SHOWN])}{more}",
            mend="commit them first, or say --allow-dirty",
        )
    return True

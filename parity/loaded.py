"""Which source files a run stood on: those of the modules that its process has loaded. Imports nothing, reads no file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}


def loaded_files(besides: Iterable[str] = ()) -> tuple[str, ...]:
    """The Python files of all modules that are loaded now, but for the modules named, as absolute paths, sorted."""
    found: set[str] = set()
    # By name first: to look at every module after every run would cost more than the run.
    for name in set(sys.modules).difference(besides):
        # Its own namespace: a lazy module would import something when it is asked.
        file = getattr(sys.modules.get(name), "__dict__", {}).get("__file__")
        if isinstance(file, str) and file.endswith(".py"):
            found.add(file)
    return tuple(sorted(found))


def within(root: Path, files: Iterable[str]) -> list[str]:
    """Those that are the project's own, relative to its root: below it, and in no environment that stands there."""
    top = root.resolve()
    found = set()
    for file in files:
        path = Path(file).resolve()
        if path.is_relative_to(top) and not _INSTALLED & set(path.parts):
            found.add(path.relative_to(top).as_posix())
    return sorted(found)

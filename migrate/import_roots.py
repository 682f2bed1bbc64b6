"""Guess the folders that imports start from: `src` layouts, also below the folders of several projects in one repository.

A folder is one when a package stands in it, it is itself no package, and its name, a project file or what the code imports
says so. A namespace package (`app/` without `__init__.py`, imported as `app.…`) is none.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..plugins.project import Project

USUAL = frozenset({"src", "lib", "python"})
PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


def import_roots(project: Project) -> tuple[str, ...]:
    """The folders besides the root, the deepest first; the usual ones at the root come first of all."""
    files = project.files(".py")
    packages = {path.rpartition("/")[0] for path in files if path.endswith("/__init__.py")}
    tops: dict[str, set[str]] = {}
    for package in packages:
        folder, _, name = package.rpartition("/")
        if folder and folder not in packages:
            tops.setdefault(folder, set()).add(name)
    for folder in {each.as_posix() for path in files for each in PurePosixPath(path).parents if each.name in USUAL}:
        if packages.isdisjoint([folder, *(each.as_posix() for each in PurePosixPath(folder).parents)]):
            tops.setdefault(folder, set())
    asked = sorted(folder for folder in tops if not _is_named(project, folder))
    text = [(project.root / path).read_bytes() for path in files] if asked else []
    used = {folder for folder in asked if _is_imported_from(folder, tops[folder], text)}
    return tuple(sorted((folder for folder in tops if folder not in asked or folder in used), key=_order))


def _order(folder: str) -> tuple[bool, int, str]:
    return ("/" in folder, -folder.count("/"), folder)


def _is_named(project: Project, folder: str) -> bool:
    beside = (project.root / folder / name for name in PROJECT_FILES)
    return PurePosixPath(folder).name in USUAL or any(path.is_file() for path in beside)


def _is_imported_from(folder: str, names: set[str], texts: list[bytes]) -> bool:
    """Whether the code imports the packages in a folder by their own names, and never through the folder's."""
    own = "|".join(sorted(map(re.escape, names)))
    long = re.escape(folder.replace("/", "."))
    short = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+(?:{own})\b".encode())
    whole = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+{long}\b".encode())
    return any(map(short.search, texts)) and not any(map(whole.search, texts))

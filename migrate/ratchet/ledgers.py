"""The ledger of a tree: of the project on disk with what it remembers, of the index, a commit or an overlay from their bytes.

Only a tree whose configuration is another one is put on disk, in a temporary folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plugins.project import SKIPPED_FOLDERS, Project
from ..ledger import Ledger, build_ledger
from ..ledger.files import ROOT_SUFFIXES, Files

if TYPE_CHECKING:
    from ..ledger.finders import ReferenceFinder
    from .trees import Tree


def ledger_of(tree: Tree, finders: Sequence[ReferenceFinder]) -> tuple[Ledger, Project]:
    """The ledger of a tree, and the project with the settings that it was made by."""
    if tree.is_on_disk:
        return build_ledger(tree.base, finders or None, cache=True), tree.base
    if tree.has_same_settings:
        from ..ledger.build import build

        return build(tree.base, finders or None, TreeFiles(tree)), tree.base
    with tree.project() as project:
        return build_ledger(project, finders or None), project


class TreeFiles(Files):
    """The files of a tree that belong to the project, as its settings say, and their bytes there."""

    def __init__(self, tree: Tree) -> None:
        """Every file is asked for at once, since every file is searched."""
        super().__init__(tree.base)
        self._tree = tree
        self.paths = tuple(sorted(path for path in tree.paths if belongs(tree.base, path)))
        folders = {path.rpartition("/")[0] for path in tree.paths}
        named = (*tree.base.settings.source, "src", "lib")
        self.roots = tuple(name for name in dict.fromkeys(named) if name == "." or _is_folder(name, folders))
        tree.preload(self.paths)

    def _content(self, path: str) -> bytes:
        return self._tree.read(path)


def _is_folder(name: str, folders: set[str]) -> bool:
    return any(folder == name or folder.startswith(f"{name}/") for folder in folders)


def belongs(project: Project, path: str) -> bool:
    """Whether a path would be one of the project's files, were it on disk; or the configuration beside them."""
    if project.excludes(path):
        return False
    if "/" not in path and path.endswith(ROOT_SUFFIXES):
        return True
    return any(_is_under(path, source) for source in project.settings.source)


def _is_under(path: str, source: str) -> bool:
    if source != ".":
        if path == source:
            return True
        if not path.startswith(f"{source}/"):
            return False
        path = path[len(source) + 1 :]
    return not any(part in SKIPPED_FOLDERS or part.endswith(".egg-info") for part in path.split("/")[:-1])

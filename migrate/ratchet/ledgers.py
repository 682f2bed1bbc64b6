"""The ledger of a tree: of the project on disk and of the index with what is remembered, of a commit or an overlay anew.

Only a tree whose configuration is another one is put on disk, in a temporary folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ...plugins.project import NEVER_TRACKED, Project
from ..ledger import Ledger, build_ledger
from ..ledger.cache import View, cached
from ..ledger.files import ROOT_SUFFIXES, Files, Remembered
from .trees import StoredTree, WorkTree

if TYPE_CHECKING:
    from ..ledger.finders import ReferenceFinder
    from .trees import Tree


def ledger_of(tree: Tree, finders: Sequence[ReferenceFinder]) -> tuple[Ledger, Project]:
    """The ledger of a tree, and the project with the settings that it was made by."""
    if isinstance(tree, WorkTree):
        return build_ledger(tree.base, finders or None, cache=True), tree.base
    if not tree.has_same_settings:
        with tree.project() as project:
            return build_ledger(project, finders or None), project
    if isinstance(tree, StoredTree) and tree.is_index:
        return cached(tree.base, finders or None, IndexView(tree)), tree.base
    from ..ledger.build import build

    tree.preload(tree.paths)
    return build(tree.base, finders or None, TreeFiles(tree)), tree.base


class TreeFiles(Files):
    """The files of a tree that belong to the project, as its settings say, and their bytes there."""

    def __init__(self, tree: Tree, remembered: Remembered | None = None) -> None:
        """`remembered` is as for any files."""
        super().__init__(tree.base, remembered)
        self._tree = tree
        self.paths, self.roots = listing(tree)

    def _content(self, path: str) -> bytes:
        if isinstance(self._tree, StoredTree) and self._tree.is_index and path not in self._tree.unstaged:
            return super()._content(path)  # as it is on disk, with the state that says so
        return self._tree.read(path)


class IndexView(View):
    """Git's index, for the ledger's memory."""

    name = ".index"

    def __init__(self, tree: StoredTree) -> None:
        super().__init__(tree.base)
        self._tree = tree
        self.other = tree.unstaged

    def listing(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """As the index has them."""
        return self._listing

    @cached_property
    def _listing(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return listing(self._tree)

    def read(self, path: str) -> bytes:
        """What is staged."""
        return self._tree.read(path)

    def files(self, remembered: Remembered | None) -> Files:
        """Of the index."""
        return TreeFiles(self._tree, remembered)


def listing(tree: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of a tree that belong to its project, sorted, and the folders that imports start from."""
    folders = {path.rpartition("/")[0] for path in tree.paths}
    named = dict.fromkeys((*tree.base.settings.source, "src", "lib"))
    roots = tuple("" if name == "." else name for name in named if name == "." or _is_folder(name, folders))
    return tuple(sorted(path for path in tree.paths if belongs(tree.base, path))), roots


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
    # These are files that git tracks, or that the project lists itself.
    return not any(part in NEVER_TRACKED for part in path.split("/")[:-1])

"""What every finder works with: the files, the names to look for, and what a dotted name leads to.

Files are parsed when asked for; the trees of a small code base are kept, those of a large one are made again.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .exports import Exports, exports_of
from .model import Unreadable
from .parsing import deeply, parse
from .python import PythonFile
from .resolve import Resolver
from .scopes import names_of
from .text import PYTHON, TextFile, UnreadableError
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .files import Files

KEPT_TREES = 8 << 20


class Search:
    """A search for symbols in a code base. `vocabulary` holds their aliases too, once `find_aliases` has run."""

    def __init__(self, files: Files, symbols: Iterable[str]) -> None:
        self.files = files
        self.vocabulary = Vocabulary(tuple(sorted(symbols)))
        self.unreadable: dict[str, Unreadable] = {}
        self._trees: dict[str, ast.Module] = {}
        self._size = 0
        self._exports: dict[str, Exports | None] = {}
        self._texts: dict[str, TextFile] = {}
        self._python: dict[str, PythonFile] = {}
        self.resolver = Resolver(self.vocabulary.symbols, files.layout, self.exports)

    def text(self, path: str) -> TextFile:
        """A file's text. Raises `UnreadableError` where it cannot be decoded."""
        if path not in self._texts:
            self._texts[path] = TextFile(path, self.files.content(path))
        return self._texts[path]

    def _tree(self, path: str) -> ast.Module:
        if path in self._trees:
            return self._trees[path]
        text = self.text(path).text
        tree = deeply(partial(parse, text))
        if self._size < KEPT_TREES:
            self._size += len(text)
            self._trees[path] = tree
        return tree

    def exports(self, module: str) -> Exports | None:
        """What a module exposes; None for one without a file, or one that cannot be read."""
        path = self.files.layout.file(module)
        if path is None:
            return None
        if path not in self._exports:
            self._exports[path] = None
            self.guarded(path, self._read_exports)
        return self._exports[path]

    def _read_exports(self, path: str) -> None:
        layout = self.files.layout
        tree, own, package = self._tree(path), layout.module(path), layout.package(path)
        self._exports[path] = deeply(lambda: exports_of(tree, own, package))

    def guarded(self, path: str, read: Callable[[str], None]) -> None:
        """Call `read(path)`; a file that cannot be read is noted and left out."""
        try:
            read(path)
        except UnreadableError as error:
            self.unreadable[path] = Unreadable(path, error.line, str(error))

    def python(self, path: str) -> PythonFile:
        """A Python file with its names, ready for finders. Raises `UnreadableError`."""
        if path not in self._python:
            self._python[path] = self._analysed(self.text(path), self._tree(path))
        return self._python[path]

    def code(self, file: TextFile) -> PythonFile:
        """Python code that stands in a file of another kind."""
        return self._analysed(file, deeply(partial(parse, file.text)))

    def _analysed(self, file: TextFile, tree: ast.Module) -> PythonFile:
        layout = self.files.layout
        package = layout.package(file.path)
        names = deeply(partial(names_of, tree, package))
        return PythonFile(file, tree, names, layout.module(file.path), package, self.resolver, self.vocabulary)

    # -- aliases ---------------------------------------------------------------------------------------------------

    def find_aliases(self) -> None:
        """Find names that lead to a symbol under another name; each makes further files worth reading."""
        searched: set[str] = set()
        fresh = set(self.vocabulary.names)
        while fresh:
            searched |= fresh
            for path in list(self.files.holding(fresh)):
                if path.endswith(PYTHON):
                    self.guarded(path, self._aliases_in)
            fresh = set(self.vocabulary.names) - searched

    def _aliases_in(self, path: str) -> None:
        module = self.files.layout.module(path)
        exports = self.exports(module) if module and self.files.layout.file(module) == path else None
        if exports is None:
            return
        names = [name for name, bindings in exports.names.items() if any(each.leads for each in bindings)]
        aliases: dict[str, str] = {}
        for name in (*names, *exports.lazy):
            last = name.rpartition(".")[2]
            found = self.resolver.resolve(f"{module}.{name}")
            if found and not found.members and last not in self.vocabulary.names and not last.startswith("__"):
                aliases[last] = found.symbol
        if aliases:
            self.vocabulary = replace(self.vocabulary, aliases={**self.vocabulary.aliases, **aliases})

    def paths(self) -> list[str]:
        """The files to look at: those that hold a name, and those with a star import, which can pass one on unwritten."""
        holding = set(self.files.holding(self.vocabulary.names))
        stars = {path for path in self.files.holding(["import *"]) if path.endswith(PYTHON)}
        return sorted(holding | stars)

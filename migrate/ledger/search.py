"""What every finder works with: the files, the names to look for, and what a dotted name leads to.

Files are parsed when asked for; the trees of a small code base are kept, those of a large one are made again.
"""

from __future__ import annotations

import ast
import codecs
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from .exports import Exports, exports_of
from .layout import absolute
from .model import Unreadable
from .parsing import deeply, parse
from .python import PythonFile
from .resolve import Resolver
from .text import PYTHON, TextFile, UnreadableError, is_python, is_wide
from .vocabulary import Vocabulary, is_distinctive, stands, whole_words
from .walk import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .files import Files

KEPT_TREES = 8 << 20
_ANY_STAR = re.compile(rb"\bimport[ \t\\\r\n(]*\*")
_STAR = re.compile(rb"(?m)\bfrom[ \t]+([.\w]+)[ \t]+import[ \t]*\*")


@dataclass(frozen=True)
class Home:
    """Where an alias that may be an ordinary word comes from: the module's last name, and the module's folder."""

    name: str
    tail: str
    folder: str

    def may_serve(self, path: str, content: bytes) -> bool:
        """Whether a file that holds the alias can have it from here."""
        near = path.startswith(f"{self.folder}/") and (b"from ." in content or path.endswith("__init__.py"))
        return self.name.encode() in content and (self.tail.encode() in content or near)


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
        self._homes: set[Home] = set()
        self.resolver = Resolver(self.vocabulary.symbols, files.layout, self.exports)

    def text(self, path: str) -> TextFile:
        """A file's text. Raises `UnreadableError` where it cannot be decoded."""
        if path not in self._texts:
            self._texts[path] = TextFile(path, self.files.content(path))
        return self._texts[path]

    def is_python(self, path: str) -> bool:
        """Whether a file that holds a name is Python, by its suffix or, for a script, by its first line."""
        return path.endswith(PYTHON) or is_python(path, self.files.content(path))

    def _tree(self, path: str) -> ast.Module:
        if path in self._trees:
            return self._trees[path]
        text = self.text(path).text
        tree = deeply(partial(parse, text))
        if self._size < KEPT_TREES:
            self._size += len(text)
            self._trees[path] = tree
        return tree

    def exports(self, module: str, names: Sequence[str]) -> Exports | None:
        """What a module exposes; None where it has no file, cannot be read, or its text can bind none of `names`.

        A module binds a name that it does not write only by a star import.
        """
        path = self.files.layout.file(module)
        if path is None:
            return None
        if path not in self._exports:
            content = self.files.content(path)
            if not (any(name.encode() in content for name in names) or _ANY_STAR.search(content)):
                return None
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
        fresh: set[Home | str] = set(self.vocabulary.names)
        done: set[Home | str] = set()
        while fresh:
            done |= fresh
            for path in list(self._holding(fresh)):
                if path.endswith(PYTHON):
                    self.guarded(path, self._aliases_in)
            self._pass_on()
            fresh = (set(self.vocabulary.words) | self._homes) - done

    def _holding(self, wanted: Iterable[Home | str]) -> Iterator[str]:
        """The files in which one of the names stands as a whole word.

        An alias that may be an ordinary word counts only where the module that gives it can be meant: its name is there,
        or a relative import in its own package.
        """
        words = {each for each in wanted if isinstance(each, str)}
        homes: dict[str, list[Home]] = {}
        for each in wanted:
            if isinstance(each, Home):
                homes.setdefault(each.name, []).append(each)
        pattern = whole_words(words | homes.keys())
        for path in self.files.holding([*words, *homes]):
            content = self.files.content(path)
            if any(word.encode() in content for word in words) or is_wide(content):
                held = self._has_word(path, pattern)
            else:
                # An alias can be a letter, which is in every file, with hundreds of homes: so the word comes first.
                here = [served for name, served in homes.items() if stands(name, content)]
                held = any(home.may_serve(path, content) for served in here for home in served)
            if held:
                yield path

    def _aliases_in(self, path: str) -> None:
        module = self.files.layout.module(path)
        if not module or self.files.layout.file(module) != path:
            return
        exports = self.exports(module, sorted(self.vocabulary.names))
        if exports is None:
            return
        mention = self.vocabulary.may_mention
        names = [name for name, bindings in exports.names.items() if any(mention(each.target) for each in bindings)]
        aliases: dict[str, str] = {}
        paths: set[str] = set()
        for name in (*names, *exports.lazy):
            last = name.rpartition(".")[2]
            found = self.resolver.resolve(f"{module}.{name}")
            if found and not found.members and last not in self.vocabulary.own and not last.startswith("__"):
                aliases[last] = found.symbol
                if last not in self.vocabulary.words and not is_distinctive(last):
                    self._homes.add(Home(last, module.rpartition(".")[2], path.rpartition("/")[0]))
                    paths.add(f"{module}.{name}")
        if aliases:
            known = self.vocabulary
            self.vocabulary = replace(known, aliases={**known.aliases, **aliases}, paths=known.paths | paths)

    def _pass_on(self) -> None:
        """Note the modules that pass an alias on by a star import, which names nothing."""
        plain = sorted(self.vocabulary.aliases.keys() - self.vocabulary.words)
        for path in self.files.holding(["import *"]) if plain else ():
            module = self.files.layout.module(path)
            if module and self.files.layout.file(module) == path:
                for name in self._starred(path, plain):
                    self._homes.add(Home(name, module.rpartition(".")[2], path.rpartition("/")[0]))
                    paths = self.vocabulary.paths | {f"{module}.{name}"}
                    self.vocabulary = replace(self.vocabulary, paths=paths)

    def paths(self) -> tuple[list[str], list[str]]:
        """The files to look at, and those that hold no more than longer names.

        To look at are files that hold a name, and those with a star import that passes one on unwritten.
        """
        full = set(self._holding({*self.vocabulary.words, *self._homes}))
        stars = {path for path in self.files.holding(["import *"]) if self.is_python(path)} - full
        full |= {path for path in stars if self._passes_on(path)}
        return sorted(full), sorted(set(self.files.holding(self.vocabulary.own)) - full)

    def _has_word(self, path: str, pattern: re.Pattern[bytes]) -> bool:
        """Whether a whole word stands in a file's bytes; a wide encoding hides it, so it may."""
        content = self.files.content(path)
        # A byte order mark is no letter, though its bytes look like one.
        return bool(pattern.search(content.removeprefix(codecs.BOM_UTF8))) or is_wide(content)

    def _passes_on(self, path: str) -> bool:
        """Whether a star import in a file brings in a name; asked of the modules that it names, not of the file."""
        return next(self._starred(path, sorted(self.vocabulary.names)), None) is not None

    def _starred(self, path: str, names: Sequence[str]) -> Iterator[str]:
        """Those of `names` that the star imports of a file bring in."""
        package = self.files.layout.package(path)
        for found in _STAR.finditer(self.files.content(path)):
            written = found[1].decode("ascii", "replace")
            module = written.lstrip(".")
            yield from self.resolver.exposes(absolute(module, len(written) - len(module), package), names)

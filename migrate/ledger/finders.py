"""The finders that graphlift brings along: Python, notebooks, configuration, and any other text.

A finder says which files it reads and what it sees in one of them; a finder of a plugin is asked beside these. Whatever
no finder mentions or explains is reported as unexplained, so a finder cannot hide a place by saying nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .text import CONFIG_SUFFIXES, PYTHON

# What reads a file is imported when one is to be read: often the cache knows the answer.
if TYPE_CHECKING:
    from .mention import FileFindings
    from .python import PythonFile
    from .search import Search
    from .text import TextFile


class ReferenceFinder(Protocol):
    """Reads one kind of file and says what in it refers to a legacy symbol, or only reads like it."""

    @property
    def id(self) -> str:
        """The stable name."""
        ...

    @property
    def summary(self) -> str:
        """One line that says what it reads."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of the files that it reads; () for those that no other finder reads."""
        ...

    def find(self, file: TextFile, search: Search) -> FileFindings:
        """What the finder sees in a file that holds one of the names. Raises `UnreadableError` where it cannot be read."""
        ...


class PythonFinder:
    """Python modules and stubs."""

    id = "python"
    summary = "Python: names by scope and across files, strings, comments, docstrings"
    suffixes = PYTHON

    def find(self, file: TextFile, search: Search) -> FileFindings:
        """References by name, in strings and in comments; private members need all files, and come later."""
        return find_in_python(search.python(file.path))


class NotebookFinder:
    """Jupyter notebooks."""

    id = "notebook"
    summary = "notebooks: code cells as Python, the rest as text"
    suffixes = (".ipynb",)

    def find(self, file: TextFile, search: Search) -> FileFindings:
        """References in the code cells and in the text around them."""
        from .notebooks import find_in_notebook

        return find_in_notebook(
            file, search.resolver, search.vocabulary, lambda code: find_in_python(search.code(code))
        )


class ConfigurationFinder:
    """TOML, YAML, JSON and INI."""

    id = "configuration"
    summary = "TOML, YAML, JSON and INI files: dotted paths and entry points"
    suffixes = tuple(sorted(CONFIG_SUFFIXES))

    def find(self, file: TextFile, search: Search) -> FileFindings:
        """Dotted paths and bare names."""
        from .documents import find_in_document

        return find_in_document(file, search.resolver, search.vocabulary)


class TextFinder:
    """Whatever else is text."""

    id = "text"
    summary = "Markdown and any other text: prose and code blocks"
    suffixes: tuple[str, ...] = ()

    def find(self, file: TextFile, search: Search) -> FileFindings:
        """Names in prose and in fenced code blocks."""
        from .documents import find_in_document

        return find_in_document(file, search.resolver, search.vocabulary)


BUILT_IN: tuple[type[ReferenceFinder], ...] = (ConfigurationFinder, NotebookFinder, PythonFinder, TextFinder)


def built_in() -> list[ReferenceFinder]:
    """The built-in finders."""
    return [kind() for kind in BUILT_IN]


def find_in_python(source: PythonFile) -> FileFindings:
    """References in Python code: names, strings and comments."""
    from .imports import find_imports
    from .names import find_names
    from .prose import find_comments
    from .strings import find_strings

    found = find_names(source)
    found.join(find_strings(source))
    found.join(find_comments(source))
    find_imports(source, found)
    return found

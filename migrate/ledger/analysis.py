"""Everything that is found in one Python file before files are compared: names, strings, comments."""

from __future__ import annotations

import ast
from functools import partial

from .layout import Layout
from .mention import FileFindings
from .parsing import deeply, parse
from .prose import find_comments
from .python import PythonFile, find_names
from .resolve import Resolver
from .scopes import names_of
from .strings import find_strings
from .text import TextFile
from .vocabulary import Vocabulary


def python_file(
    file: TextFile, layout: Layout, resolver: Resolver, vocabulary: Vocabulary, tree: ast.Module | None = None
) -> PythonFile:
    """The file with its tree and names. Raises `UnreadableError` where it cannot be parsed."""
    parsed = tree or deeply(partial(parse, file.text))
    package = layout.package(file.path)
    names = deeply(partial(names_of, parsed, package))
    return PythonFile(file, parsed, names, layout.module(file.path), package, resolver, vocabulary)


def find_in_python(source: PythonFile) -> FileFindings:
    """References in one Python file, private members left out."""
    found = find_names(source)
    join(found, find_strings(source))
    join(found, find_comments(source))
    return found


def join(found: FileFindings, more: FileFindings) -> None:
    """Add what another finder found; a place in the same role counts once."""
    places = {(each.start, each.end, each.role) for each in found.mentions}
    found.mentions.extend(each for each in more.mentions if (each.start, each.end, each.role) not in places)
    found.explained.extend(more.explained)
    found.doubts.update(more.doubts)

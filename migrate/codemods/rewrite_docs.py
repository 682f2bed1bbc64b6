"""Opt-in: names of a legacy symbol in documents, docstrings and comments become the new target's.

A full dotted path becomes the target's full path, a bare name the target's bare name: the `called` target where a
parenthesis follows, else the type. Sentences are not reworded, so read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..edits import Edit
from ..ledger.model import COMMENT, DOCSTRING_EXAMPLE, PROSE
from .file import File
from .model import BaseCodemod, Rewrite, Said, Stage

SUFFIXES = (".py", ".pyi", ".md", ".rst", ".txt")


class RewriteDocs(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-docs"
    summary = "names in documents, docstrings and comments (opt-in)"
    stage = Stage.OTHER
    suffixes = SUFFIXES
    opt_in = True

    def rewrite(self, file: File) -> Iterator[Said]:
        """The names in one file's prose."""
        for reference in file.references:
            if reference.role not in (COMMENT, DOCSTRING_EXAMPLE, PROSE) or reference.context == "guard":
                continue
            symbol = file.symbol(reference)
            called = file.content[reference.end : reference.end + 2].lstrip(b"\0").startswith(b"(")
            target = (symbol.call_target if called else None) or symbol.alias_target
            new = _renamed(reference.text, reference.symbol, target) if target else None
            if new is None:
                yield file.flag(reference, reference.role, "only the symbol's own name and path are rewritten in prose")
                continue
            start, end = reference.start, reference.end
            if file.is_python:
                start, end = file.source.from_file(start), file.source.from_file(end)
            yield Rewrite(reference, (Edit(start, end, new.encode() if file.is_python else file.encoded(new)),))


def _renamed(old: str, legacy: str, target: str) -> str | None:
    if old == legacy:
        return target
    return target.rpartition(".")[2] if old == legacy.rpartition(".")[2] else None

"""Opt-in: where a legacy symbol's module no longer defines it, its name becomes an import of the new target there.

    # legacy/walker.py, after the class was deleted
    from flows.engine import GraphRunner as BFSWalker  # noqa: F401

Code outside of this code base that imports the old name goes on working. `graphlift retire` does this by itself when it
deletes a symbol; this is for one that somebody deleted or moved by hand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits import Edit
from .checks import binds
from .file import File
from .imports import NewImport, statements
from .model import BaseCodemod, Said, Stage


class AddCompatibilityAlias(BaseCodemod):
    """See the module's docstring."""

    id = "add-compatibility-alias"
    summary = "the old name, where it is no longer defined, becomes an import of the new target (opt-in)"
    stage = Stage.OTHER
    suffixes = (".py",)
    # The module has no reference left: every file is looked at.
    needles = (b"",)
    opt_in = True

    def rewrite(self, file: File) -> Iterator[Said]:
        """The alias for each symbol that was once defined in this file."""
        missing = []
        for symbol in file.workspace.symbols.values():
            module, _, name = symbol.legacy.rpartition(".")
            target = symbol.alias_target
            is_ours = module == file.module and symbol.legacy not in file.workspace.module_symbols
            if module and target and is_ours and not binds(file.source.tree, name):
                missing.append(NewImport(target, asname="" if target.rpartition(".")[2] == name else name))
        if missing:
            yield _inserted(file, missing)


def _inserted(file: File, needs: list[NewImport]) -> Edit:
    lines = [line + b"  # noqa: F401" for line in statements(needs)]
    source, body = file.source, file.source.tree.body
    last = _last_import(body)
    if last is None:
        # An empty module, or one of code alone: before the first statement, behind comments that belong to the file.
        place = source.span(body[0])[0] if body else len(source.text)
        newline = source.newline(place)
        return Edit(place, place, b"".join(line + newline for line in lines))
    _, end = source.span(last)
    place, newline = source.line_end(end), source.newline(end)
    return Edit(place, place, b"".join(newline + line for line in lines))


def _last_import(body: list[ast.stmt]) -> ast.stmt | None:
    """The statement to write after: the last import at the top, else the docstring."""
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    if imports:
        return imports[-1]
    first = body[0] if body else None
    is_docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return first if is_docstring else None

"""Turn what was decided about a file into edits of its import statements.

Every import that had bound a rewritten name gets the new import beside it, so that it stands in the same block: at the top,
under `TYPE_CHECKING`, in the function. Which names go was decided by codemods.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from ..edits import Edit
from .exports import INTENDED
from .imports import ImportStatement, NewImport, Statement, in_block, relative_to, statements

if TYPE_CHECKING:
    from .file import File
    from .places import Found

Removed = dict[ImportStatement, list[ast.alias]]


def import_edits(file: File) -> list[Edit]:
    """The edits of the import statements of one Python file."""
    removed = _removed(file)
    needs = _placed(file, removed)
    passed_on = {found.alias: rewrite.need for found in file.found if (rewrite := file.rewrites.get(found.reference))}
    touched = sorted({*removed, *needs}, key=file.source.span)
    empty = [node for node in touched if _is_all_removed(node, removed) and not needs.get(node)]
    edits: list[Edit] = []
    for node in touched:
        package = file.package if isinstance(node, ast.ImportFrom) and node.level else None
        statement = Statement(file.source, node)
        new = statements(needs.get(node, ()), package)
        if new and not _is_all_removed(node, removed):
            exported = [need for alias in removed.get(node, ()) if (need := passed_on.get(alias))]
            new = _intended(statement, new, {relative_to(need.module, package) for need in exported})
        block = in_block(file.source, node)
        # One `pass` for a block that loses everything: at its first statement.
        keep = node is block[0] and all(other in empty for other in block)
        edits += statement.edits(removed.get(node, ()), new, keep_block=keep)
    return edits


def _intended(statement: Statement, new: list[bytes], modules: set[str]) -> list[bytes]:
    """The new statements; a name that is passed on takes the comment along by which its old import was meant to be unused.

    The comment stays on the old statement too, for the names that are left there.
    """
    note = next((comment for comment in statement.comments if INTENDED.search(comment)), b"")
    heads = tuple(f"from {module} import ".encode() for module in modules)
    if not note or not heads or statement.shares_line:
        return new
    return [b"  ".join([line, note]) if line.startswith(heads) else line for line in new]


def _removed(file: File) -> Removed:
    """The names that go, by their statement: those of rewritten import references."""
    removed: Removed = defaultdict(list)
    for found in file.found:
        rewrite = file.rewrites.get(found.reference)
        if rewrite and not rewrite.edits and found.alias is not None and found.statement is not None:
            removed[found.statement].append(found.alias)
    return removed


def _placed(file: File, removed: Removed) -> dict[ImportStatement, set[NewImport]]:
    """The new imports by the statement that they go to: one in each block where an import had bound the old name."""
    wanted: dict[tuple[NewImport, int], list[tuple[int, ImportStatement]]] = defaultdict(list)
    for found in file.found:
        rewrite = file.rewrites.get(found.reference)
        if rewrite is not None and rewrite.need is not None and not _is_there(file, rewrite.need):
            for node in _anchors(file, found):
                block = in_block(file.source, node)[0]
                wanted[rewrite.need, id(block)].append((found.start, node))
    placed: dict[ImportStatement, set[NewImport]] = defaultdict(set)
    for (need, _), places in wanted.items():
        placed[_best(file, places, removed)].add(need)
    return placed


def _best(file: File, places: list[tuple[int, ImportStatement]], removed: Removed) -> ImportStatement:
    """In the place of a statement that goes, if every use comes after it; else beside the first."""
    first_use = min(start for start, _ in places)
    nodes = sorted({node for _, node in places}, key=file.source.span)
    gone = (node for node in nodes if _is_all_removed(node, removed) and file.source.span(node)[0] <= first_use)
    return next(gone, nodes[0])


def _anchors(file: File, found: Found) -> list[ImportStatement]:
    if found.statement is not None:
        return [found.statement]
    reach = file.reach(found)
    if reach.loaded:
        # No statement imports the module: beside the last that imports anything.
        return [each.statement for each in file.bindings.imports if each.statement in file.source.tree.body][-1:]
    return [binding.statement for binding in reach.imports or reach.stars[-1:]]


def _is_there(file: File, need: NewImport) -> bool:
    if need.here:
        return True
    if not need.whole:
        return not need.asname and file.has_import(need)
    return any(
        isinstance(binding.statement, ast.Import)
        and binding.alias.name == need.module
        and not binding.alias.asname
        and binding.statement in file.source.tree.body
        for binding in file.bindings.imports
    )


def _is_all_removed(node: ImportStatement, removed: Removed) -> bool:
    return len(removed.get(node, ())) == len(node.names)

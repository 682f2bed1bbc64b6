"""What the codemods that rewrite one expression share: may it be rewritten at all, and under which name.

Not a codemod.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..edits import Edit, Flag
from .model import Rewrite, Said

if TYPE_CHECKING:
    from .file import File
    from .imports import NewImport
    from .places import Found

INSIDE_TARGET = "inside-target"
BESIDE = (
    "stands beside the symbol's definition, in the same module; change or move it by hand before the symbol is retired"
)
COLLISION = "the module already uses that name for something else"


def obstacle(file: File, found: Found) -> Flag | None:
    """Why a reference must stay whatever its role is, or None."""
    reference = found.reference
    if reference.own_target:
        return file.flag(reference, INSIDE_TARGET, reference.reason)
    if not reference.certain:
        return file.flag(reference, "uncertain-reference", reference.reason)
    for binding in file.reach(found).imports:
        if file.bindings.in_fallback(binding):
            return file.flag(
                reference, "try-except-fallback", "its import may fail, and what happens then would change"
            )
        if file.bindings.bound_otherwise(binding.bound, binding.scope):
            return file.flag(reference, "rebound-name", f"{binding.bound} is also bound by something else")
    return None


def renamed(file: File, found: Found, target: str | None, edits: tuple[Edit, ...] = ()) -> Iterator[Said]:
    """Replace the expression of `found` by `target`, imported as the file can; `edits` belong to the same rewrite.

    An expression that goes through an alias keeps the alias: its definition is what changes.
    """
    reference = found.reference
    if target is None:
        yield file.flag(reference, "no-target", f"{reference.symbol} has no target for this role in the configuration")
        return
    reach = file.reach(found)
    if reach.aliases:
        yield Rewrite(reference, edits)
        return
    if not (reach.imports or reach.stars or reach.loaded):
        if file.module == reference.symbol.rpartition(".")[0]:
            yield file.flag(reference, "beside-definition", BESIDE)
        return
    need = file.importing(target, whole=found.is_chain, place=found.node)
    if need is None:
        yield file.flag(reference, "name-collision", _why_not(file, target))
        return
    if need.whole and not found.is_chain:
        yield file.flag(reference, "name-collision", f"{target}: {COLLISION}; it is reached through its package")
    if reach.stars:
        yield file.flag_at(reach.stars[0].statement, "star-import", "a star import brings the symbol", reference.symbol)
    yield Rewrite(reference, (*edits, replacement(found, need)), need)


def _why_not(file: File, target: str) -> str:
    if file.workspace.origin(target).rpartition(".")[0] == file.module:
        return f"{target} is defined in this file, and does not mean that at this place"
    return f"{target}: {COLLISION}, and for its package too"


def replacement(found: Found, need: NewImport) -> Edit:
    """The expression of `found`, as the file writes the new name."""
    return Edit(found.start, found.end, need.expression.encode())

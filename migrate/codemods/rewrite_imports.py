"""An import of a legacy symbol goes once nothing in the file needs it, and only then.

    from legacy.walker import BFSWalker, helper     from legacy.walker import helper
    w = BFSWalker(n)                                from flows.engine import build_graph
                                                    w = build_graph(n)

An import stays that something still uses, that `__all__` exports, that is written to be exported (`X as X`), or through
which another file still reaches the symbol. An import that nothing had used before is `drop-unused`'s.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.model import MODULE_IMPORT
from .bindings import ImportBinding
from .exports import IMPORTS, binding_of, is_export, is_used_up, module_is_used_up, uses_of
from .file import File
from .model import BaseCodemod, Rewrite, Said, Stage
from .places import Found


class RewriteImports(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-imports"
    summary = "imports of legacy symbols go where nothing needs them any more"
    stage = Stage.IMPORTS

    def rewrite(self, file: File) -> Iterator[Said]:
        """The imports of one file that are not needed any more."""
        for found in file.found:
            binding = binding_of(file, found) if found.alias else None
            if (
                binding
                and binding.alias.name != "*"
                and found.reference.context != "guard"
                and _is_done(file, found, binding)
            ):
                yield Rewrite(found.reference)


def _is_done(file: File, found: Found, binding: ImportBinding) -> bool:
    if found.reference.role == MODULE_IMPORT:
        return module_is_used_up(file, binding)
    if found.reference.role not in IMPORTS or not uses_of(file, binding) or not is_used_up(file, binding):
        return False
    return not is_export(file, binding) and not file.workspace.left_through(file, binding.bound, dropped=True)

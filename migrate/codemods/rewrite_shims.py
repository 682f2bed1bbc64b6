"""A re-export of a legacy symbol keeps its public name and becomes the new target's.

    from legacy.walker import BFSWalker as Walker
    from flows.engine import GraphRunner as Walker

Nobody in the code base uses it when this happens: while a reference that could not be rewritten goes through it, it stays.
Others may use it, so it is flagged either way. The packages that hold the symbol's own module keep their old names; they
follow when the symbol is retired.
"""

from __future__ import annotations

from collections.abc import Iterator

from .exports import IMPORTS, binding_of, is_export, is_used_up
from .file import File
from .imports import NewImport
from .model import BaseCodemod, Rewrite, Said, Stage


class RewriteShims(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-shims"
    summary = "a re-export keeps its public name and becomes the new target's"
    stage = Stage.IMPORTS

    def rewrite(self, file: File) -> Iterator[Said]:
        """The re-exports of one file."""
        for found in file.of_role(*IMPORTS):
            reference = found.reference
            binding = binding_of(file, found) if found.alias else None
            target = file.symbol(reference).alias_target
            if binding is None or target is None or not is_export(file, binding):
                continue
            if f"{reference.symbol}.".startswith(f"{file.module}."):
                continue
            left = file.workspace.left_through(file, binding.bound)
            if left or not is_used_up(file, binding):
                who = f"by {left[0].place}" if left else "in this file"
                yield file.flag(reference, "public-export", f"{binding.bound} stays: it is still used {who}")
                continue
            yield file.flag(reference, "public-export", f"other code may use {binding.bound}; it now is {target}")
            name = target.rpartition(".")[2]
            exported = "" if name == binding.bound and binding.alias.asname is None else binding.bound
            yield Rewrite(reference, (), NewImport(target, asname=exported))

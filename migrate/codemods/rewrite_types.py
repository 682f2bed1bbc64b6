"""Annotations of a legacy symbol become its `type` target: plain, quoted, in `cast`, in a bound, in a type comment.

    def f(w: "BFSWalker") -> list[BFSWalker]: ...
    def f(w: "GraphRunner") -> list[GraphRunner]: ...

A string that merely reads like the name (`Literal["BFSWalker"]`) is not a reference and stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.model import ANNOTATION, STRING_ANNOTATION
from .file import File
from .model import BaseCodemod, Said, Stage
from .referring import obstacle, renamed


class RewriteTypes(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-types"
    summary = "annotations become the new type"
    stage = Stage.REFERENCES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The rewrites of one file."""
        for found in file.of_role(ANNOTATION, STRING_ANNOTATION):
            if found.reference.symbol in file.workspace.module_symbols:
                continue
            if flag := obstacle(file, found):
                yield flag
            elif found.seen_from is None:
                yield file.flag(found.reference, found.reference.role, "its place in the string cannot be told")
            else:
                yield from renamed(file, found, file.symbol(found.reference).type_target)

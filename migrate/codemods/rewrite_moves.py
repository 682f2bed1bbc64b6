"""A symbol that only moved or was renamed (`to = "…"`, no changed arguments) is replaced in every other role too.

    class Slow(BFSWalker): ...      case BFSWalker(): ...      REGISTRY["bfs"] = BFSWalker
    class Slow(GraphWalker): ...    case GraphWalker(): ...    REGISTRY["bfs"] = GraphWalker

With separate `called` and `type` targets, or with changed arguments, these roles are flagged instead: nothing says which
of the two a value that is passed on will be used as.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.model import CLASS_ATTRIBUTE, CLASS_PATTERN, DECORATOR, ESCAPE, ISINSTANCE, SUBCLASS
from .file import File
from .model import BaseCodemod, Said, Stage
from .referring import obstacle, renamed

ROLES = (SUBCLASS, ISINSTANCE, CLASS_PATTERN, CLASS_ATTRIBUTE, ESCAPE, DECORATOR)


class RewriteMoves(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-moves"
    summary = "a symbol that only moved (`to`) is replaced where it is subclassed, matched or passed on"
    stage = Stage.REFERENCES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The rewrites of one file."""
        for found in file.of_role(*ROLES):
            symbol = file.symbol(found.reference)
            arguments = symbol.arguments
            if (
                symbol.legacy in file.workspace.module_symbols
                or symbol.to is None
                or arguments.rename
                or arguments.drop
                or arguments.add
                or found.node is None
            ):
                continue
            if flag := obstacle(file, found):
                yield flag
            else:
                yield from renamed(file, found, symbol.to)

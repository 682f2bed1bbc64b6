"""An alias of a legacy symbol is pointed at the target that its uses need; its name stays.

    Walker = BFSWalker              Walker = build_graph
    w = Walker(n, max_depth=3)      w = Walker(n, recursion_limit=3, strict=False)

All uses must agree: where an alias is called here and annotated there, or one use cannot be rewritten, the alias and every
use through it stay, and the alias is flagged. An alias at a module's top that nothing in the file uses is there for others:
it becomes the type target, and is flagged as a public export.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.model import ALIAS, ANNOTATION, CALL, PARTIAL, STRING_ANNOTATION
from .file import File
from .model import BaseCodemod, Said, Stage
from .places import Found
from .referring import obstacle, renamed

CALLS, TYPES = {CALL, PARTIAL}, {ANNOTATION, STRING_ANNOTATION}


class RewriteAliases(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-aliases"
    summary = "`X = Legacy` is pointed at what the uses of X need"
    stage = Stage.ALIASES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The rewrites of one file."""
        for found in file.of_role(ALIAS):
            if file.module == found.reference.symbol.rpartition(".")[0]:
                # Beside the definition: the alias follows when the symbol is retired.
                continue
            if flag := obstacle(file, found):
                yield flag
            else:
                yield from _pointed(file, found)


def _pointed(file: File, found: Found) -> Iterator[Said]:
    symbol = file.symbol(found.reference)
    uses = [use for use in file.found if file.reach(use).alias is found and not _is_own_name(file, found, use)]
    roles = {use.reference.role for use in uses}
    at_top = found.reference.function == ""
    others = list(file.workspace.left_through(file, str(file.alias_name(found)))) if at_top else []
    if any(use.reference not in file.rewrites for use in uses):
        yield from _kept(file, found, uses, "a use of the alias cannot be rewritten")
    elif roles and not roles <= CALLS and not roles <= TYPES:
        yield from _kept(file, found, uses, "the alias is called as well as used as a type")
    elif roles or symbol.to:
        target = symbol.call_target if roles <= CALLS else symbol.type_target
        yield from renamed(file, found, target)
    elif at_top and not others:
        yield file.flag(found.reference, "public-export", "other code may use the alias; it now names the new target")
        yield from renamed(file, found, symbol.alias_target)
    else:
        reason = f"still used through it by {others[0].place}" if at_top else found.reference.reason
        yield file.flag(found.reference, "public-export" if at_top else "escapes-as-value", reason)


def _is_own_name(file: File, found: Found, use: Found) -> bool:
    """Whether a reference is the alias itself: its value, or the name that it binds."""
    parents = file.source.parents
    return use.node is not None and found.node is not None and parents[use.node] is parents[found.node]


def _kept(file: File, found: Found, uses: list[Found], reason: str) -> Iterator[Said]:
    """Take back what was decided about the uses: a use adapted to a target that the alias does not name would break."""
    for use in uses:
        file.rewrites.pop(use.reference, None)
    yield file.flag(found.reference, "alias-kept", reason)

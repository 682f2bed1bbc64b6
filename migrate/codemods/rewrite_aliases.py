"""An alias of a legacy symbol is pointed at the target that its uses need; its name stays.

    Walker = BFSWalker              Walker = build_graph
    w = Walker(n, max_depth=3)      w = Walker(n, recursion_limit=3, strict=False)

All uses must agree: where an alias is called here and annotated there, or one use cannot be rewritten, the alias and every
use through it stay, and are flagged. So do an alias of an alias, one of several names (`a = b = BFSWalker`), and one bound by
`:=` in an expression that passes it on or whose arguments would have to change. An alias at a module's top that nothing in
the file uses is there for others: it becomes the type target, and is flagged as a public export.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..ledger.adapting import changes
from ..ledger.model import ALIAS, ANNOTATION, CALL, DEFINITION, PARTIAL, STRING_ANNOTATION
from ..ledger.roles import is_only_tested
from .file import Alias, File
from .model import BaseCodemod, Rewrite, Said, Stage
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
            alias = next((each for each in file.aliases if each.found is found), None)
            if alias is not None:
                yield from _pointed(file, alias)
            elif flag := obstacle(file, found):
                yield flag
            else:
                yield file.flag(found.reference, "alias-kept", "it gives the symbol several names at once")


def _pointed(file: File, alias: Alias) -> Iterator[Said]:
    found, symbol = alias.found, file.symbol(alias.found.reference)
    uses = _uses(file, alias)
    roles = {use.reference.role for use in uses}
    at_top = isinstance(alias.scope, ast.Module)
    others = list(file.workspace.left_through(file, alias.name)) if at_top else []
    same = [each for each in file.aliases if each.binds == alias.binds]
    if flag := obstacle(file, found):
        yield from _kept(file, found, uses, flag.reason, flag.kind)
    elif reason := next((why for each in same if (why := _why_kept(file, each, uses))), ""):
        yield from _kept(file, found, uses, reason)
    elif others:
        yield from _kept(file, found, uses, f"still used through it by {others[0].place}", "public-export")
    elif roles or symbol.to:
        target = symbol.call_target if roles <= CALLS else symbol.type_target
        said = list(renamed(file, found, target))
        if any(isinstance(each, Rewrite) for each in said):
            yield from said
        else:
            yield from _kept(file, found, uses, "its target cannot be reached from here", "name-collision")
    elif at_top:
        yield file.flag(found.reference, "public-export", "other code may use the alias; it now names the new target")
        yield from renamed(file, found, symbol.alias_target)
    else:
        yield file.flag(found.reference, "escapes-as-value", "nothing in sight says what the alias is used for")


def _why_kept(file: File, alias: Alias, uses: list[Found]) -> str:
    """Why an alias must stay as it is with all its uses; "" where it need not."""
    roles = {use.reference.role for use in uses}
    if any(use.reference not in file.rewrites for use in uses):
        return "a use of the alias cannot be rewritten"
    if not roles <= CALLS and not roles <= TYPES:
        return "the alias is called as well as used as a type"
    if file.reach(alias.found).aliases:
        return "it is an alias of an alias"
    if flag := obstacle(file, alias.found):
        return flag.reason
    return _in_expression(file, alias, roles)


def _in_expression(file: File, alias: Alias, roles: set[str]) -> str:
    """Why an alias that `:=` binds must stay; "" where it need not, or is another kind of alias."""
    bound = file.source.parents[alias.found.node] if alias.found.node else None
    if not isinstance(bound, ast.NamedExpr) or is_only_tested(bound, file.source.parents):
        return ""
    call = file.source.parents[bound]
    if not (isinstance(call, ast.Call) and call.func is bound):
        return "it is passed on where it is bound"
    if changes(file.symbol(alias.found.reference).arguments):
        return "it is called where it is bound, and the arguments change"
    return "" if roles <= CALLS else "it is called where it is bound, as well as used as a type"


def _uses(file: File, alias: Alias) -> list[Found]:
    """The references through an alias, besides itself: its value, and the name that it binds."""
    parents, own = file.source.parents, alias.found
    return [
        use
        for use in file.found
        if use.reference.role != DEFINITION
        and own in file.reach(use).aliases
        and not (use.node is not None and own.node is not None and parents[use.node] is parents[own.node])
    ]


def _kept(file: File, found: Found, uses: list[Found], reason: str, kind: str = "alias-kept") -> Iterator[Said]:
    """Take back what was decided about the uses: a use adapted to a target that the alias does not name would break."""
    for use in uses:
        if file.rewrites.pop(use.reference, None):
            yield file.flag(use.reference, "alias-kept", f"the alias that it goes through stays: {reason}")
    yield file.flag(found.reference, kind, reason)

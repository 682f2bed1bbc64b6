"""Calls and constructs of a legacy symbol become calls of its `called` target, with their arguments adapted.

    w = BFSWalker(n, max_depth=3, trace=True)
    w = build_graph(n, recursion_limit=3, strict=False)

`functools.partial(BFSWalker, …)` counts as a call. A call that unpacks arguments, or whose dropped argument is not a
literal, stays and is flagged; so does one whose result's private members are used in the same function, or in the same
class where it is kept in an attribute of `self`. Where the new target is an `async def` of this code base, the call is
awaited; outside of an async function it stays and is flagged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits import Edit
from ..ledger.adapting import Refused
from ..ledger.model import CALL, PARTIAL, PRIVATE_MEMBER
from ..ledger.signatures import of_definition
from .arguments import rewrite_arguments
from .file import File
from .holding import Holder, holder, holders
from .model import BaseCodemod, Said, Stage
from .places import Found
from .referring import obstacle, renamed

# Where `await x` needs no parentheses of its own.
_LOOSE = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set,
    ast.Dict, ast.withitem, ast.For, ast.NamedExpr, ast.FormattedValue, ast.ListComp, ast.SetComp,
)  # fmt: skip


class RewriteCalls(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-calls"
    summary = "calls and constructs become calls of the new target, arguments adapted"
    stage = Stage.REFERENCES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The rewrites of one file."""
        private = {owner for found in file.found if (owner := _owner(file, found))}
        for found in file.of_role(CALL, PARTIAL):
            if flag := obstacle(file, found):
                yield flag
            elif _is_held_by(file, found, private):
                reason = "private members of what it makes are used, which its target does not promise"
                yield file.flag(found.reference, "private-member", reason)
            else:
                yield from _rewritten(file, found)


def _owner(file: File, found: Found) -> Holder | None:
    """What holds the object of which a private member is used here."""
    if found.reference.role != PRIVATE_MEMBER or not isinstance(found.node, ast.Attribute):
        return None
    return holder(file.source, found.node.value)


def _is_held_by(file: File, found: Found, private: set[Holder]) -> bool:
    """Whether the call's result is kept where private members are asked of what is kept."""
    call = _call(file, found) if private else None
    return call is not None and not private.isdisjoint(holders(file.source, call))


def _rewritten(file: File, found: Found) -> Iterator[Said]:
    reference = found.reference
    call = _call(file, found)
    if call is None:
        yield file.flag(reference, "generic-call", "the call goes through a subscript, which its target may not have")
        return
    symbol = file.symbol(reference)
    partial = reference.role == PARTIAL
    edits = rewrite_arguments(
        file.source,
        call,
        symbol.arguments,
        partial=partial,
        signature=file.workspace.ledger.signatures.get(reference.symbol),
        target=of_definition(file.workspace.definition(symbol.call_target)) if symbol.call_target else None,
    )
    if isinstance(edits, Refused):
        yield file.flag(reference, edits.kind, edits.reason)
        return
    if reference.fate == "flag" and symbol.call_target:
        # What the ledger saw that arguments do not show: the call cannot work as it is.
        yield file.flag(reference, "cannot-work", reference.reason)
        return
    awaited = _awaited(file, call, symbol.call_target, partial=partial)
    if isinstance(awaited, Refused):
        yield file.flag(reference, awaited.kind, awaited.reason)
        return
    yield from renamed(file, found, symbol.call_target, (*awaited, *edits))


def _call(file: File, found: Found) -> ast.Call | None:
    parent = file.source.parents.get(found.node) if found.node else None
    if not isinstance(parent, ast.Call):
        return None
    called = parent.func if found.reference.role == CALL else next(iter(parent.args), None)
    return parent if called is found.node else None


def _awaited(file: File, call: ast.Call, target: str | None, *, partial: bool) -> list[Edit] | Refused:
    """The edits that await a call whose new target is a coroutine function; none where it is not."""
    if target is None or not isinstance(file.workspace.definition(target), ast.AsyncFunctionDef):
        return []
    if isinstance(file.source.parents[call], ast.Await):
        return []
    if partial or not _may_await(file, call):
        return Refused("needs-await", f"{target} is a coroutine function, and nothing can be awaited here")
    start, end = file.source.span(call)
    if isinstance(file.source.parents[call], _LOOSE) and not _is_callee(file, call):
        return [Edit(start, start, b"await ")]
    return [Edit(start, start, b"(await "), Edit(end, end, b")")]


def _is_callee(file: File, call: ast.Call) -> bool:
    parent = file.source.parents[call]
    return isinstance(parent, ast.Call) and parent.func is call


def _may_await(file: File, node: ast.AST) -> bool:
    for parent in file.source.ancestors(node):
        if isinstance(parent, (ast.Lambda, ast.GeneratorExp, ast.ClassDef)):
            return False
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            break
    return isinstance(file.bindings.scope_of(node), ast.AsyncFunctionDef)

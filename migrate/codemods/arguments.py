"""Rewrite the arguments of a call: renamed, literals dropped, new keywords added; or say why not.

Works on one call at a time, by the places of its arguments, and edits only what changes. What an argument means, and
which call is rewritten, is decided elsewhere. A dropped argument goes with a comment on its own line; every other comment
stays with the argument that it follows.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..edits import Edit
from ..ledger.adapting import Refused, adapted, changes, shape_of
from .lists import ItemList
from .source import Source, tokens

if TYPE_CHECKING:
    from ...plugins.configuration import Arguments
    from ..ledger.signatures import Signature


@dataclass(frozen=True)
class Item:
    """One argument of a call: its node, and where it starts and ends, parentheses around it included."""

    node: ast.expr | ast.keyword
    start: int
    end: int

    @property
    def keyword(self) -> str | None:
        """Its name, for a keyword argument."""
        return self.node.arg if isinstance(self.node, ast.keyword) else None


def rewrite_arguments(
    source: Source,
    call: ast.Call,
    rules: Arguments,
    *,
    partial: bool = False,
    signature: Signature | None = None,
    target: Signature | None = None,
) -> list[Edit] | Refused:
    """The edits of `source.text` that adapt `call` to its new target.

    `partial`: the first argument is the function that `functools.partial` is given. `signature` is what the old target
    takes, `target` what the new one does, where they are known.
    """
    if not changes(rules):
        return []
    plan = adapted(shape_of(call, partial=partial), rules, signature, target)
    if isinstance(plan, Refused):
        return plan
    opening, closing, items = layout(source, call)
    own = items[1:] if partial else items
    given = dict(zip((item for item in own if item.keyword is None), plan.positional, strict=True))
    dropped = [item for item in own if item.keyword in rules.drop or given.get(item, "") is None]
    kept = [item for item in items if item not in dropped]
    edits = [_renamed(item, rules.rename[item.keyword]) for item in own if item.keyword in rules.rename]
    added = [f"{name}={value}".encode() for name, value in rules.add.items() if name not in plan.names]
    for item, keyword in given.items():
        # A lone generator gets its parentheses from what is added behind it.
        lone = isinstance(item.node, ast.GeneratorExp) and source.span(item.node)[0] < opening and not added
        edits += _by_keyword(source, item, keyword, lone) if keyword else []
    edits += _dropped(source, items, dropped, opening, closing)
    if added:
        edits += _added(source, kept, added, (opening, closing), {edit.start for edit in edits if not edit.new})
    return edits


def _by_keyword(source: Source, item: Item, keyword: str, lone_generator: bool) -> list[Edit]:
    """A positional argument under a name; what may stand bare only as a positional one gets its parentheses."""
    bare = isinstance(item.node, ast.NamedExpr) and item.start == source.span(item.node)[0]
    if bare or lone_generator:
        return [Edit(item.start, item.start, f"{keyword}=(".encode()), Edit(item.end, item.end, b")")]
    return [Edit(item.start, item.start, f"{keyword}=".encode())]


def layout(source: Source, call: ast.Call) -> tuple[int, int, list[Item]]:
    """Where the call's parentheses are (after the opening, before the closing one), and its arguments in order."""
    _, end = source.span(call)
    _, position = source.span(call.func)
    # The function may stand in parentheses of its own: the first one that opens is the call's.
    opening = next(e for kind, s, e in tokens(source.text, position, end) if source.text[s:e] == b"(")
    closing = end - 1
    nodes: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=source.span)
    items = []
    position = opening
    for node in nodes:
        item = _item(source, node, position, closing)
        items.append(item)
        position = item.end
    return opening, closing, items


def _item(source: Source, node: ast.expr | ast.keyword, position: int, closing: int) -> Item:
    start, end = source.span(node)
    if start < position:
        # A lone generator expression: the tree counts the call's own parentheses as the generator's.
        return Item(node, position, closing)
    outer, depth = start, 0
    for kind, s, e in tokens(source.text, position, start):
        if kind == "other" and source.text[s:e] == b"(":
            outer, depth = (s, 1) if not depth else (outer, depth + 1)
    for kind, s, e in tokens(source.text, end, closing):
        if not depth:
            break
        if kind == "other" and source.text[s:e] == b")":
            end, depth = e, depth - 1
    return Item(node, outer, end)


def _renamed(item: Item, name: str) -> Edit:
    return Edit(item.start, item.start + len(str(item.keyword).encode()), name.encode())


def _dropped(source: Source, items: Sequence[Item], dropped: list[Item], opening: int, closing: int) -> list[Edit]:
    if dropped and len(dropped) == len(items):
        return [Edit(opening, closing, b"")]
    return ItemList(source, items, closing).cut([index for index, item in enumerate(items) if item in dropped])


def _added(
    source: Source, kept: Sequence[Item], added: list[bytes], bounds: tuple[int, int], cuts: Collection[int]
) -> list[Edit]:
    opening, closing = bounds
    if not kept:
        return [Edit(opening, opening, b", ".join(added))]
    last = kept[-1]
    if isinstance(last.node, ast.GeneratorExp) and source.span(last.node)[0] < opening:
        return [Edit(opening, opening, b"("), Edit(closing, closing, b"), " + b", ".join(added))]
    # Where the comma after the last argument is cut away with what followed it, only its own end is left to write at.
    if last.end in cuts or source.text[source.line_start(last.start) : last.start].strip():
        return [Edit(last.end, last.end, b"".join(b", " + text for text in added))]
    return _added_on_lines(source, last, added, closing)


def _added_on_lines(source: Source, last: Item, added: list[bytes], closing: int) -> list[Edit]:
    """One argument a line, as the call is written: after the last one's comma and comment, or with a comma for it."""
    newline = source.newline(last.start) + source.indent(last.start)
    comma = comment = None
    for kind, _, e in tokens(source.text, last.end, closing):
        if kind == "newline":
            break
        if kind == "other":
            comma = e
        elif kind == "comment":
            comment = e
    text = b"".join(newline + item + b"," for item in added)
    if comma:
        return [Edit(comment or comma, comment or comma, text)]
    if comment:
        return [Edit(last.end, last.end, b","), Edit(comment, comment, text[:-1])]
    return [Edit(last.end, last.end, b"," + text[:-1])]

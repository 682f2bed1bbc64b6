"""Where an object is kept after it was made: in a variable of a function, or in an attribute of `self` in a class.

Followed from assignment to assignment in one file, as far as names are written out; nothing is said about containers,
arguments and other objects' attributes. Not a codemod: what `rewrite-calls` asks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .source import Source

Holder = tuple[ast.AST | None, str]
"""The function or class that a name counts in (None: the module), and the name; `self.x` counts in the whole class."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def holder(source: Source, node: ast.expr) -> Holder:
    """What an expression names."""
    text = ast.unparse(node)
    root, _, rest = text.partition(".")
    if root in ("self", "cls") and rest:
        return _enclosing(source, node, ast.ClassDef), f"self.{rest}"
    scope = _enclosing(source, node, *_FUNCTIONS, ast.ClassDef)
    # What a class's body binds is an attribute too.
    return scope, f"self.{text}" if isinstance(scope, ast.ClassDef) else text


def _enclosing(source: Source, node: ast.AST, *kinds: type[ast.AST]) -> ast.AST | None:
    return next((parent for parent in source.ancestors(node) if isinstance(parent, kinds)), None)


def holders(source: Source, made: ast.expr) -> frozenset[Holder]:
    """Everything in the file that may hold the object which an expression makes."""
    found = {holder(source, target) for target in _targets(source, made)}
    moves = list(_moves(source)) if found else []
    growing = bool(found)
    while growing:
        more = {there for here, there in moves if here in found} - found
        found |= more
        growing = bool(more)
    return frozenset(found)


def _moves(source: Source) -> Iterator[tuple[Holder, Holder]]:
    """The assignments of one holder to another."""
    for node in source.nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            for target in _targets(source, node):
                yield holder(source, node), holder(source, target)


def _targets(source: Source, value: ast.expr) -> Iterator[ast.expr]:
    """What a value is assigned to, as it is or as one of two (`x = given or value`)."""
    node: ast.AST = value
    while True:
        parent = source.parents.get(node)
        match parent:
            case ast.NamedExpr(target=target):
                yield target
            case ast.BoolOp() | ast.Await():
                pass
            case ast.IfExp(test=test) if test is not node:
                pass
            case ast.Assign(targets=targets):
                yield from targets
                return
            case ast.AnnAssign(target=target, value=kept) if kept is node:
                yield target
                return
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=kept) if kept is node:
                yield target
                return
            case _:
                return
        node = parent

"""What names statements bind, and to what: the part of scoping that modules, classes and functions share.

A binding leads to an absolute dotted name (an import), to an expression in the same scope (`Y = X`), or to something of
its own. Nothing is resolved here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .layout import absolute

Kind = Literal["import", "alias", "class", "function", "parameter", "local"]


@dataclass(frozen=True)
class Binding:
    """What a name is bound to: `target` is absolute for an import, an expression's dotted text for an alias."""

    kind: Kind
    target: str = ""

    @property
    def leads(self) -> bool:
        """Whether it leads somewhere else."""
        return bool(self.target)


LOCAL = Binding("local")
PARAMETER = Binding("parameter")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def last_name(node: ast.AST) -> str:
    """The last part of a name or of a chain of attributes; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.AST) -> str:
    """The text of a name or a chain of attributes; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Binding, ast.alias]]:
    """The names that an import statement binds; a star binds none."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            yield name, Binding("import", alias.name if alias.asname else name), alias
        return
    module = absolute(node.module, node.level, package)
    for alias in node.names:
        if alias.name != "*":
            target = f"{module}.{alias.name}" if module else alias.name
            yield alias.asname or alias.name, Binding("import", target), alias


def aliased(node: ast.stmt) -> Iterator[tuple[ast.Name, Binding]]:
    """The names that `Y = X` and its kin bind to other names; `Y = A or B` and `A if c else B` bind to either."""
    targets: list[ast.expr]
    match node:
        case ast.Assign():
            targets, value = list(node.targets), node.value
        case ast.AnnAssign(value=ast.expr() as value):
            targets = [node.target]
        case _:
            if type(node).__name__ != "TypeAlias":  # PEP 695; the class exists from Python 3.12 on
                return
            targets, value = [getattr(node, "name")], getattr(node, "value")  # noqa: B009
    for target in targets:
        if isinstance(target, ast.Name):
            if module := loaded(value):
                yield target, Binding("import", module)
            for choice in _choices(value):
                yield target, Binding("alias", choice)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                if isinstance(one, ast.Name) and (text := dotted(other)):
                    yield one, Binding("alias", text)


def named(node: ast.NamedExpr) -> Iterator[tuple[ast.Name, Binding]]:
    """What `(Y := X)` binds to another name."""
    for choice in _choices(node.value):
        yield node.target, Binding("alias", choice)


def _choices(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.BoolOp(values=values):
            for each in values:
                yield from _choices(each)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _choices(body)
            yield from _choices(orelse)
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]) if dotted(owner):
            yield f"{dotted(owner)}.{name}"
        case _:
            if text := dotted(value):
                yield text


def loaded(value: ast.expr) -> str:
    """The absolute dotted name of what an expression loads by a constant string; "" for any other expression."""
    match value:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]) if module := loaded(
            owner
        ):
            return f"{module}.{name}"
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *more], keywords=keywords):
            how = last_name(func)
            if how == "__import__":
                return (
                    name
                    if len(more) > 2 or any(each.arg == "fromlist" for each in keywords)
                    else name.partition(".")[0]
                )
            if how in ("import_module", "importorskip") and not name.startswith("."):
                return name
        case ast.Subscript(value=table, slice=ast.Constant(value=str(name))) if dotted(table) == "sys.modules":
            return name
    return ""

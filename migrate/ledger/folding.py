"""The value of a string that is put together from constants: joined, formatted, or kept under a name of its own.

A name counts where the file gives it one value in its scope. Whatever else takes part makes the value unknown.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .bindings import last_name

if TYPE_CHECKING:
    from .python import PythonFile
    from .scopes import Scope

DEEPEST = 20


def folded(source: PythonFile, node: ast.AST | None, scope: Scope, depth: int = 0) -> str | None:
    """The string that an expression gives; None where that cannot be told."""
    if depth > DEEPEST:
        return None

    def part(each: ast.AST | None) -> str | None:
        return folded(source, each, scope, depth + 1)

    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return part(value)
        case ast.JoinedStr(values=values):
            return _joined("", [part(each) for each in values])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined("", [part(left), part(right)])
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod(), right=right):
            return _formatted(text, [part(each) for each in (right.elts if isinstance(right, ast.Tuple) else [right])])
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format"), args=args, keywords=[]):
            return _formatted(text.replace("{}", "%s"), [part(each) for each in args])
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(text)), attr="join"),
            args=[ast.List(elts=parts) | ast.Tuple(elts=parts)],
        ):
            return _joined(text, [part(each) for each in parts])
        case ast.Name(id=name):
            return _named(source, name, scope, depth)
    return None


def _joined(between: str, parts: list[str | None]) -> str | None:
    known = [each for each in parts if each is not None]
    return between.join(known) if len(known) == len(parts) else None


def _formatted(text: str, parts: list[str | None]) -> str | None:
    if None in parts or text.count("%") != text.count("%s") or text.count("%s") != len(parts):
        return None
    return text % tuple(parts)


def _named(source: PythonFile, name: str, scope: Scope, depth: int) -> str | None:
    home = scope.home(name)
    if home is None or len(home.bindings[name]) != 1:
        return None
    owner = home.owner
    for node in source.giving:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=value)
            ) if target == name and _owner(source, node) is owner:
                return folded(source, value, home, depth + 1)
    return None


def _owner(source: PythonFile, node: ast.AST) -> ast.AST | None:
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return next((each for each in source.names.ancestors(node) if isinstance(each, scopes)), None)


def module_asked_for(source: PythonFile, call: ast.Call, scope: Scope) -> str | None:
    """The dotted name (a `:` read as a dot) that a call of a loader asks for; a relative one is made absolute."""
    keywords = {each.arg: each.value for each in call.keywords}
    first = (
        call.args[0] if call.args else next((keywords[key] for key in ("name", "mod_name") if key in keywords), None)
    )
    name = folded(source, first, scope)
    if name is None or not name.startswith("."):
        return name.replace(":", ".") if name else None
    anchor = call.args[1] if len(call.args) > 1 else keywords.get("package")
    package = source.package if last_name(anchor or ast.Pass()) == "__package__" else folded(source, anchor, scope)
    if last_name(anchor or ast.Pass()) == "__name__":
        package = source.module
    level = len(name) - len(name.lstrip("."))
    base = (package or "").split(".")[: len((package or "").split(".")) - level + 1]
    return ".".join([*base, name.lstrip(".")]) if base and base[0] else None

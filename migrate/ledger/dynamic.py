"""Names taken from a legacy symbol's module by a value: `getattr(m, name)`, `vars(m)`, `m.__dict__`, `register(m)`.

What they give cannot be seen, so each is reported as one that may be the symbol. A constant name is a plain reference, and
found elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from . import model
from .bindings import dotted, last_name
from .contexts import context_of
from .mention import FileFindings, Mention
from .resolve import Resolution

if TYPE_CHECKING:
    from .python import PythonFile
    from .scopes import Scope
    from .search import Search

BY_NAME = frozenset({"getattr", "setattr", "delattr", "hasattr"})
WHOLE = frozenset({"vars", "dir", "getmembers", "getmembers_static"})
LOADERS = frozenset({"import_module", "__import__"})
APART = BY_NAME | {"object", "multiple", "reload", "cast"}
"""Functions that take a module for something that is found otherwise, or that gives nothing of it."""
_IMPORTED = re.compile(rb"\bimport\b([ \t\\\r\n]*\([^)]*\)|[^\r\n;#]*)")
_NAME = re.compile(rb"\w+")
_WORDS = re.compile(rb"attr\(|\bvars\(|\bdir\(|getmembers|__dict__")


def homes_of(search: Search, findings: Mapping[str, FileFindings]) -> dict[str, str]:
    """The modules that define a symbol or pass it on, each with (the first in order of) its symbols."""
    homes: dict[str, str] = {}
    for symbol in sorted(search.vocabulary.symbols, reverse=True):
        homes[symbol.rpartition(".")[0] or symbol] = symbol
    for path, found in findings.items():
        module = search.files.layout.module(path)
        passed = sorted(each.resolution.symbol for each in found.mentions if each.role == model.RE_EXPORT)
        if module and passed:
            homes.setdefault(module, passed[0])
    return {module: symbol for module, symbol in homes.items() if search.files.layout.file(module)}


def may_ask(content: bytes, homes: Collection[str]) -> bool:
    """Whether a file may take a name by a value at all, or have one of `homes` itself, to pass it on."""
    if _WORDS.search(content):
        return True
    tails = {home.rpartition(".")[2].encode() for home in homes}
    return any(not tails.isdisjoint(_NAME.findall(found[1])) for found in _IMPORTED.finditer(content))


def find_dynamic(source: PythonFile, homes: Mapping[str, str]) -> FileFindings:
    """The places of one file where a name of one of `homes` is taken by a value."""
    found = FileFindings()
    for owner, scope, how in _owners(source):
        module = _module(source, owner, scope)
        symbol = homes.get(module)
        if symbol:
            start, end = source.span(owner)
            text = source.file.slice(start, end)
            context = context_of(source.file.path, model.DYNAMIC_ACCESS)
            found.mentions.append(
                Mention(
                    start, end, model.DYNAMIC_ACCESS, Resolution(symbol, (), (text, module, symbol), certain=False),
                    context,
                    scope.qualname, reason=f"may depend: {how} takes from the symbol's module what cannot be seen",
                    flag=True,
                )
            )  # fmt: skip
    return found


def _owners(source: PythonFile) -> Iterator[tuple[ast.expr, Scope, str]]:
    for call, scope in source.names.calls:
        function = last_name(call.func)
        if function in BY_NAME and len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
            yield call.args[0], scope, f"{function} with a name that is a value"
        elif function in WHOLE and call.args:
            yield call.args[0], scope, f"{function}()"
    for attribute, scope in source.names.attributes:
        if attribute.attr == "__dict__":
            yield attribute.value, scope, "__dict__"
    every: list[tuple[ast.Name | ast.Attribute, Scope]] = [*source.names.names, *source.names.attributes]
    for node, scope in every:
        if isinstance(node.ctx, ast.Load) and _is_passed_on(source.names.parents, node):
            yield node, scope, "whatever it is passed on to"


def _is_passed_on(parents: Mapping[ast.AST, ast.AST], node: ast.expr) -> bool:
    """Whether an expression is handed on as a value: an argument, an element, what is returned or kept in an object."""
    match parents.get(node):
        case ast.Call(func=func) as call:
            return call.func is not node and last_name(func) not in APART | WHOLE
        case (
            ast.keyword()
            | ast.Dict()
            | ast.List()
            | ast.Tuple()
            | ast.Set()
            | ast.Return()
            | ast.Yield()
            | ast.Starred()
        ):
            return True
        case ast.Assign(targets=targets):
            return not all(isinstance(each, ast.Name) for each in targets)
    return False


def _module(source: PythonFile, node: ast.expr, scope: Scope) -> str:
    """The module that an expression is; "" for anything else."""
    match node:
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if last_name(func) in LOADERS:
            return _own(source, name)
        case ast.Subscript(value=value, slice=ast.Constant(value=str(name))) if dotted(value) == "sys.modules":
            return _own(source, name)
    root, _, rest = dotted(node).partition(".")
    home = scope.home(root) if root else None
    bindings = home.bindings[root] if home else []
    targets = {each.target for each in bindings if each.kind == "import"}
    if len(targets) != 1:
        return ""
    return _own(source, ".".join(part for part in (targets.pop(), rest) if part))


def _own(source: PythonFile, name: str) -> str:
    return source.resolver.own_name(name)

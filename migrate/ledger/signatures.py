"""What a call of a class or a function may pass, read from its definition.

Said only where the definition is in sight and says it all: an undecorated `__init__`, own or inherited from a class in sight,
a dataclass's fields, or an undecorated function. A metaclass's keywords and a `__new__` say nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from .bindings import Function, dotted, last_name

PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol"})
"""Bases that add neither an `__init__` nor a member of note."""


@dataclass(frozen=True)
class Signature:
    """What a call may pass: names by position, further keywords, which of them it must, and whether more is taken."""

    positional: tuple[str, ...]
    keywords: frozenset[str]
    required: frozenset[str]
    more_positional: bool
    more_keywords: bool

    def problem(self, call: ast.Call) -> str:
        """Why `call` cannot work, or "" where it can or cannot be judged."""
        if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
            return ""
        named = [str(each.arg) for each in call.keywords]
        if len(call.args) > len(self.positional) and not self.more_positional:
            return f"takes {len(self.positional)} positional arguments, {len(call.args)} are given"
        for name in named:
            if name not in self.keywords and not self.more_keywords:
                return f"has no parameter {name!r}"
        given = set(self.positional[: len(call.args)])
        if twice := sorted(given & set(named) & self.keywords):
            return f"the argument {twice[0]!r} is given twice"
        missing = sorted(self.required - given - set(named))
        return f"the argument {missing[0]!r} is missing" if missing else ""


@dataclass(frozen=True)
class SeenClass:
    """A class's definition, and what finds the classes that its bases name."""

    node: ast.ClassDef
    find: Callable[[str], SeenClass | None]


def nothing_seen(_name: str) -> SeenClass | None:
    """The finder for a class whose bases are not looked for."""
    return None


def of_definition(node: ast.AST | None) -> Signature | None:
    """The signature of a class or a function by itself; None where it does not say it all."""
    match node:
        case ast.ClassDef():
            return of_class(SeenClass(node, nothing_seen))
        case ast.FunctionDef() | ast.AsyncFunctionDef() if not node.decorator_list:
            return of_function(node)
    return None


def of_class(seen: SeenClass, below: tuple[ast.ClassDef, ...] = ()) -> Signature | None:
    """What a construct of the class may pass, without `self`; None where it cannot be told. `below` are its subclasses."""
    node = seen.node
    if node.keywords or node in below:
        return None
    methods = {each.name: each for each in node.body if isinstance(each, Function)}
    own = methods.get("__init__")
    if "__new__" in methods:
        return None
    if own is not None:
        return None if own.decorator_list else of_function(own, skipped=1)
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    if any(last_name(each.func if isinstance(each, ast.Call) else each) == "dataclass" for each in node.decorator_list):
        return _of_fields(node) if all(last_name(base) in PLAIN_BASES for base in bases) else None
    for base in bases:
        above = seen.find(dotted(base))
        if above is not None:
            return of_class(above, (*below, node))
        if last_name(base) not in PLAIN_BASES:
            return None
    return None


def of_function(node: ast.FunctionDef | ast.AsyncFunctionDef, *, skipped: int = 0) -> Signature:
    """What a call of the function may pass, its first `skipped` parameters left out."""
    arguments = node.args
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    without_default = positional[skipped : len(positional) - len(arguments.defaults)]
    required = {
        each.arg for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is None
    }
    keywords = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)} - set(positional[:skipped])
    return Signature(
        tuple(positional[skipped:]),
        frozenset(keywords),
        frozenset(required | set(without_default)),
        arguments.vararg is not None,
        arguments.kwarg is not None,
    )


def _of_fields(node: ast.ClassDef) -> Signature | None:
    """The `__init__` that `@dataclass` writes; None where a field or the decorator has options of its own."""
    decorator = next(each for each in node.decorator_list if last_name(_callee(each)) == "dataclass")
    if isinstance(decorator, ast.Call) and any(each.arg in ("init", "kw_only", None) for each in decorator.keywords):
        return None
    names: list[str] = []
    required: set[str] = set()
    for each in node.body:
        match each:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=declared, value=value):
                if isinstance(value, ast.Call) and last_name(value.func) == "field":
                    return None
                if last_name(declared.value if isinstance(declared, ast.Subscript) else declared) == "KW_ONLY":
                    return None
                if last_name(declared.value if isinstance(declared, ast.Subscript) else declared) == "ClassVar":
                    continue
                names.append(name)
                required |= {name} if value is None else set()
    return Signature(tuple(names), frozenset(names), frozenset(required), False, False)


def _callee(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node

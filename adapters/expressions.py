"""The small, safe expression language for `when`, `loop_until`, `condition` and `loop_max` given as text.

A subset of Python's expressions over the names a step sees (`inputs`, `data`, `results`, `status`): comparisons, boolean and
number arithmetic, literals, `x if c else y`, and a few functions. Nothing is ever passed to `eval`; there are no methods, no
comprehensions, no `**`, no private names. `a.b` and `a["b"]` read a key of a mapping or a declared field; what is missing
reads as None, as in YAML conditions of walkers. Size is bounded, so that evaluating costs at most time linear in the values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any

from .errors import WorkflowError
from .expression_operators import BINARY, COMPARE, FUNCTIONS, UNARY

MAX_CHARACTERS = 2_000
MAX_NODES = 400
MAX_DEPTH = 60
CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}


@dataclass(frozen=True)
class Expression:
    """A checked expression: `text` as written, the `names` it reads, and the step names it reads from results or status."""

    text: str
    tree: ast.expr
    names: frozenset[str]
    steps: frozenset[str]

    def evaluate(self, scope: Mapping[str, Any]) -> Any:
        """The value in a scope that has every one of `names`. Raises what the operation raises (TypeError, IndexError)."""
        return _evaluate(self.tree, scope)


@lru_cache(maxsize=4096)
def parse_expression(text: str, names: tuple[str, ...] = ("inputs", "data", "results", "status")) -> Expression:
    """Parse and check `text`. Raises WorkflowError, with the column, for anything outside the language."""
    tree = _parse(text)
    checker = _Checker(text, names)
    checker.visit(tree, 0)
    return Expression(text, tree, frozenset(checker.found), frozenset(checker.steps))


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_CHARACTERS:
        raise _refuse(text, f"it has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise _refuse(text, f"{error.msg} at column {error.offset}") from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise _refuse(text, "it cannot be parsed") from error


def _refuse(text: str, why: str) -> WorkflowError:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return WorkflowError(f"expression {shown!r}: {why}", mend="simplify it, or name a callable in `conditions` instead")


class _Checker:
    """Walks the tree once: refuses what is outside the language and collects the names that are read."""

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.text, self.names = text, names
        self.found: set[str] = set()
        self.steps: set[str] = set()
        self.count = 0

    def visit(self, node: ast.AST, depth: int) -> None:
        self.count += 1
        if self.count > MAX_NODES or depth > MAX_DEPTH:
            raise _refuse(self.text, f"it is too large (at most {MAX_NODES} parts, {MAX_DEPTH} deep)")
        check = _CHECKS.get(type(node))
        if check is None:
            column = f" at column {node.col_offset + 1}" if isinstance(node, ast.expr) else ""
            raise _refuse(self.text, f"{type(node).__name__}{column} is not allowed")
        for child in check(self, node):
            self.visit(child, depth + 1)

    def name(self, node: ast.Name) -> list[ast.expr]:
        if node.id in self.names:
            self.found.add(node.id)
        elif node.id not in CONSTANTS:
            raise _refuse(self.text, f"unknown name {node.id!r}; it may read {', '.join(self.names)}")
        return []

    def attribute(self, node: ast.Attribute) -> list[ast.expr]:
        if node.attr.startswith("_"):
            raise _refuse(self.text, f"the private name {node.attr!r} is not allowed")
        self._step(node.value, node.attr)
        return [node.value]

    def subscript(self, node: ast.Subscript) -> list[ast.expr]:
        if isinstance(node.slice, ast.Constant):
            self._step(node.value, node.slice.value)
        return [node.value, node.slice]

    def _step(self, owner: ast.expr, key: object) -> None:
        if isinstance(owner, ast.Name) and owner.id in ("results", "status") and isinstance(key, str):
            self.steps.add(key)

    def call(self, node: ast.Call) -> list[ast.expr]:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            raise _refuse(self.text, f"only these functions can be called: {', '.join(sorted(FUNCTIONS))}")
        if node.keywords or not node.args:
            raise _refuse(self.text, f"{node.func.id} takes plain arguments only")
        return node.args

    def constant(self, node: ast.Constant) -> list[ast.expr]:
        if node.value is not None and not isinstance(node.value, str | int | float | bool):
            raise _refuse(self.text, f"a {type(node.value).__name__} literal is not allowed")
        return []

    def operator(self, node: ast.BinOp | ast.UnaryOp) -> list[ast.expr]:
        if type(node.op) not in BINARY and type(node.op) not in UNARY:
            raise _refuse(self.text, f"the operator {type(node.op).__name__} is not allowed")
        return [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]

    def mapping(self, node: ast.Dict) -> list[ast.expr]:
        if any(key is None for key in node.keys):
            raise _refuse(self.text, "** is not allowed")
        return [*(key for key in node.keys if key is not None), *node.values]


_CHECKS: dict[type[ast.AST], Callable[[_Checker, Any], Sequence[ast.expr]]] = {
    ast.Name: _Checker.name,
    ast.Attribute: _Checker.attribute,
    ast.Subscript: _Checker.subscript,
    ast.Call: _Checker.call,
    ast.Constant: _Checker.constant,
    ast.BinOp: _Checker.operator,
    ast.UnaryOp: _Checker.operator,
    ast.Dict: _Checker.mapping,
    ast.BoolOp: lambda _, node: node.values,
    ast.Compare: lambda _, node: [node.left, *node.comparators],
    ast.IfExp: lambda _, node: [node.test, node.body, node.orelse],
    ast.List: lambda _, node: node.elts,
    ast.Tuple: lambda _, node: node.elts,
    ast.Set: lambda _, node: node.elts,
}


def _evaluate(node: ast.AST, scope: Mapping[str, Any]) -> Any:
    return _EVALUATE[type(node)](node, scope)


def _boolean(node: ast.BoolOp, scope: Mapping[str, Any]) -> Any:
    stop = isinstance(node.op, ast.Or)
    value: Any = None
    for item in node.values:
        value = _evaluate(item, scope)
        if bool(value) is stop:
            break
    return value


def _compare(node: ast.Compare, scope: Mapping[str, Any]) -> Any:
    left = _evaluate(node.left, scope)
    for operator, item in zip(node.ops, node.comparators, strict=True):
        right = _evaluate(item, scope)
        if not COMPARE[type(operator)](left, right):
            return False
        left = right
    return True


def read_key(owner: Any, key: Any) -> Any:
    """One key of a mapping, item of a sequence or declared field; None where a mapping or None has no such key."""
    if owner is None:
        return None
    if isinstance(owner, Mapping):
        return owner.get(key)
    if isinstance(key, str):
        return _field(owner, key)
    return owner[key]


def _field(owner: Any, name: str) -> Any:
    declared: Sequence[str] = getattr(type(owner), "_fields", ())
    if is_dataclass(owner):
        declared = [field.name for field in fields(owner)]
    elif hasattr(type(owner), "model_fields"):
        declared = list(type(owner).model_fields)
    if name.startswith("_") or name not in declared:
        raise TypeError(f"a {type(owner).__name__} has no field {name!r}")
    return getattr(owner, name)


_EVALUATE: dict[type[ast.AST], Callable[[Any, Mapping[str, Any]], Any]] = {
    ast.Name: lambda node, scope: scope[node.id] if node.id in scope else CONSTANTS[node.id],
    ast.Constant: lambda node, _: node.value,
    ast.Attribute: lambda node, scope: read_key(_evaluate(node.value, scope), node.attr),
    ast.Subscript: lambda node, scope: read_key(_evaluate(node.value, scope), _evaluate(node.slice, scope)),
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.BinOp: lambda node, scope: BINARY[type(node.op)](_evaluate(node.left, scope), _evaluate(node.right, scope)),
    ast.UnaryOp: lambda node, scope: UNARY[type(node.op)](_evaluate(node.operand, scope)),
    ast.IfExp: lambda node, scope: _evaluate(node.body if _evaluate(node.test, scope) else node.orelse, scope),
    ast.Call: lambda node, scope: FUNCTIONS[node.func.id](*(_evaluate(item, scope) for item in node.args)),
    ast.List: lambda node, scope: [_evaluate(item, scope) for item in node.elts],
    ast.Tuple: lambda node, scope: tuple(_evaluate(item, scope) for item in node.elts),
    ast.Set: lambda node, scope: {_evaluate(item, scope) for item in node.elts},
    ast.Dict: lambda node, scope: {
        _evaluate(key, scope): _evaluate(value, scope) for key, value in zip(node.keys, node.values, strict=True)
    },
}

"""The operators and functions of the expression language, none of which can run for long or take much memory.

`*`, `/`, `//` and `%` are for numbers only: `"a" * 10**9` and `"%999999999d" % 1` are how a short text takes a machine down.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

MAX_NUMBER = 10**100
MAX_DIGITS = 100


def _numeric(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def checked(left: Any, right: Any) -> Any:
        for value in (left, right):
            if not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > MAX_NUMBER):
                raise TypeError(f"only numbers up to 10**100 can be calculated with, not {type(value).__name__}")
        return function(left, right)

    return checked


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list | tuple) and type(left) is type(right):
        return [*left, *right] if isinstance(left, list) else (*left, *right)
    return _numeric(operator.add)(left, right)


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str | int | float | bool):
        raise TypeError(f"str() takes a plain value, not {type(value).__name__}")
    return str(value)


def _integer(value: Any) -> int:
    if isinstance(value, str) and len(value) > 100:
        raise ValueError("int() takes at most 100 characters")
    return int(value)


def _rounded(value: Any, digits: Any = None) -> Any:
    # `round(5, -10**9)` raises ten to that power.
    if digits is not None and (not isinstance(digits, int) or abs(digits) > MAX_DIGITS):
        raise ValueError(f"round() takes at most {MAX_DIGITS} digits")
    return round(value, digits)


def _sum(values: Any, start: Any = 0) -> Any:
    """Of numbers alone: a sum of lists copies each of them again and again."""
    total, add = start, _numeric(operator.add)
    for value in values:
        total = add(total, value)
    return total


BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: _add,
    ast.Sub: _numeric(operator.sub),
    ast.Mult: _numeric(operator.mul),
    ast.Div: _numeric(operator.truediv),
    ast.FloorDiv: _numeric(operator.floordiv),
    ast.Mod: _numeric(operator.mod),
}
UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: right is not None and left in right,
    ast.NotIn: lambda left, right: right is None or left not in right,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "float": float,
    "int": _integer,
    "len": len,
    "max": max,
    "min": min,
    "round": _rounded,
    "str": _text,
    "sum": _sum,
}

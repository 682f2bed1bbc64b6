"""Whether a handler may ask a person in the middle of its work, as far as its code tells without running it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from langgraph.types import interrupt

DEPTH = 4
"""Calls of the handler's own helpers that are followed."""


def may_ask(handler: Any) -> bool:
    """Whether the handler, or a helper that it calls by name, uses LangGraph's `interrupt`.

    One that asks in another way is found out when it does; what comes before its question is then done once more.
    """
    return _asks(handler, DEPTH)


def _asks(target: Any, depth: int) -> bool:
    function = _function_of(target)
    if function is None:
        return False
    around = inspect.getclosurevars(function) if function.__closure__ else None
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        if name == "interrupt" or value is interrupt:
            return True
        if depth and isinstance(value, FunctionType) and _asks(value, depth - 1):
            return True
    inner = around.nonlocals.values() if around is not None else ()
    return any(value is interrupt or (depth > 0 and callable(value) and _asks(value, depth - 1)) for value in inner)


def _function_of(target: Any) -> FunctionType | None:
    while isinstance(target, functools.partial):
        target = target.func
    target = inspect.unwrap(target)
    target = getattr(target, "__func__", target)
    if not isinstance(target, FunctionType | type) and callable(target):
        target = getattr(type(target).__call__, "__func__", type(target).__call__)
    return target if isinstance(target, FunctionType) else None


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)

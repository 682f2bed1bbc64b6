"""Whether a handler may ask a person in the middle of its work, as far as its code tells without running it."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType, FunctionType, MethodType
from typing import Any

from langgraph.types import interrupt

FOLLOWED = 30
"""Functions that are looked at for one handler, its own and helpers that it uses by name."""


def may_ask(handler: Any) -> bool:
    """Whether the handler, or a helper that it uses by name, uses LangGraph's `interrupt`.

    One that asks in another way is found out when it does; what comes before its question is then done once more.
    """
    if not isinstance(handler, FunctionType | MethodType | functools.partial | type):
        handler = getattr(type(handler), "__call__", None)  # noqa: B004  (the function, not whether there is one)
    waiting, seen = deque([handler]), set[int]()
    while waiting and len(seen) < FOLLOWED:
        target = waiting.popleft()
        if target is interrupt:
            return True
        if isinstance(target, functools.partial):
            waiting.extend((target.func, *target.args, *target.keywords.values()))
        function = target.__func__ if isinstance(target, MethodType) else target
        if isinstance(function, FunctionType) and id(function) not in seen:
            seen.add(id(function))
            if "interrupt" in _names(function.__code__):
                return True
            # Only functions: looking at anything else may run a team's code.
            waiting.extend(value for value in _used_by(function) if isinstance(value, _FUNCTIONS))
    return False


_FUNCTIONS = (FunctionType, MethodType, functools.partial)


def _used_by(function: FunctionType) -> Iterator[Any]:
    names = _names(function.__code__)
    yield from (function.__globals__[name] for name in sorted(names) if name in function.__globals__)
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents


@functools.lru_cache(maxsize=4096)
def _names(code: CodeType) -> frozenset[str]:
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(code.co_names).union(*inner)

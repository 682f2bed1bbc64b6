"""Whether a run left something behind in its process: a fingerprint of everything that user code can have kept.

Objects are walked from roots (engines, cases, the namespaces of user modules) through what the garbage collector knows of
them, so no user code runs, and equal state gives an equal fingerprint. What cannot be looked into (a database connection, a
generator, the state of a C extension) is an error, never taken for unchanged. What belongs to the interpreter and the
operating system is in `processstate`.
"""

from __future__ import annotations

import builtins
import collections
import gc
import itertools
import logging
import random
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

from .libraries import is_library
from .visible import ATOMS, IMMUTABLE, REFERENTS, SKIPPED, is_visible

LARGEST = 300_000
"""Objects above which a look costs more than a process for each run."""

_STATELESS = ("typing", "pydantic_core._pydantic_core")
_Look = Callable[[Any], tuple[object, list[Any]]]
_BUILTINS = vars(builtins)


class UnverifiableError(Exception):
    """Something that user code holds cannot be looked into, so what a run left in it would go unseen."""


def user_modules() -> list[str]:
    """The names of the user's imported modules, sorted."""
    return sorted(name for name, module in list(sys.modules.items()) if module is not None and not is_library(name))


def fingerprint(roots: Iterable[object]) -> int:
    """A hash of the object graph below `roots` and the user's modules, comparable within one process and its forks.

    Raises `UnverifiableError`.
    """
    numbers: dict[int, int] = {id(_BUILTINS): 0}
    kept: list[Any] = []  # an object that a look made must not leave its id to another
    stack: list[Any] = [*roots, *(_namespace(sys.modules[name]) for name in user_modules())]
    state = 0
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in ATOMS:
            state = hash((state, id(kind), repr(item) if kind is float else item))
            continue
        number = numbers.get(id(item))
        if number is not None:
            state = hash((state, number))
            continue
        numbers[id(item)] = len(numbers)
        kept.append(item)
        if len(kept) > LARGEST:
            raise UnverifiableError(f"more than {LARGEST} objects")
        told, inner = _look_of(kind)(item)
        state = hash((state, id(kind), told, len(inner)))
        stack.extend(inner)
    return state


def _namespace(module: Any) -> Any:
    return getattr(module, "__dict__", None)


def _look_of(kind: type[Any]) -> _Look:
    look = _LOOKS.get(kind)
    if look is None:
        look = _LOOKS[kind] = _choose(kind)
    return look


def _choose(kind: type[Any]) -> _Look:
    if issubclass(kind, type):
        return _class
    if issubclass(kind, logging.Logger):
        return _logger
    if kind in IMMUTABLE or kind.__module__ in _STATELESS or issubclass(kind, types.GenericAlias):
        return lambda item: (id(item), [])
    if issubclass(kind, collections.OrderedDict):
        return _ordered
    if kind in REFERENTS or is_visible(kind):
        return _referents
    name = f"{kind.__module__}.{kind.__qualname__}"

    def refuse(_: Any) -> tuple[object, list[Any]]:
        raise UnverifiableError(f"a {name}")

    return refuse


def _referents(item: Any) -> tuple[object, list[Any]]:
    kind = type(item)
    value = next((vars(base)["__repr__"](item) for base in kind.__mro__ if base in ATOMS), None)
    return value, [inner for inner in gc.get_referents(item) if inner is not kind]


def _dict(item: dict[Any, Any]) -> tuple[object, list[Any]]:
    if item.get("__name__") in sys.modules and "__spec__" in item:
        item = {key: value for key, value in item.items() if key not in SKIPPED}
    return None, [*item, *item.values()]


def _ordered(item: Any) -> tuple[object, list[Any]]:
    """Its order is not among what the garbage collector sees."""
    keys = list(collections.OrderedDict.keys(item))
    return None, [keys, *(inner for inner in gc.get_referents(item) if inner is not type(item))]


def _function(item: types.FunctionType) -> tuple[object, list[Any]]:
    """A library's function is looked at too, for what it closes over; its module's namespace is not."""
    own = [item.__closure__, item.__defaults__, item.__kwdefaults__, item.__dict__]
    space = item.__globals__
    library = is_library(str(space.get("__name__"))) and space.get("__name__") in sys.modules
    return id(item.__code__), own if library else [*own, space]


def _class(item: type[Any]) -> tuple[object, list[Any]]:
    if is_library(item.__module__):
        return id(item), []
    shown = {name: value for name, value in vars(item).items() if not _is_made(name)}
    return tuple(shown), [*shown.values(), *item.__bases__]


def _is_made(name: str) -> bool:
    """Whether the attribute of a class is made by Python or pydantic, and changes without a change of meaning."""
    return name in SKIPPED or name.startswith("__pydantic_")


def _module(item: types.ModuleType) -> tuple[object, list[Any]]:
    """A module that user code holds: its functions and classes may have been replaced."""
    if not is_library(item.__name__):
        return id(item), [vars(item)]
    patched = (types.FunctionType, types.BuiltinFunctionType, type)
    return hash(tuple(id(value) for value in list(vars(item).values()) if isinstance(value, patched))), []


def _logger(item: logging.Logger) -> tuple[object, list[Any]]:
    return (item.name, item.level, item.propagate, item.disabled), [*item.filters, *item.handlers]


def _lock(item: Any) -> tuple[object, list[Any]]:
    return " locked " in repr(item), []


_LOOKS: dict[type[Any], _Look] = {
    dict: _dict,
    list: lambda item: (None, list(item)),
    tuple: lambda item: (None, list(item)),
    set: lambda item: (None, list(item)),
    frozenset: lambda item: (None, list(item)),
    types.FunctionType: _function,
    types.ModuleType: _module,
    itertools.count: lambda item: (repr(item), []),
    random.Random: lambda item: (hash(item.getstate()), []),
    bytearray: lambda item: (bytes(item), []),
    # Of this thread alone: the others have ended, or are what was left behind.
    threading.local: lambda item: (None, [vars(item)]),
    type(threading.Lock()): _lock,
    type(threading.RLock()): _lock,
}

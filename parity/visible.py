"""Which types show their whole state to the garbage collector, or have none that changes; data for `residue`."""

from __future__ import annotations

import collections
import contextvars
import datetime
import decimal
import functools
import io
import operator
import re
import struct
import types
import typing
import uuid
import weakref
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from typing import Any

SKIPPED = frozenset(
    {
        *(
            "__builtins__",
            "__spec__",
            "__loader__",
            "__cached__",
            "__warningregistry__",
            "__annotations__",
            "__dict__",
            "__weakref__",
            "_abc_impl",
        ),
        *(
            "__abstractmethods__",
            "__signature__",
            "__doc__",
            "__annotate__",
            "__annotations_cache__",
            "__static_attributes__",
            "__firstlineno__",
        ),
    }
)
"""Names in a namespace or a class that Python itself makes."""

ATOMS = frozenset(
    {
        *(type(None), bool, int, float, complex, str, bytes, range, type(...), type(NotImplemented)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
        *(decimal.Decimal, uuid.UUID, re.Pattern, PosixPath, PurePosixPath, PureWindowsPath),
    }
)
"""Types of values: equal ones are the same."""

IMMUTABLE: frozenset[type[Any]] = frozenset(
    {
        *(types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType),
        *(types.MethodDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType),
        *(types.GenericAlias, types.UnionType, typing.TypeVar, typing.ParamSpec, struct.Struct, contextvars.ContextVar),
        *(weakref.ref, weakref.ProxyType, weakref.CallableProxyType, object),
        type(collections.namedtuple("_", "a").a),  # type: ignore[attr-defined]  # noqa: PYI024
    }
)
"""Types without a state of their own; a context variable's value belongs to a context, and each run has its own."""

REFERENTS: frozenset[type[Any]] = frozenset(
    {
        *(types.CellType, types.MethodType, types.BuiltinFunctionType, types.MappingProxyType, types.SimpleNamespace),
        *(property, classmethod, staticmethod, slice, functools.partial, collections.deque, collections.defaultdict),
        *(operator.itemgetter, operator.attrgetter, operator.methodcaller, type(functools.lru_cache(len))),
    }
)
"""Types whose state is what they refer to."""

_BASES = frozenset(
    {object, dict, list, set, frozenset, tuple, collections.deque, collections.defaultdict, collections.OrderedDict}
)
_OWN = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


def is_visible(kind: type[Any]) -> bool:
    """Whether all classes of an instance are written in Python, or are containers whose content is seen."""
    if issubclass(kind, io.IOBase):
        return False
    return all(base in _BASES or base in ATOMS or _is_exception(base) or not _is_in_c(base) for base in kind.__mro__)


def _is_exception(base: type[Any]) -> bool:
    return base.__module__ == "builtins" and issubclass(base, BaseException)


@functools.cache
def _is_in_c(base: type[Any]) -> bool:
    """A class that is written in C has slots or methods of its own; one in Python has functions."""
    own = vars(base)
    made = own.get("__new__")
    if isinstance(made, types.BuiltinFunctionType) and made.__self__ is base:
        return True
    return any(isinstance(value, _OWN) and value.__objclass__ is base for value in own.values())

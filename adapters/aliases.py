"""Old import paths that go on working: one object through every path, and a DeprecationWarning once a call site."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType
from typing import Any


def deprecated_alias(module: str, names: Mapping[str, str] | None = None, /, **more: str) -> Callable[[str], Any]:
    """A `__getattr__` for the old module, by which its old names give the new objects.

    Each old name is given with the place of the new object, `"package.module:Name"`:

        __getattr__ = deprecated_alias(__name__, WorkflowExecutor="graphlift.adapters:GraphWorkflowExecutor")

    The object is the very one that the new path gives, so that `isinstance`, `except` and identity hold whichever path was
    taken. A place in the code that uses an old name is warned once, whatever the warning filters; `hasattr` warns too.
    """
    places = {**(names or {}), **more}
    warned: set[tuple[str, int, str]] = set()
    lock = threading.Lock()

    def __getattr__(name: str) -> Any:  # noqa: N807
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = _resolve(place)
        _warn_once(module, name, place, warned, lock)
        return value

    return __getattr__


def _resolve(place: str) -> Any:
    module, _, path = place.partition(":")
    value: Any = import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _warn_once(module: str, name: str, place: str, warned: set[tuple[str, int, str]], lock: threading.Lock) -> None:
    frame = _caller()
    site = (frame.f_code.co_filename, frame.f_lineno, name)
    with lock:
        if site in warned:
            return
        warned.add(site)
    warnings.warn_explicit(
        f"{module}.{name} is deprecated; use {place.replace(':', '.')}",
        DeprecationWarning,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=frame.f_globals.get("__name__", "<unknown>"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _caller() -> FrameType:
    """The frame that used the name: not this module's, and not the import machinery's (`from old import Name`)."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file != __file__ and not file.startswith("<frozen importlib"):
            return frame
        frame = frame.f_back
    return sys._getframe(1)

"""Inclusive waiting edges for LangGraph: a join that runs once, with whichever of its listed nodes arrived.

Between separate edges (the target runs once a superstep in which any listed node finishes) and a waiting edge (once, or never).
`InclusiveStateGraph` is a `StateGraph` with one more option on `add_edge`; nothing of LangGraph is patched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .builder import CompiledInclusiveGraph, InclusiveStateGraph
    from .release import Release, waiting_release

_HOME = {
    "builder": ("CompiledInclusiveGraph", "InclusiveStateGraph"),
    "release": ("Release", "waiting_release"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["CompiledInclusiveGraph", "InclusiveStateGraph", "Release", "waiting_release"]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Inclusive waiting edges for LangGraph: a join that runs once, with whichever of its listed nodes arrived.

Between separate edges (the target runs once a superstep in which any listed node finishes) and a waiting edge (once, or never).
`InclusiveStateGraph` is a `StateGraph` with one more option on `add_edge`; nothing of LangGraph is patched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_exports

if TYPE_CHECKING:
    from .builder import CompiledInclusiveGraph, InclusiveStateGraph
    from .release import Release, waiting_release

_HOME = {
    "builder": ("CompiledInclusiveGraph", "InclusiveStateGraph"),
    "release": ("Release", "waiting_release"),
}

__all__ = ["CompiledInclusiveGraph", "InclusiveStateGraph", "Release", "waiting_release"]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)

"""Ready-made engines: the reference walkers and the compiled graph, for cases whose definition is a neutral workflow.

A project's own walker needs an engine of its own, a few lines in a plugin module; `OutcomeEngine` makes it from a function.
"""

from __future__ import annotations

from .compiled import CompiledEngine
from .function import OutcomeEngine
from .reference import ReferenceEngine

__all__ = ["CompiledEngine", "OutcomeEngine", "ReferenceEngine"]

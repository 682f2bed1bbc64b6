"""Ready-made engines over graphlift's own workflows: the reference walkers, and the compiled graph.

A case for them has a `Workflow` as its definition and handlers by name; `options` may hold `failure_policy`, `conditions`,
`answers` (what people say at human nodes) and `mode` ("sync" or "async"). A project's own walker needs an engine of its own,
a few lines in a plugin module; `OutcomeEngine` makes it from a function of the case and its handlers, `TappedEngine` from one of
the case and the tap.
"""

from __future__ import annotations

from .compiled import CompiledEngine
from .function import OutcomeEngine, TappedEngine
from .reference import ReferenceEngine

__all__ = ["CompiledEngine", "OutcomeEngine", "ReferenceEngine", "TappedEngine"]

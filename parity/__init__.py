"""The parity gate: run two engines side by side, compare what they did, judge by what is known.

Traces decide, not outputs: how often each node ran, what each activation saw, statuses and order count as much as values.
This is the whole public API of the layer; the ready-made engines are in `graphlift.parity.engines`. Names are resolved when
first used, so that listing plugins does not import what only a run needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..adapters.lazy import lazy_exports

if TYPE_CHECKING:
    from .case import Case
    from .divergence import Divergence
    from .engine import Engine
    from .gate import run_gate
    from .observation import Activation, Observation, Side
    from .observing import observe
    from .outcome import Event, NodeEnd, Outcome, Pause
    from .reading import outcome_of
    from .recorded import Value
    from .report import Report
    from .rule import Rule
    from .stubs import DIGEST
    from .tap import Tap

_HOME: dict[str, tuple[str, ...]] = {
    "case": ("Case",),
    "divergence": ("Divergence",),
    "engine": ("Engine",),
    "gate": ("run_gate",),
    "observation": ("Activation", "Observation", "Side"),
    "observing": ("observe",),
    "outcome": ("Event", "NodeEnd", "Outcome", "Pause"),
    "reading": ("outcome_of",),
    "recorded": ("Value",),
    "report": ("Report",),
    "rule": ("Rule",),
    "stubs": ("DIGEST",),
    "tap": ("Tap",),
}

__all__ = [
    "DIGEST",
    "Activation",
    "Case",
    "Divergence",
    "Engine",
    "Event",
    "NodeEnd",
    "Observation",
    "Outcome",
    "Pause",
    "Report",
    "Rule",
    "Side",
    "Tap",
    "Value",
    "observe",
    "outcome_of",
    "run_gate",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)

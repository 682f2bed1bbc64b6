"""The parity gate: run two engines side by side, compare what they did, judge by what is known.

Traces decide, not outputs: how often each node ran, what each activation saw, statuses and order count as much as values.
"""

from __future__ import annotations

from .model import Activation, Case, Divergence, Engine, NodeOutcome, Observation, Outcome, Rule
from .outcomes import outcome_of
from .tap import Tap
from .values import Value

__all__ = [
    "Activation",
    "Case",
    "Divergence",
    "Engine",
    "NodeOutcome",
    "Observation",
    "Outcome",
    "Rule",
    "Tap",
    "Value",
    "outcome_of",
]

"""Semantic mutants: candidates that are wrong in one known way each, to measure what the gate sees.

Each is the compiled graph with one change: of the definition before it is compiled, of how handlers are called, or of what is
reported. A gate that lets one pass would let a real migration with the same mistake pass.
"""

from __future__ import annotations

from .definitions import DEFINITIONS
from .handlers import HANDLERS
from .killing import Killed, kill_rate, measure
from .mutant import Mutant
from .outcomes import OUTCOMES

__all__ = ["MUTANTS", "Killed", "Mutant", "kill_rate", "measure"]

MUTANTS: tuple[Mutant, ...] = tuple(sorted((*DEFINITIONS, *HANDLERS, *OUTCOMES), key=lambda mutant: mutant.id))
"""Every mutant, by id."""

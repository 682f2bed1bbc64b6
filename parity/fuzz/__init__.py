"""Fuzzing: random workflows of both styles, and the smallest one on which two engines differ.

Drawing is hypothesis's, shrinking is by structure. Engines must take graphlift's own workflows. A workflow's bodies are told by name
(`digest`, `fails` …), so that a counterexample can be written down.
"""

from __future__ import annotations

from .bodies import BODIES, handlers_of
from .draft import Draft
from .regressions import Regression, Replayed, file_of, read_regressions, replay
from .scripting import as_test
from .searching import Counterexample, search
from .shapes import SHAPES

__all__ = [
    "BODIES",
    "SHAPES",
    "Counterexample",
    "Draft",
    "Regression",
    "Replayed",
    "as_test",
    "file_of",
    "handlers_of",
    "read_regressions",
    "replay",
    "search",
]

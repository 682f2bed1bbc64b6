"""Hazards in how a LangGraph graph is wired, found in its source without importing it, or on a compiled graph.

Every hazard has a stable id, a place, a reason and a mend. The shapes are those of LangGraph's superstep rules, so this is
useful to any LangGraph user, also without a migration.
"""

from __future__ import annotations

from .model import Finding, Place, Wired
from .reader import read_graphs
from .rules import RULES, Rule
from .run import chosen, lint_files, lint_graphs

__all__ = ["RULES", "Finding", "Place", "Rule", "Wired", "chosen", "lint_files", "lint_graphs", "read_graphs"]

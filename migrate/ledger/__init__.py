"""The ledger: every reference to a configured legacy symbol, found without importing the code it reads.

    ledger = build_ledger(project)
    ledger.references   # each with place, role, context, fate and the chain it resolves through
    ledger.unexplained  # places that read like a legacy symbol and that nothing explains

Importing this module is cheap; the work is imported by `build_ledger`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Ledger, Lookalike, Occurrence, Reference, Unreadable

if TYPE_CHECKING:
    from ...plugins.project import Project

__all__ = ["Ledger", "Lookalike", "Occurrence", "Reference", "Unreadable", "build_ledger"]


def build_ledger(project: Project) -> Ledger:
    """The ledger of a project's configured symbols. Nothing of the project is imported or run."""
    from .build import build

    return build(project)

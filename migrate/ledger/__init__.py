"""The ledger: every reference to a configured legacy symbol, found without importing the code it reads.

    ledger = build_ledger(project)
    ledger.references   # each with place, role, context, fate and the chain it resolves through
    ledger.unexplained  # places that read like a legacy symbol and that nothing explains

Importing this module is cheap; the work is imported by `build_ledger`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...adapters.markers import hookimpl
from .model import Ledger, LeftOut, Lookalike, Occurrence, Reference, Unreadable

if TYPE_CHECKING:
    from ...plugins.project import Project
    from .finders import ReferenceFinder

__all__ = ["Ledger", "LeftOut", "Lookalike", "Occurrence", "Reference", "Unreadable", "build_ledger"]


def build_ledger(project: Project, finders: Sequence[ReferenceFinder] | None = None, *, cache: bool = False) -> Ledger:
    """The ledger of a project's configured symbols. Nothing of the project is imported or run.

    `finders` are those of the hook `graphlift_reference_finders`; None stands for the built-in ones. With `cache`, the
    ledger of the last run is given again where nothing has changed since; it is kept under `.graphlift/cache`. Raises
    `ConfigurationError` where no symbol is configured.
    """
    project.require_symbols()
    if not cache:
        from .build import build

        ledger = build(project, finders)
    else:
        from .cache import cached

        ledger = cached(project, finders)
    left_out = tuple(LeftOut(path, why) for path, why in project.left_out())
    return replace(ledger, left_out=left_out) if left_out else ledger


@hookimpl
def graphlift_reference_finders() -> list[ReferenceFinder]:
    """The built-in finders."""
    from .finders import built_in

    return built_in()

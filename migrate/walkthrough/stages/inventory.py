"""Stage 2: the ledger of references, complete or the demo ends here; the ratchet keeps it from growing meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shell import StageError

if TYPE_CHECKING:
    from ..journey import Journey


def run(journey: Journey) -> None:
    """Leaves the ratchet's first rules: nobody adds a call site while the migration is under way."""
    journey.shell.graphlift("inventory")
    summary = journey.data("inventory")["summary"]
    journey.figures.references = summary["contexts"]
    journey.figures.unexplained = summary["unexplained"]
    if summary["unexplained"] or not summary["references"]:
        raise StageError("the inventory is not complete: an occurrence is not explained, or nothing was found")
    journey.shell.graphlift("ratchet", "init")
    counted = ", ".join(f"{count} {context}" for context, count in summary["contexts"].items())
    journey.commit(f"Inventory and first caps\n\n{summary['references']} references: {counted}.")

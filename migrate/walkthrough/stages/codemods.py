"""Stage 5: the codemods rewrite every call site that they can be sure of, and flag the rest for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..journey import Journey


def run(journey: Journey) -> None:
    """Plan, apply, mend the one flagged test, and see that a second plan is empty."""
    journey.shell.graphlift("codemod", expect=1)
    journey.figures.codemods = dict(journey.data("codemod", expect=1)["counts"])
    journey.shell.graphlift("codemod", "--apply", lines=8)
    journey.edit(
        "tests/test_batch.py",
        "shop.workflows.WorkflowExecutor",
        "shop.workflows.engine.create_engine",
        "flagged: the batch runner no longer looks the class up there",
    )
    journey.shell.tests()
    journey.shell.graphlift("codemod")
    journey.shell.graphlift("ratchet", "tighten")
    journey.commit("Codemods: call sites build the graph engine")

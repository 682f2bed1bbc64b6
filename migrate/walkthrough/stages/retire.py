"""Stage 6: the walker goes; the types beside it stay, and its names become aliases of the adapter.

What ran both engines goes with it: there is nothing left to compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shell import StageError
from .names import WALKER

if TYPE_CHECKING:
    from ..journey import Journey

GATE_GONE = "both engines are one now: there is nothing left to compare, and nothing left to know of it"
RESULTS = (
    "What a run gives back; `shop.workflows.engine` runs it.\n\nThe walker that gave this module its name is gone.\n"
)


def run(journey: Journey) -> None:
    """The gate is run once more, so that its evidence is of the code that is there now."""
    journey.shell.graphlift("parity", lines=3)
    journey.shell.graphlift("retire", expect=1)
    journey.shell.graphlift("retire", "--apply", lines=4)
    if "class WorkflowWalker" in (journey.folder / WALKER).read_text(encoding="utf-8"):
        raise StageError(f"{WALKER} still has the walker's class")
    journey.shell.tests()
    journey.commit("Retire the walker")
    journey.remove("migration/__init__.py", "migration/gate.py", "graphlift-divergences.toml", why=GATE_GONE)
    journey.write("stages/6-retire", "the configuration without the gate's plugin")
    told = (journey.folder / WALKER).read_text(encoding="utf-8").split('"""')[1]
    journey.edit(WALKER, told, RESULTS, "the module's docstring told of the walker")
    journey.shell.tests()
    journey.shell.graphlift("ratchet", "tighten")
    journey.commit("Remove the gate, which has nothing left to compare")

"""Stage 1: `graphlift init` finds the walker; a person says what its roles become."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..journey import Journey


def run(journey: Journey) -> None:
    """Leaves graphlift.toml, and the gate's module as a template, which stage 3 fills in."""
    journey.shell.graphlift("init", "--engines", "migration/gate.py")
    journey.write("stages/1-configure", "what init found, completed by hand: the targets of each role, the arguments")
    journey.commit("Configure graphlift")

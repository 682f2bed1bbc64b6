"""Stage 7: what was won is capped, and the caps are shown to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import WALKER

if TYPE_CHECKING:
    from ..journey import Journey

GROWTH = "\n\nclass WorkflowWalker:\n    def execute(self) -> None: ...\n"


def run(journey: Journey) -> None:
    """Prove every rule, and try to bring the walker back on a branch: it is refused."""
    shell = journey.shell
    shell.graphlift("ratchet", "init", "--merge-driver")
    shell.graphlift("ratchet", "prove")
    journey.figures.rules_proved = [proof["rule"] for proof in journey.data("ratchet", "prove")["proofs"]]
    journey.commit("Ratchet: every rule proved, and git merges the caps")
    shell.git("switch", "--quiet", "--create", "the-walker-comes-back")
    with (journey.folder / WALKER).open("a", encoding="utf-8", newline="\n") as file:
        file.write(GROWTH)
    journey.say(f"  ~ {WALKER}: a new class WorkflowWalker, on a branch")
    shell.graphlift("ratchet", "--base", "main", expect=1)
    shell.git("checkout", "--quiet", "--", WALKER)
    shell.git("switch", "--quiet", "main")
    shell.git("branch", "--quiet", "--delete", "the-walker-comes-back")
    shell.graphlift("ratchet", "--absolute")
    shell.graphlift("status")
    _count(journey)


def _count(journey: Journey) -> None:
    figures = journey.figures
    figures.walker_lines_after = journey.line_count(WALKER)
    figures.tests_after = journey.shell.tests()
    first = journey.shell.git("rev-list", "--max-parents=0", "HEAD")
    for row in journey.shell.git("diff", "--numstat", first, "HEAD").splitlines():
        added, removed, _ = row.split("\t")
        figures.lines_added += int(added)
        figures.lines_removed += int(removed)

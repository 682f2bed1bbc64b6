"""Stage 0: write the shop, make it a repository, see its tests pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..copying import copy_tree
from .names import WALKER

if TYPE_CHECKING:
    from ..journey import Journey


def run(journey: Journey) -> None:
    """The first commit. The identity is set in this repository only, so that no global configuration is needed."""
    written = copy_tree("project", journey.folder)
    journey.say(f"  + {len(written)} files, {sum(map(journey.line_count, written)):,} lines")
    for setting in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("config", "user.name", "Spoke & Chain"),
        ("config", "user.email", "shop@example.org"),
    ):
        journey.shell.git(*setting)
    journey.figures.walker_lines_before = journey.line_count(WALKER)
    journey.figures.tests_before = journey.shell.tests()
    journey.commit("The shop as it is")

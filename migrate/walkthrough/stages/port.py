"""Stage 4: what the inventory flagged and no codemod can rewrite is ported by hand, before the codemods run.

The streaming wrapper walked by itself through the walker's private hooks; now it listens to the engine. Tests of the
walker's inside go: what they test goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..journey import Journey


def run(journey: Journey) -> None:
    """Leaves no use of a private member, and the class named in the settings is the new one."""
    journey.write("stages/4-port", "by hand: the engine's public stream instead of the walker's private hooks")
    journey.remove("tests/test_walker_internals.py", why="it tests the walker's inside only")
    journey.edit(
        "shop/settings.yaml",
        "shop.workflows.compiled_executor.WorkflowExecutor",
        "shop.workflows.engine.ShopExecutor",
        "the provider passes arguments that no tool can see; the new class takes the old ones",
    )
    journey.shell.tests()
    journey.shell.graphlift("ratchet", "tighten")
    journey.commit("Port the streaming wrapper and the settings by hand")

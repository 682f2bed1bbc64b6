"""The stages in their order. Each does its part of the migration in the folder and commits it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..journey import Journey
from . import begin, codemods, configure, inventory, parity, port, ratchet, retire


@dataclass(frozen=True)
class Stage:
    """A stage: its name, one sentence that says what happens in it, and the function that does it."""

    name: str
    summary: str
    run: Callable[[Journey], None]


STAGES = (
    Stage("begin", "the shop as it is: a walker of its own, and green tests", begin.run),
    Stage("configure", "say which symbol is migrated, and what it becomes", configure.run),
    Stage("inventory", "every reference to the walker, each with its role and its fate", inventory.run),
    Stage("parity", "the adapter seam, and both engines side by side", parity.run),
    Stage("port", "what no codemod can do: the streaming wrapper, by hand", port.run),
    Stage("codemods", "rewrite the call sites", codemods.run),
    Stage("retire", "delete the walker", retire.run),
    Stage("ratchet", "cap what was won, and prove that the cap holds", ratchet.run),
)

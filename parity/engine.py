"""What an engine is to the gate. `parity.engines` has ready-made ones, and `OutcomeEngine` to make one from a function."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .observation import Side
from .outcome import Outcome
from .tap import Tap

if TYPE_CHECKING:
    from .case import Case


@runtime_checkable
class Engine(Protocol):
    """Anything that runs a case.

    `sources` are files or folders of the project, or dotted modules, whose content is part of the evidence: a verdict is
    worth nothing once they have changed.
    """

    @property
    def name(self) -> str:
        """How reports name it."""
        ...

    @property
    def side(self) -> Side:
        """Whether it is the engine that is replaced ("legacy") or the one that replaces it ("candidate")."""
        ...

    @property
    def sources(self) -> tuple[str, ...]:
        """Project-relative files or folders, or dotted module names."""
        ...

    def run(self, case: Case, tap: Tap) -> Outcome | Awaitable[Outcome]:
        """Run the case once, its handlers wrapped by the tap. May be a coroutine function; may raise."""
        ...

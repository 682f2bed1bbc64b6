"""What the objects that plugins return look like to the rest of graphlift.

Every registered object has a stable `id` and a one-line `summary`, so that it can be listed, selected and skipped. The
folder that calls an object narrows the protocol: a codemod in `graphlift.migrate.codemods`, a metric in
`graphlift.migrate.ratchet`, a divergence rule in `graphlift.parity.rules`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Registered(Protocol):
    """Anything that a hook contributes to a registry."""

    @property
    def id(self) -> str:
        """The stable name, unique among objects of its kind."""
        ...

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ...

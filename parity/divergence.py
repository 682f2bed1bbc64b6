"""A divergence: a typed difference between two observations, with the place, both values, the cause and a mend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Divergence:
    """One difference.

    `node` None: of the run as a whole. `activation` counts from 0, where the difference is of one activation. `paths` are the keys at which values differ.
    `at` is where it stands in time (the begin of its activation, or of its node), for folding; None: at the end of the run.
    `under` is the key of the divergence that it follows from. `schedule` says so where not every schedule shows it.
    """

    rule: str
    family: str
    node: str | None = None
    activation: int | None = None
    legacy: str = ""
    candidate: str = ""
    cause: str = ""
    mend: str = ""
    paths: tuple[str, ...] = ()
    at: int | None = None
    case: str = ""
    under: str | None = None
    schedule: str = ""
    subject: str = ""

    @property
    def key(self) -> str:
        """How other divergences of the same case refer to it."""
        return f"{self.rule} at {self.node or self.subject or 'the run'}"

    @property
    def site(self) -> tuple[str, str | None, str]:
        """The place where runs of one engine may differ by chance: its family, node and subject."""
        return self.family, self.node, self.subject

    @property
    def moment(self) -> tuple[bool, int, str, str, int, str]:
        """What orders divergences of one case: where they stand in time, then their place."""
        return self.at is None, self.at or 0, self.rule, self.node or "", self.activation or 0, self.subject

    @property
    def place(self) -> tuple[str, str | None, int, str]:
        """What makes it the same divergence when the case is run again."""
        return self.rule, self.node, -1 if self.activation is None else self.activation, self.subject

    def to_json(self) -> dict[str, Any]:
        """The evidence file's form."""
        return {
            "rule": self.rule,
            "family": self.family,
            "case": self.case,
            "node": self.node,
            "activation": self.activation,
            "legacy": self.legacy,
            "candidate": self.candidate,
            "cause": self.cause,
            "mend": self.mend,
            "paths": list(self.paths),
            "schedule": self.schedule,
            "subject": self.subject,
        }


@dataclass(frozen=True)
class Flaky:
    """What differed between two runs of one engine under two schedules."""

    case: str
    side: str
    family: str
    node: str | None
    subject: str = ""
    what: str = field(compare=False, default="")

    def to_json(self) -> dict[str, Any]:
        """The evidence file's form."""
        return {
            "case": self.case,
            "side": self.side,
            "family": self.family,
            "node": self.node or self.subject,
            "what": self.what,
        }

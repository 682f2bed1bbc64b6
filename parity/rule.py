"""What a divergence rule is: one comparison of two observations, under an id that never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .divergence import Divergence
from .observation import Observation

Check = Callable[["BuiltIn", Observation, Observation], Iterable[Divergence]]


@runtime_checkable
class Rule(Protocol):
    """A rule. `needs` names what both engines must show for it to say anything (see `seen_parts`)."""

    @property
    def id(self) -> str:
        """The stable id that baselines name, as `GL101`."""
        ...

    @property
    def family(self) -> str:
        """The family whose verdict it belongs to."""
        ...

    @property
    def summary(self) -> str:
        """One line that says what differs."""
        ...

    @property
    def explanation(self) -> str:
        """Why it matters and how it comes about, for `--explain`."""
        ...

    @property
    def mend(self) -> str:
        """What to do about it."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The parts of an observation that it compares."""
        ...

    def check(self, legacy: Observation, candidate: Observation) -> Iterable[Divergence]:
        """The divergences between two observations of one case; `case` is filled in by the gate."""
        ...


@dataclass(frozen=True)
class BuiltIn:
    """A rule made of a function; the files of `parity.rules` each hold one."""

    id: str
    name: str
    family: str
    summary: str
    explanation: str
    mend: str
    function: Check
    needs: tuple[str, ...] = ()

    def check(self, legacy: Observation, candidate: Observation) -> Iterable[Divergence]:
        """Call the function."""
        return self.function(self, legacy, candidate)

    def found(self, node: str | None = None, **more: Any) -> Divergence:
        """A divergence of this rule."""
        return Divergence(self.id, self.family, node, **{"mend": self.mend, **more})


def seen_parts(observation: Observation) -> frozenset[str]:
    """What an observation shows: some of run, trace, success, data, nodes, events, checkpoints, shape."""
    parts = {"run"}
    outcome, broken = observation.outcome, observation.broken
    if observation.traced:
        parts.add("trace")
    if observation.traced or (outcome and outcome.nodes is not None):
        parts.add("runs")
    if observation.shape is not None:
        parts.add("shape")
    if broken or (outcome and outcome.success is not None):
        parts.add("success")
    for name in ("data", "nodes", "events", "checkpoints"):
        if outcome and getattr(outcome, name) is not None:
            parts.add(name)
    return frozenset(parts)

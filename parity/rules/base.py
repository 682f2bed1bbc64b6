"""What the rules share: the frozen `CheckedRule`, and how values and places are put into words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..model import Activation, Case, Divergence, NodeOutcome, Observation
from ..values import Value

Check = Callable[["CheckedRule", Case, Observation, Observation], Iterator[Divergence]]


@dataclass(frozen=True)
class CheckedRule:
    """A divergence rule made of its texts and one generator function."""

    id: str
    family: str
    summary: str
    explanation: str
    mend: str
    find: Check
    on_failures: bool = False

    def check(self, case: Case, legacy: Observation, candidate: Observation) -> list[Divergence]:
        """The differences of this kind. A run without a result is only looked at by the rules that are about that."""
        ended = legacy.ended == "result" and candidate.ended == "result"
        return list(self.find(self, case, legacy, candidate)) if ended or self.on_failures else []

    def found(
        self, case: Case, node: str | None, legacy: str, candidate: str, cause: str, activation: int | None = None
    ) -> Divergence:
        """A divergence of this rule."""
        return Divergence(self.id, case.id, node, activation, legacy, candidate, cause, self.mend)


def text_of(value: Value | None) -> str:
    """A value for a report; long ones are cut in the middle."""
    if value is None:
        return "nothing"
    text = json.dumps(value.shown, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:100]} … {text[-50:]}"


def before(trace: tuple[Activation, ...], activation: Activation) -> str | None:
    """The node whose end last happened before this activation began: what made it run, as far as a trace can tell."""
    ended = [item for item in trace if item.end is not None and item.end < activation.begin]
    return max(ended, key=lambda item: item.end or 0).node if ended else None


def both_nodes(legacy: Observation, candidate: Observation) -> Iterator[tuple[str, NodeOutcome, NodeOutcome]]:
    """Nodes that both engines show an outcome for, by name."""
    ours = legacy.outcome.nodes if legacy.outcome and legacy.outcome.nodes else {}
    theirs = candidate.outcome.nodes if candidate.outcome and candidate.outcome.nodes else {}
    for name in sorted(set(ours) & set(theirs)):
        yield name, ours[name], theirs[name]


def pairs(legacy: Observation, candidate: Observation) -> Iterator[tuple[Activation, Activation]]:
    """Activations of one node with one ordinal on both sides, by node and ordinal."""
    ours, theirs = legacy.runs(), candidate.runs()
    for name in sorted(set(ours) & set(theirs)):
        yield from zip(ours[name], theirs[name], strict=False)

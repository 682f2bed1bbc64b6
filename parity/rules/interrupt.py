"""GL144: a run pauses for a person at another place, asks something else, or pauses under one engine only."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation, RecordedOutcome
from ..recorded import shorten
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    if legacy.outcome is None or candidate.outcome is None:
        return
    one, other = legacy.outcome.interrupt, candidate.outcome.interrupt
    if one is None and other is None:
        return
    told = _told(legacy.outcome), _told(candidate.outcome)
    if told[0] != told[1] or (one and other and one[1].digest != other[1].digest):
        node = other[0] if other else one[0] if one else None
        cause = "the pause is at another node" if one and other and one[0] != other[0] else "only one engine pauses"
        same_node = one is not None and other is not None and one[0] == other[0]
        yield rule.found(
            node, legacy=told[0], candidate=told[1], cause="the person is asked something else" if same_node else cause
        )


def _told(outcome: RecordedOutcome) -> str:
    pause = outcome.interrupt
    return "no pause" if pause is None else f"{pause[0]} asks {shorten(pause[1])}"


RULE = BuiltIn(
    "GL144",
    "interrupt",
    "interrupt",
    "the pause for a person differs",
    """\
The node at which the run waits, and what the person is shown, are part of what callers see and store. A pause that only one
engine makes means that the other went on without an answer.""",
    "compile the human step with an interrupt that carries the same payload",
    _check,
    ("run",),
)

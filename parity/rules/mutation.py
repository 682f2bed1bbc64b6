"""GL160: a handler changed its input in place, and only one engine shows it."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Activation, Case, Divergence, Observation
from .base import CheckedRule, pairs


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for old, new in pairs(legacy, candidate):
        if old.mutated != new.mutated:
            one, other = _told(old), _told(new)
            cause = "one engine hands out the live state, the other a copy"
            yield rule.found(case, old.node, one, other, cause, old.ordinal)


def _told(run: Activation) -> str:
    return "changed its input in place" if run.mutated else "left its input alone"


RULE = CheckedRule(
    id="GL160",
    family="mutation",
    summary="a handler changes its input in place on one engine",
    explanation=(
        "A handler changed what it was given. Where the engine hands out the live state the change leaks to later nodes "
        "although the handler returned nothing; where it hands out a copy the change is lost."
    ),
    mend="let the handler return what it changes",
    find=_find,
)

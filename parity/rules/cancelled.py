"""GL145: an activation was cancelled under one engine only."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import is_cancelled, why_cancelled
from ..comparing import pairs
from ..divergence import Divergence
from ..observation import Activation, Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for one, other in pairs(legacy, candidate):
        if is_cancelled(one) == is_cancelled(other) or None in (one.end, other.end):
            continue
        run, item = (legacy, one) if is_cancelled(one) else (candidate, other)
        yield rule.found(
            one.node,
            activation=one.ordinal,
            legacy=_told(one),
            candidate=_told(other),
            cause=f"under the {run.side} engine {item.node} was cancelled: {why_cancelled(run, item)}",
            at=other.begin,
        )


def _told(item: Activation) -> str:
    return "was cancelled" if is_cancelled(item) else f"raised {item.raised}" if item.raised else "ran to its end"


RULE = BuiltIn(
    "GL145",
    "cancelled",
    "failure propagation",
    "a node was cancelled under one engine only",
    """\
When one of several parallel nodes fails, an engine may cancel the others or let them end. What a cancelled node had done by then
stays done (a payment, half a file), and its result is lost; asynchronous graphs cancel, synchronous ones do not. A time limit
that only one engine keeps shows here too.""",
    "let the siblings of a failure end, or shield what must not be cut short; keep time limits in one place",
    _check,
    ("trace",),
)

"""GL141: the candidate succeeds where the legacy engine fails. Never covered by anything but an entry of its own."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failures
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    if legacy.succeeded is not False or not candidate.succeeded:
        return
    if legacy.outcome is not None and legacy.outcome.interrupt is not None and not legacy.error:
        return
    failed = failures(legacy)
    yield rule.found(
        legacy=legacy.error or "failure without an error",
        candidate="success",
        cause=f"{as_text(failed)} failed under the legacy engine" if failed else "the legacy run as a whole failed",
    )


RULE = BuiltIn(
    "GL141",
    "candidate-succeeds",
    "failure propagation",
    "the candidate succeeds where the legacy engine fails",
    """\
A failure that the callers of the legacy engine see, and that the candidate swallows. It looks like an improvement and is the
most dangerous divergence: an error was the contract. It always fails the gate unless an entry names it; it is never covered
as derived from another one.""",
    "let the candidate fail in the same place, or list the divergence with the reason why success is right",
    _check,
    ("success",),
)

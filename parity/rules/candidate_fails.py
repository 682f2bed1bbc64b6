"""GL140: the candidate fails where the legacy engine succeeds."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failures
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    if not legacy.succeeded or candidate.succeeded is not False or _only_pauses(candidate):
        return
    failed = failures(candidate)
    yield rule.found(
        legacy="success",
        candidate=candidate.error or "failure without an error",
        cause=f"{as_text(failed)} failed under the candidate" if failed else "no node failed: the run as a whole did",
    )


def _only_pauses(run: Observation) -> bool:
    return run.outcome is not None and run.outcome.interrupt is not None and not run.error


RULE = BuiltIn(
    "GL140",
    "candidate-fails",
    "failure propagation",
    "the candidate fails where the legacy engine succeeds",
    """\
The run as a whole succeeds under the legacy engine and fails under the candidate. A walker that skips an unknown node with a
warning, or that loses the exception of a gathered task, is green where a strict engine is red.""",
    "mend what the cause names; where the legacy engine hides a failure, list the divergence as a legacy bug",
    _check,
    ("success",),
)

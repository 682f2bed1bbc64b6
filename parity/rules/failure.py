"""GL140 and GL141: the run failed otherwise, or the candidate succeeds where the legacy engine fails."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Case, Divergence, Observation, Outcome
from .base import CheckedRule

_FAILS = "fails where the legacy engine does not"


def _find_failure(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    old, new = legacy.outcome, candidate.outcome
    assert old
    assert new
    if old.success and not new.success:
        cause = "waits for a person, the legacy engine does not" if new.interrupt else _FAILS
        yield rule.found(case, None, "the run succeeded", _told(new), f"the candidate {cause}")
    elif not old.success and not new.success and _kind(old) != _kind(new):
        both = old.interrupt and new.interrupt
        cause = "the run waits at another node" if both else "the run ended with another error"
        yield rule.found(case, None, _told(old), _told(new), cause)


def _find_success(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    old, new = legacy.outcome, candidate.outcome
    assert old
    assert new
    if new.success and not old.success:
        what = "pause" if old.interrupt else "failure"
        yield rule.found(case, None, _told(old), "the run succeeded", f"a {what} of the legacy engine went missing")


def _kind(outcome: Outcome) -> tuple[str | None, str | None]:
    return outcome.error, outcome.interrupt


def _told(outcome: Outcome) -> str:
    if outcome.interrupt:
        return f"paused at {outcome.interrupt}"
    return f"failed: {outcome.error}" if outcome.error else "did not succeed, without an error"


FAILURE = CheckedRule(
    id="GL140",
    family="failure propagation",
    summary="the run failed on the candidate only, or with another error",
    explanation=(
        "The run as a whole fails, pauses or reports another error on the candidate. With several failing nodes the first "
        "in execution order is expected to be reported."
    ),
    mend="set the failure policy that the legacy engine has, and report the first error in execution order",
    find=_find_failure,
)
SUCCESS = CheckedRule(
    id="GL141",
    family="failure propagation",
    summary="the candidate succeeds where the legacy engine fails",
    explanation=(
        "Never taken as an improvement: a failure that goes missing is the worst thing a migration can do. If the legacy "
        "engine was wrong, list it as a known divergence with a reason."
    ),
    mend="find where the candidate drops the failure; list it only if the legacy engine was wrong",
    find=_find_success,
)

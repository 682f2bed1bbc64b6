"""Mutants of what is reported: statuses, errors, results and final state told wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..outcome import NodeEnd, Outcome
from .mutant import Mutant


def _ends(change: Callable[[NodeEnd], NodeEnd | None]) -> Callable[[Outcome], Outcome]:
    """Change how every node is said to have ended; None leaves it out."""

    def apply(outcome: Outcome) -> Outcome:
        ends = {name: change(end) for name, end in (outcome.nodes or {}).items()}
        return replace(outcome, nodes={name: end for name, end in ends.items() if end is not None})

    return apply


def _no_skipped(end: NodeEnd) -> NodeEnd | None:
    return None if end.status == "skipped" else end


def _skips_complete(end: NodeEnd) -> NodeEnd:
    return replace(end, status="completed") if end.status == "skipped" else end


def _failed_is_cancelled(end: NodeEnd) -> NodeEnd:
    return replace(end, status="cancelled") if end.status == "failed" else end


def _other_reason(end: NodeEnd) -> NodeEnd:
    return replace(end, reason="condition") if end.reason == "upstream-failed" else end


def _without_a_key(outcome: Outcome) -> Outcome:
    return replace(outcome, data=dict(sorted((outcome.data or {}).items())[1:]))


def _last_error(outcome: Outcome) -> Outcome:
    errors = [end.error for end in (outcome.nodes or {}).values() if end.error]
    return replace(outcome, error=errors[-1] if outcome.error and len(errors) > 1 else outcome.error)


OUTCOMES = (
    Mutant(
        "always-success", "a failed run is told as a success", outcome=lambda o: replace(o, success=True, error=None)
    ),
    Mutant("no-error", "the error of a failed run is lost", outcome=lambda o: replace(o, error=None)),
    Mutant("last-error", "of several errors the last one is told", outcome=_last_error),
    Mutant("no-skipped", "skipped nodes have no result", outcome=_ends(_no_skipped)),
    Mutant("skip-completes", "skipped nodes are told as completed", outcome=_ends(_skips_complete)),
    Mutant("failed-cancelled", "failed nodes are told as cancelled", outcome=_ends(_failed_is_cancelled)),
    Mutant("skip-reason", "nodes skipped for a failure are told as skipped by condition", outcome=_ends(_other_reason)),
    Mutant("lost-final-key", "a key of the final state is lost", outcome=_without_a_key),
    Mutant("no-outputs", "outputs are not kept", outcome=_ends(lambda end: replace(end, output=None))),
)

"""The divergence rules, one file each, registered through the hook `graphlift_rules`."""

from __future__ import annotations

from ...adapters.markers import hookimpl
from ..model import Rule

__all__ = ["builtin_rules", "graphlift_rules"]


def builtin_rules() -> tuple[Rule, ...]:
    """Every rule that graphlift ships, sorted by id."""
    from . import ending, failure, liveness, mutation, order, results, run_count, status, visibility

    return (
        run_count.RULE,
        visibility.RULE,
        order.RULE,
        status.RULE,
        failure.FAILURE,
        failure.SUCCESS,
        results.OUTPUTS,
        results.STATE,
        results.LOST,
        mutation.RULE,
        liveness.RULE,
        ending.RULE,
    )


@hookimpl
def graphlift_rules() -> list[Rule]:
    """The built-in rules."""
    return list(builtin_rules())

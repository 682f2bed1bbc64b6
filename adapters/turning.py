"""What one turn of a step in dependency style does: skip, run once, and whether it takes another turn.

Pure decisions: calls are asked for, never made (see `driving`). Both the reference executor and the compiled graph use it;
when a step's turn comes is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .activation import error_text
from .bindings import Bindings
from .driving import Calls, Work
from .dynamic import refuse_dynamic_routing
from .model import DependencyStep
from .results import NodeResult, NodeStatus
from .views import NodeView, OwnCopy
from .visiting import call_for, result_of

CONDITION = "condition"
UPSTREAM_FAILED = "upstream-failed"
RUN_ENDED = "run-ended"


class Turn(NamedTuple):
    """The step's result so far; `again` when its loop goes on."""

    result: NodeResult
    again: bool = False


def blocked(name: str, failed: Sequence[str]) -> NodeResult:
    """The result of a step that is skipped because dependencies failed, or were themselves skipped for that reason."""
    return NodeResult(name, NodeStatus.SKIPPED, runs=0, metadata={"reason": UPSTREAM_FAILED, "failed": list(failed)})


def is_failed(result: NodeResult) -> bool:
    """Whether a dependent of this result is blocked under `skip-dependents`."""
    if result.status is NodeStatus.SKIPPED:
        return result.metadata.get("reason") == UPSTREAM_FAILED
    return result.status in (NodeStatus.FAILED, NodeStatus.CANCELLED)


def unfinished(result: NodeResult) -> NodeResult:
    """A loop that was still going on when the run ended did not complete; any other result as it is."""
    if result.status is not NodeStatus.RUNNING:
        return result
    return replace(result, status=NodeStatus.CANCELLED, metadata={**result.metadata, "reason": RUN_ENDED})


def turn(step: DependencyStep, view: NodeView, bindings: Bindings, previous: NodeResult | None) -> Work[Turn]:
    """Take one turn. `previous` is the result of the turn before, for a loop step that goes on."""
    try:
        skip = previous is None and _skips(step, view, bindings)
        rounds = loop_max(step, view, bindings)
    except Exception as error:
        before = previous or NodeResult(step.name, NodeStatus.RUNNING, runs=0)
        return Turn(replace(before, status=NodeStatus.FAILED, error=error_text(error)))
    if skip:
        return Turn(NodeResult(step.name, NodeStatus.SKIPPED, runs=0, metadata={"reason": CONDITION}))
    (outcome,) = yield Calls((call_for(step, view, bindings),))
    result = result_of(step.name, refuse_dynamic_routing(outcome))
    if previous is not None:
        result = _added(previous, result)
    if result.status is not NodeStatus.COMPLETED or step.loop_until is None:
        return Turn(result)
    return _looped(step, view, bindings, result, rounds)


def _skips(step: DependencyStep, view: NodeView, bindings: Bindings) -> bool:
    rule = bindings.rule(step.name, "when")
    return rule is not None and not refuse_dynamic_routing(rule(view))


def loop_max(step: DependencyStep, view: NodeView, bindings: Bindings) -> int:
    """How many turns the step may take. Raises ValueError when its expression gives anything but a count from 1."""
    if step.loop_until is None:
        return 1
    rule = bindings.rule(step.name, "loop_max")
    rounds = step.loop_max if rule is None else rule(view)
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise ValueError(f"loop_max of {step.name!r} must be a whole number from 1, not {rounds!r}")
    return rounds


def _added(before: NodeResult, result: NodeResult) -> NodeResult:
    return replace(
        result,
        runs=before.runs + 1,
        duration_seconds=before.duration_seconds + result.duration_seconds,
        tool_calls_used=before.tool_calls_used + result.tool_calls_used,
    )


def _looped(step: DependencyStep, view: NodeView, bindings: Bindings, result: NodeResult, rounds: int) -> Turn:
    rule = bindings.rules[step.name, "loop_until"]
    try:
        done = bool(refuse_dynamic_routing(rule(_with_own(view, result))))
    except Exception as error:
        return Turn(replace(result, status=NodeStatus.FAILED, error=error_text(error)))
    if done:
        return Turn(result)
    if result.runs >= rounds:
        return Turn(replace(result, metadata={**result.metadata, "exhausted": True}))
    return Turn(replace(result, status=NodeStatus.RUNNING), again=True)


def _with_own(view: NodeView, result: NodeResult) -> NodeView:
    """The view after the turn: the step's own output is there for its loop_until."""
    results: Mapping[str, Any] = OwnCopy({**dict(view.results), view.node: result.output})
    status = {**dict(view.status), view.node: NodeStatus.COMPLETED.value}
    return NodeView(view.node, view.inputs, view.data, results, status, view.iteration)

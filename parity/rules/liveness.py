"""GL170: the run ended normally, but a node that was due never ran; fails even where both engines agree."""

from __future__ import annotations

from collections.abc import Iterator

from ...adapters.model import ConditionNode, DependencyWorkflow, ParallelNode, SuccessorWorkflow
from ..model import Case, Divergence, Observation, Outcome
from .base import CheckedRule
from .status import SAME


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    ours, theirs = (_dead(case.definition, side.outcome) for side in (legacy, candidate))
    for node in sorted(set(ours) | set(theirs)):
        cause = ours.get(node) or theirs.get(node) or ""
        yield rule.found(case, node, _told(node, ours), _told(node, theirs), cause)


def _told(node: str, dead: dict[str, str]) -> str:
    return "was due and never ran" if node in dead else "ran"


def _dead(definition: object, outcome: Outcome | None) -> dict[str, str]:
    """Nodes that were due and have no outcome, each with the edge that made it due."""
    if outcome is None or not outcome.success or outcome.nodes is None:
        return {}
    ended = {name for name, node in outcome.nodes.items() if SAME.get(node.status, node.status) == "completed"}
    due: dict[str, str] = {}
    if isinstance(definition, DependencyWorkflow):
        for step in definition.steps:
            waits = ", ".join(step.depends_on)
            due[step.name] = f"all it depends on has finished ({waits})" if waits else "it depends on nothing"
    elif isinstance(definition, SuccessorWorkflow):
        due[definition.start] = "it is the start"
        for node in definition.nodes:
            if node.name not in ended:
                continue
            if isinstance(node, ConditionNode):
                # Which branch is due is known from the node's own verdict, where the engine shows it.
                verdict = outcome.nodes[node.name].output
                target = node.branches.get(str(verdict.shown), node.default) if verdict else None
                targets: tuple[str, ...] = (target,) if target else ()
            else:
                targets = node.next
            due.update(dict.fromkeys(targets, f"{node.name} has finished and leads to it"))
            if isinstance(node, ParallelNode):
                due = {name: why for name, why in due.items() if name not in node.branches}
    return {name: why for name, why in due.items() if name not in outcome.nodes}


RULE = CheckedRule(
    id="GL170",
    family="liveness",
    summary="the run ended normally, but a node that was due never ran",
    explanation=(
        "A join whose sources cannot all arrive (one of them was never chosen by a router) holds its writes for ever; the "
        "node behind it and everything after it never run, and no error is raised. Reported even where both engines agree. "
        "Needs a neutral workflow as the case's definition; for anything else nothing is claimed."
    ),
    mend="let skipped steps complete (a `when` on the step), or release the join inclusively",
    find=_find,
)

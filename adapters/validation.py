"""What every definition must satisfy, under any traversal. Each error names the step and the mend.

Pure functions over the model; nothing here knows LangGraph or handlers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from .errors import WorkflowError
from .expressions import parse_expression
from .graphs import find_cycle
from .names import reserved

if TYPE_CHECKING:
    from .model import AnyNode, DependencyWorkflow, ParallelNode, SuccessorWorkflow


class DefinitionError(WorkflowError):
    """A definition is wrong at one of its steps: `step` names it, so that a loader can say in which line that is."""

    step: str | None = None


def wrong(workflow: str, step: str | None, message: str, mend: str) -> DefinitionError:
    """An error about one step, or about the whole workflow."""
    error = DefinitionError(f"workflow {workflow!r}: {message}", mend=mend)
    error.step = step
    return error


def check_successor(workflow: SuccessorWorkflow) -> None:
    """Raise WorkflowError for the first thing wrong with a workflow in successor style."""
    check_names(workflow.name, [node.name for node in workflow.nodes])
    nodes = workflow.by_name()
    owners: dict[str, str] = {}
    _known(workflow.name, None, "start", workflow.start, nodes)
    for node in workflow.nodes:
        for target in node.next:
            _known(workflow.name, node.name, f"node {node.name!r}: next", target, nodes)
        if node.kind == "parallel":
            _check_group(workflow.name, node, nodes, owners)
    _check_entries(workflow, owners)


def _check_group(workflow: str, group: ParallelNode, nodes: Mapping[str, AnyNode], owners: dict[str, str]) -> None:
    what = f"parallel node {group.name!r}"
    for branch in group.branches:
        _known(workflow, group.name, f"{what}: branch", branch, nodes)
        node = nodes[branch]
        if owners.get(branch) == group.name:
            raise wrong(workflow, group.name, f"{what}: branch {branch!r} is listed twice", "list every branch once")
        if branch in owners:
            also = f"{what}: branch {branch!r} is also a branch of {owners[branch]!r}"
            raise wrong(workflow, group.name, also, "give each group its own task nodes")
        if node.kind != "task":
            mend = "a branch is one task; put conditions, groups and people after the join"
            raise wrong(workflow, group.name, f"{what}: branch {branch!r} is a {node.kind} node", mend)
        if node.next:
            mend = f"move it to the next of {group.name!r}: a branch ends at the join"
            raise wrong(workflow, branch, f"{what}: branch {branch!r} has a next of its own", mend)
        owners[branch] = group.name


def _check_entries(workflow: SuccessorWorkflow, owners: Mapping[str, str]) -> None:
    """Nothing but its group may lead to a branch."""
    arrows = [("start", workflow.start), *((node.name, target) for node in workflow.nodes for target in node.next)]
    for source, target in arrows:
        if target in owners:
            raise wrong(
                workflow.name,
                source,
                f"{source!r} leads to {target!r}, a branch of the parallel node {owners[target]!r}",
                f"lead to {owners[target]!r} instead, or take {target!r} out of its branches",
            )


def check_dependency(workflow: DependencyWorkflow) -> None:
    """Raise WorkflowError for the first thing wrong with a workflow in dependency style."""
    check_names(workflow.name, [step.name for step in workflow.steps])
    steps = workflow.by_name()
    for step in workflow.steps:
        for needed in step.depends_on:
            if needed == step.name:
                mend = "remove it from depends_on; to repeat a step, give it loop_until"
                raise wrong(workflow.name, step.name, f"step {step.name!r} depends on itself", mend)
            _known(workflow.name, step.name, f"step {step.name!r}: depends_on", needed, steps)
        if isinstance(step.loop_max, str):
            _check_bound(workflow.name, step.name, step.loop_max)
    cycle = find_cycle({name: step.depends_on for name, step in steps.items()})
    if cycle:
        path = " -> ".join([*cycle, cycle[0]])
        raise wrong(
            workflow.name,
            cycle[0],
            f"steps depend on each other in a cycle, so none of their joins can ever fill: {path}",
            "cut one of these dependencies; to repeat a step, give it loop_until",
        )


def _check_bound(workflow: str, step: str, text: str) -> None:
    """Unlike the other rules, `loop_max` as a text is never the name of a condition: it can be checked without the code."""
    try:
        parse_expression(text, ("inputs",))
    except WorkflowError as error:
        raise wrong(workflow, step, f"loop_max of {step!r}: {error.message}", error.mend or "") from error


def check_names(workflow: str, names: Iterable[str]) -> None:
    """Raise WorkflowError for a duplicate or reserved name."""
    seen: set[str] = set()
    for name in names:
        clash = reserved(name)
        if clash:
            mend = "rename the step; names that begin so are wiring and would be hidden"
            raise wrong(workflow, name, f"the step name {name!r} is reserved ({clash!r})", mend)
        if name in seen:
            raise wrong(workflow, name, f"two steps are named {name!r}", "rename one of them")
        seen.add(name)


def _known(workflow: str, step: str | None, what: str, name: str, known: Mapping[str, object]) -> None:
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    mend = f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(list(known)[:20])}"
    raise wrong(workflow, step, f"{what} names {name!r}, which is not a step", mend)

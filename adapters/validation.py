"""What every definition must satisfy, under any traversal. Each error names the step and the mend.

Pure functions over the model; nothing here knows LangGraph or handlers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from .errors import WorkflowError
from .names import reserved

if TYPE_CHECKING:
    from .model import AnyNode, DependencyStep, DependencyWorkflow, ParallelNode, SuccessorWorkflow


def check_successor(workflow: SuccessorWorkflow) -> None:
    """Raise WorkflowError for the first thing wrong with a workflow in successor style."""
    check_names(workflow.name, [node.name for node in workflow.nodes])
    nodes = workflow.by_name()
    _known(workflow.name, "start", workflow.start, nodes)
    for node in workflow.nodes:
        for target in node.next:
            _known(workflow.name, f"node {node.name!r}: next", target, nodes)
        if node.kind == "parallel":
            _check_group(workflow, node)
    owners = {branch: node.name for node in workflow.nodes if node.kind == "parallel" for branch in node.branches}
    for source, target in _arrows(workflow):
        if target in owners:
            raise WorkflowError(
                f"workflow {workflow.name!r}: {source} leads to {target!r}, a branch of the parallel node {owners[target]!r}",
                mend=f"lead to {owners[target]!r} instead, or take {target!r} out of its branches",
            )


def _arrows(workflow: SuccessorWorkflow) -> Iterable[tuple[str, str]]:
    yield "start", workflow.start
    for node in workflow.nodes:
        for target in node.next:
            yield f"node {node.name!r}", target


def _check_group(workflow: SuccessorWorkflow, group: ParallelNode) -> None:
    nodes = workflow.by_name()
    where = f"workflow {workflow.name!r}: parallel node {group.name!r}"
    others = [node for node in workflow.nodes if node.kind == "parallel" and node.name != group.name]
    if len(set(group.branches)) != len(group.branches):
        raise WorkflowError(f"{where}: a branch is listed twice", mend="list every branch once")
    for branch in group.branches:
        _known(workflow.name, f"parallel node {group.name!r}: branch", branch, nodes)
        node = nodes[branch]
        if node.kind != "task":
            raise WorkflowError(
                f"{where}: branch {branch!r} is a {node.kind} node",
                mend="a branch is one task; put conditions, groups and people after the join",
            )
        if node.next:
            raise WorkflowError(
                f"{where}: branch {branch!r} has a next of its own",
                mend=f"move it to the next of {group.name!r}: a branch ends at the join",
            )
        shared = next((other.name for other in others if branch in other.branches), None)
        if shared:
            raise WorkflowError(
                f"{where}: branch {branch!r} is also a branch of {shared!r}", mend="give each group its own task nodes"
            )


def visited_nodes(workflow: SuccessorWorkflow) -> list[AnyNode]:
    """The nodes that the traversal itself visits: all but the branches of parallel groups."""
    branches = {name for node in workflow.nodes if node.kind == "parallel" for name in node.branches}
    return [node for node in workflow.nodes if node.name not in branches]


def check_dependency(workflow: DependencyWorkflow) -> None:
    """Raise WorkflowError for the first thing wrong with a workflow in dependency style."""
    check_names(workflow.name, [step.name for step in workflow.steps])
    steps = workflow.by_name()
    for step in workflow.steps:
        for needed in step.depends_on:
            if needed == step.name:
                raise WorkflowError(
                    f"workflow {workflow.name!r}: step {step.name!r} depends on itself",
                    mend="remove it from depends_on; to repeat a step, give it loop_until",
                )
            _known(workflow.name, f"step {step.name!r}: depends_on", needed, steps)
    cycle = find_cycle({name: step.depends_on for name, step in steps.items()})
    if cycle:
        path = " -> ".join([*cycle, cycle[0]])
        raise WorkflowError(
            f"workflow {workflow.name!r}: steps depend on each other in a cycle, so none of their joins can ever fill: {path}",
            mend="cut one of these dependencies; to repeat a step, give it loop_until",
        )


def check_names(workflow: str, names: Iterable[str]) -> None:
    """Raise WorkflowError for a duplicate or reserved name."""
    seen: set[str] = set()
    for name in names:
        clash = reserved(name)
        if clash:
            raise WorkflowError(
                f"workflow {workflow!r}: the step name {name!r} is reserved ({clash!r})",
                mend="rename the step; names that begin so are wiring and would be hidden",
            )
        if name in seen:
            raise WorkflowError(f"workflow {workflow!r}: two steps are named {name!r}", mend="rename one of them")
        seen.add(name)


def _known(workflow: str, what: str, name: str, known: Mapping[str, object]) -> None:
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    mend = f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(list(known)[:20])}"
    raise WorkflowError(f"workflow {workflow!r}: {what} names {name!r}, which is not a step", mend=mend)


def find_cycle(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of one cycle in order of the edges, or an empty list. Iterative: deep chains are ordinary here."""
    done: set[str] = set()
    for root in edges:
        path: list[str] = []
        on_path: set[str] = set()
        stack = [(root, iter(edges.get(root, ())))] if root not in done else []
        if stack:
            path, on_path = [root], {root}
        while stack:
            name, rest = stack[-1]
            target = next((item for item in rest if item not in done), None)
            if target is None:
                stack.pop()
                done.add(path.pop())
                on_path.discard(name)
            elif target in on_path:
                return path[path.index(target) :]
            else:
                path.append(target)
                on_path.add(target)
                stack.append((target, iter(edges.get(target, ()))))
    return []


def ancestors(steps: Mapping[str, DependencyStep]) -> dict[str, int]:
    """For each step a bit mask (bit i: the i-th declared step) of what it waits for, directly or not."""
    bit = {name: 1 << index for index, name in enumerate(steps)}
    masks: dict[str, int] = {}
    for name in topological(steps):
        mask = 0
        for needed in steps[name].depends_on:
            mask |= masks[needed] | bit[needed]
        masks[name] = mask
    return masks


def topological(steps: Mapping[str, DependencyStep]) -> list[str]:
    """Names so that every step comes after its dependencies; ties in declaration order, wave by wave."""
    left = {name: len(set(step.depends_on)) for name, step in steps.items()}
    dependents = dependents_of(steps)
    order = [name for name, count in left.items() if not count]
    for name in order:
        for dependent in dependents[name]:
            left[dependent] -= 1
            if not left[dependent]:
                order.append(dependent)
    return order


def dependents_of(steps: Mapping[str, DependencyStep]) -> dict[str, list[str]]:
    """For each step the steps that name it in `depends_on`, in declaration order, once."""
    dependents: dict[str, list[str]] = {name: [] for name in steps}
    for name, step in steps.items():
        for needed in dict.fromkeys(step.depends_on):
            dependents[needed].append(name)
    return dependents

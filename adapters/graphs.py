"""Questions about a workflow's shape: cycles, order, ancestors, dependents. Pure, iterative, independent of any engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import AnyNode, DependencyStep, SuccessorWorkflow


def visited_nodes(workflow: SuccessorWorkflow) -> list[AnyNode]:
    """The nodes that the traversal itself visits: all but the branches of parallel groups."""
    branches = {name for node in workflow.nodes if node.kind == "parallel" for name in node.branches}
    return [node for node in workflow.nodes if node.name not in branches]


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

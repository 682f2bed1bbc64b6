"""The graph of a case's workflow, as far as causes and the order of things need it: who waits for whom, what may not run.

Read from graphlift's own workflows, or from a case's `edges`. A case that has neither has no shape, and causes say less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..adapters.model import (
    ConditionNode,
    DependencyWorkflow,
    ParallelNode,
    SuccessorWorkflow,
    Workflow,
    parse_workflow,
)

if TYPE_CHECKING:
    from .case import Case


@dataclass(frozen=True)
class Shape:
    """`sources` are each node's in-edges. `optional` are edges (source, target) that a run may leave untaken.

    `loops` are steps that repeat, with their greatest count where it is a number. `groups` says in which parallel group a
    branch runs. `stepwise`: one node runs at a time, in an order that is part of the definition's meaning.
    """

    sources: Mapping[str, tuple[str, ...]]
    optional: frozenset[tuple[str, str]] = frozenset()
    routes: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    loops: Mapping[str, int | None] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    stepwise: bool = False
    joins: bool = True

    @cached_property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """Each node's out-edges."""
        found: dict[str, list[str]] = {}
        for node, names in self.sources.items():
            for name in names:
                found.setdefault(name, []).append(node)
        return {node: tuple(names) for node, names in found.items()}

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """Every node that comes before each node on some path; in a cycle a node comes before itself."""
        found: dict[str, frozenset[str]] = {}
        for node in self.sources:
            seen: set[str] = set()
            stack = list(self.sources[node])
            while stack:
                name = stack.pop()
                if name not in seen:
                    seen.add(name)
                    stack.extend(self.sources.get(name, ()))
            found[node] = frozenset(seen)
        return found

    @cached_property
    def depths(self) -> Mapping[str, int]:
        """The length of the longest path to each node from a node without sources; 0 inside a cycle."""
        depths: dict[str, int] = {}
        pending = {node: {name for name in names if name in self.sources} for node, names in self.sources.items()}
        depth = 0
        while ready := [node for node, waits in pending.items() if not waits]:
            for node in ready:
                depths[node] = depth
                del pending[node]
            for waits in pending.values():
                waits.difference_update(ready)
            depth += 1
        return {**depths, **dict.fromkeys(pending, 0)}

    def comes_after(self, node: str, other: str) -> bool:
        """Whether what `other` does can reach `node`."""
        if node == other:
            return True
        group = self.groups.get(node, node)
        known = self.ancestors.get(group, frozenset()) | self.ancestors.get(node, frozenset())
        return bool({other, self.groups.get(other, other)} & known) or self.groups.get(other) == node

    def is_ordered(self, one: str, other: str) -> bool:
        """Whether the definition says that `one` has ended before `other` begins."""
        if one == other:
            return False
        if self.stepwise:
            together = self.groups.get(one) is not None and self.groups.get(one) == self.groups.get(other)
            return not together and self.groups.get(one) != other and self.groups.get(other) != one
        return self.comes_after(other, one) and not self.comes_after(one, other)


def shape_of(case: Case) -> Shape | None:
    """The shape of a case's workflow, None when nothing tells it."""
    if case.edges is not None:
        return _from_edges(case.edges)
    workflow = workflow_in(case)
    if isinstance(workflow, DependencyWorkflow):
        return _of_dependency(workflow)
    return None if workflow is None else _of_successor(workflow)


def workflow_in(case: Case) -> Workflow | None:
    """The case's definition where it is one of graphlift's own workflows, as an object or as data."""
    definition = case.definition
    if isinstance(definition, Mapping) and definition.get("style") in ("successor", "dependency"):
        return parse_workflow(dict(definition))
    return definition if isinstance(definition, (SuccessorWorkflow, DependencyWorkflow)) else None


def _from_edges(edges: Mapping[str, Iterable[str]]) -> Shape:
    """A source written `name?` is an edge that a run may leave untaken."""
    sources: dict[str, tuple[str, ...]] = {}
    optional: set[tuple[str, str]] = set()
    for node, names in edges.items():
        told = tuple(dict.fromkeys(name.removesuffix("?") for name in names))
        sources[node] = told
        optional.update((name.removesuffix("?"), node) for name in names if name.endswith("?"))
        for name in told:
            sources.setdefault(name, ())
    return Shape(sources, frozenset(optional))


def _of_dependency(workflow: DependencyWorkflow) -> Shape:
    loops = {s.name: s.loop_max if isinstance(s.loop_max, int) else None for s in workflow.steps if s.loop_until}
    return Shape({step.name: tuple(dict.fromkeys(step.depends_on)) for step in workflow.steps}, loops=loops)


def _of_successor(workflow: SuccessorWorkflow) -> Shape:
    groups = {name: node.name for node in workflow.nodes if isinstance(node, ParallelNode) for name in node.branches}
    sources: dict[str, list[str]] = {node.name: [] for node in workflow.nodes}
    optional: set[tuple[str, str]] = set()
    routes: dict[str, dict[str, str | None]] = {}
    for node in workflow.nodes:
        for target in node.next:
            sources[target].append(node.name)
            if isinstance(node, ConditionNode):
                optional.add((node.name, target))
        if isinstance(node, ConditionNode):
            routes[node.name] = {**node.branches, "": node.default}
    edges = {name: tuple(dict.fromkeys(names)) for name, names in sources.items()}
    return Shape(edges, frozenset(optional), routes, groups=groups, stepwise=True, joins=False)


def as_text(names: Iterable[Any]) -> str:
    """`a, b and c`."""
    told = [str(name) for name in names]
    return told[0] if len(told) == 1 else ", ".join(told[:-1]) + " and " + told[-1] if told else "nothing"

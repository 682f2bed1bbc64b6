"""The paths of a workflow that a run can take: edges, branch labels, joins, skips, failures, loops; and those that one run took.

Read from graphlift's own workflows; from a case's `edges` only edges, joins and failures are known. Nothing here runs or judges.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..adapters.model import DependencyWorkflow, SuccessorWorkflow, Workflow
from .causes import failures
from .comparing import chosen, leads, ran
from .observation import Observation
from .shape import Shape, as_text

KINDS = ("edges", "branch labels", "joins", "skip paths", "failure paths", "loops")

MOST_COMBINATIONS = 512
"""Of labels, above which every join is taken to be possible."""


@dataclass(frozen=True, order=True)
class Path:
    """One path of one workflow, in words: `edges` `price -> pay`."""

    workflow: str
    kind: str
    text: str


def of_workflow(name: str, workflow: Workflow, shape: Shape) -> Iterator[Path]:
    """Every path of a workflow."""
    for kind, text in (*_of_shape(shape), *_of_steps(workflow)):
        yield Path(name, kind, text)


def of_shape(name: str, shape: Shape) -> Iterator[Path]:
    """The paths that edges alone tell."""
    failing = (("failure paths", f"{node} fails") for node in shape.sources)
    for kind, text in (*_of_shape(shape), *failing):
        yield Path(name, kind, text)


def _of_shape(shape: Shape) -> Iterator[tuple[str, str]]:
    possible = _possible_joins(shape)
    for node, sources in shape.sources.items():
        plain = [source for source in sources if source not in shape.routes]
        yield from (("edges", f"{source} -> {node}") for source in plain)
        if len(sources) > 1 and node in possible:
            yield "joins", _join(node, sources)
    for branch, group in shape.groups.items():
        yield "edges", f"{group} -> {branch}"
    for group, branches in _groups(shape).items():
        yield "joins", _join(group, branches)


def _possible_joins(shape: Shape) -> set[str]:
    """The nodes that two sources can lead to in one run: branches of one condition never both do."""
    picks = [sorted({to for to in routes.values() if to is not None}) for routes in shape.routes.values()]
    if math.prod(len(targets) + 1 for targets in picks) > MOST_COMBINATIONS:
        return set(shape.sources)
    found: set[str] = set()
    for chosen_ones in itertools.product(*([*targets, ""] for targets in picks)):
        found |= _joined(shape, dict(zip(shape.routes, chosen_ones, strict=True)))
    return found


def _joined(shape: Shape, picked: Mapping[str, str]) -> set[str]:
    """The nodes that two sources lead to where each condition picks this target."""
    came: dict[str, set[str]] = {node: set() for node, sources in shape.sources.items() if not sources}
    if not came:
        return set(shape.sources)  # all in cycles: nothing tells where a run starts
    stack = list(came)
    while stack:
        source = stack.pop()
        for node in shape.targets.get(source, ()):
            if (source not in picked or picked[source] == node) and source not in came.setdefault(node, set()):
                came[node].add(source)
                stack.append(node)
    return {node for node, sources in came.items() if len(sources) > 1}


def _groups(shape: Shape) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for branch, group in shape.groups.items():
        found.setdefault(group, []).append(branch)
    return found


def _join(node: str, sources: Any) -> str:
    return f"{node} after {as_text(sources)}"


def _of_steps(workflow: Workflow) -> Iterator[tuple[str, str]]:
    if isinstance(workflow, SuccessorWorkflow):
        for node in workflow.nodes:
            if node.kind == "task":
                yield "failure paths", f"{node.name} fails"
            elif node.kind == "condition":
                yield from (("branch labels", _label(node.name, label, to)) for label, to in node.branches.items())
                if node.default is not None:
                    yield "branch labels", _label(node.name, "", node.default)
        return
    for step in workflow.steps:
        yield "failure paths", f"{step.name} fails"
        if step.when:
            yield "skip paths", f"{step.name} is skipped"
        if step.loop_until and step.loop_max != 1:
            yield "loops", f"{step.name} repeats"
        if step.loop_until and isinstance(step.loop_max, int):
            yield "loops", f"{step.name} ends at its bound"


def _label(node: str, label: str, to: str | None) -> str:
    return f"{node}: {label or 'any other label'} -> {to or 'the end'}"


def taken(name: str, workflow: Workflow | None, shape: Shape, run: Observation) -> Iterator[Path]:
    """The paths that a run took, as far as it shows them; some may be none of the workflow's."""
    for kind, text in _taken(workflow, shape, run):
        yield Path(name, kind, text)


def _taken(workflow: Workflow | None, shape: Shape, run: Observation) -> Iterator[tuple[str, str]]:
    there = {node for node in {*shape.sources, *shape.groups} if ran(run, node)}
    for node, sources in shape.sources.items():
        if node not in there:
            continue
        came = [source for source in sources if leads(run, shape, source, node)]
        yield from (("edges", f"{source} -> {node}") for source in came)
        if len(came) > 1:
            yield "joins", _join(node, sources)
    for branch, group in shape.groups.items():
        if branch in there:
            yield "edges", f"{group} -> {branch}"
    for group, branches in _groups(shape).items():
        if len(branches) == sum(branch in there for branch in branches):
            yield "joins", _join(group, branches)
    yield from (("failure paths", f"{node} fails") for node in failures(run))
    for node, routes in shape.routes.items():
        label = chosen(run, node)
        if label is not None:
            known = label if label in routes else ""
            yield "branch labels", _label(node, known, routes.get(known))
    if isinstance(workflow, DependencyWorkflow):
        yield from _steps_taken(workflow, run)


def _steps_taken(workflow: DependencyWorkflow, run: Observation) -> Iterator[tuple[str, str]]:
    failed = failures(run)
    for step in workflow.steps:
        end = run.ends.get(step.name)
        skipped = end.status == "skipped" if end else bool(run.succeeded) and not ran(run, step.name)
        if step.when and skipped and not failed:
            yield "skip paths", f"{step.name} is skipped"
        turns = run.runs(step.name) or 0
        if step.loop_until and turns > 1:
            yield "loops", f"{step.name} repeats"
        if step.loop_until and turns == step.loop_max:
            yield "loops", f"{step.name} ends at its bound"

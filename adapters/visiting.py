"""What one visit to a node in successor style does: its result, what it changes in the shared data, where it leads.

Pure decisions: calls are asked for, never made (see `driving`). Both the reference walker and the compiled graph use it; the
order in which nodes are visited is theirs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .activation import Call, Outcome, error_text
from .bindings import Bindings
from .driving import Ask, Calls, Work
from .dynamic import refuse_dynamic_routing
from .model import AnyNode, ConditionNode, DependencyStep, HumanNode, ParallelNode, TaskNode
from .results import NodeResult, NodeStatus
from .views import NodeView


class Visit(NamedTuple):
    """The result of a node, the keys of the shared data that it sets, and the nodes that come next."""

    result: NodeResult
    changes: Mapping[str, Any] = MappingProxyType({})
    targets: tuple[str, ...] = ()


def visit(node: AnyNode, view: NodeView, bindings: Bindings) -> Work[Visit]:
    """Visit one node."""
    if isinstance(node, TaskNode):
        return _task(node, view, bindings)
    if isinstance(node, ConditionNode):
        return _condition(node, view, bindings)
    if isinstance(node, ParallelNode):
        return _parallel(node, [bindings.tasks[name] for name in node.branches], view, bindings)
    return _human(node)


def call_for(task: TaskNode | DependencyStep, view: NodeView, bindings: Bindings) -> Call:
    """The call of a step's own handler."""
    return Call(task.name, bindings.handlers[task.name], view, task.timeout, task.retries, task.backoff)


def result_of(name: str, outcome: Outcome) -> NodeResult:
    """A node's result from the outcome of its one call."""
    attempts = {"attempts": outcome.attempts} if outcome.attempts > 1 else {}
    return NodeResult(
        name,
        outcome.status,
        output=outcome.output,
        error=outcome.error,
        duration_seconds=outcome.duration,
        tool_calls_used=outcome.tool_calls,
        metadata={**outcome.metadata, **attempts},
    )


def _task(node: TaskNode, view: NodeView, bindings: Bindings) -> Work[Visit]:
    (outcome,) = yield Calls((call_for(node, view, bindings),))
    outcome = refuse_dynamic_routing(outcome)
    result = result_of(node.name, outcome)
    return Visit(result, changes_of(outcome), node.next) if outcome.success else Visit(result)


def changes_of(outcome: Outcome) -> Mapping[str, Any]:
    """What an output changes in the shared data: a mapping its keys, anything else nothing."""
    return dict(outcome.output) if isinstance(outcome.output, Mapping) else {}


def label_of(verdict: Any) -> str:
    """The label that a verdict picks: a text itself, `true` / `false` / `none`, anything else as its text."""
    if verdict is None or isinstance(verdict, bool):
        return str(verdict).lower()
    return str(verdict)


def _condition(node: ConditionNode, view: NodeView, bindings: Bindings) -> Work[Visit]:
    yield from ()
    rule = bindings.rules[node.name, "condition"]
    started = time.perf_counter()
    try:
        label = label_of(refuse_dynamic_routing(rule(view)))
    except Exception as error:
        seconds = time.perf_counter() - started
        return Visit(NodeResult(node.name, NodeStatus.FAILED, error=error_text(error), duration_seconds=seconds))
    target = node.branches.get(label, node.default)
    result = NodeResult(
        node.name,
        NodeStatus.COMPLETED,
        output=label,
        duration_seconds=time.perf_counter() - started,
        metadata={"target": target},
    )
    return Visit(result, targets=() if target is None else (target,))


def _human(node: HumanNode) -> Work[Visit]:
    answer = yield Ask(node.name, {"node": node.name, "prompt": node.prompt})
    changes = dict(answer) if isinstance(answer, Mapping) else {}
    return Visit(NodeResult(node.name, NodeStatus.COMPLETED, output=answer), changes, node.next)


def _parallel(node: ParallelNode, branches: Sequence[TaskNode], view: NodeView, bindings: Bindings) -> Work[Visit]:
    started = time.perf_counter()
    calls = tuple(call_for(branch, branch_view(view, branch.name), bindings) for branch in branches)
    outcomes = yield Calls(calls, node.max_concurrency)
    outcomes = tuple(refuse_dynamic_routing(outcome) for outcome in outcomes)
    children = tuple(result_of(branch.name, outcome) for branch, outcome in zip(branches, outcomes, strict=True))
    error = join_error(node.join, children)
    succeeded = [(branch.name, outcome) for branch, outcome in zip(branches, outcomes, strict=True) if outcome.success]
    result = NodeResult(
        node.name,
        NodeStatus.COMPLETED if error is None else NodeStatus.FAILED,
        output={name: outcome.output for name, outcome in succeeded} if error is None else None,
        error=error,
        duration_seconds=time.perf_counter() - started,
        tool_calls_used=sum(child.tool_calls_used for child in children),
        children=children,
    )
    if error is not None:
        return Visit(result)
    return Visit(result, merge_branches(view.data, [changes_of(outcome) for _, outcome in succeeded]), node.next)


def branch_view(view: NodeView, branch: str) -> NodeView:
    """The group's view for one branch: every branch starts from the same data, whatever the others do."""
    return NodeView(branch, view.inputs, view.data, view.results, view.status, view.iteration)


def join_error(join: str, children: Sequence[NodeResult]) -> str | None:
    """The error with which a group ends under its join, None when it goes on."""
    failed = [child for child in children if not child.success]
    if not failed or join == "merge" or (join == "any" and len(failed) < len(children)):
        return None
    return failed[0].error


def merge_branches(base: Mapping[str, Any], branches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the branches changed, joined in declaration order.

    A key that a branch gives back as it was is no change: a branch that returns a whole copy of the shared data must not
    undo what another one wrote.
    """
    return {
        key: value
        for changes in branches
        for key, value in changes.items()
        if key not in base or not same(base[key], value)
    }


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; values that cannot be compared to a truth are not."""
    if left is right:
        return True
    try:
        return type(left) is type(right) and bool(left == right)
    except Exception:
        return False

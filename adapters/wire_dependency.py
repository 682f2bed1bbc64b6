"""The traversal `dependency` as LangGraph edges (ADR-062): each step once, after every one of its dependencies.

One dependency is a plain edge, several are one waiting edge. A loop step repeats through a self-edge and leaves through an
exit node, which is wiring and never surfaces. One function adds all edges.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from typing import Any

from langgraph.constants import TAG_HIDDEN
from langgraph.graph import END, START, StateGraph

from .barrier import own_barriers
from .bindings import Bindings
from .graphs import ancestors, dependents_of
from .model import DependencyStep, DependencyWorkflow
from .names import encode, exit_node
from .nodes import Written, step_node
from .oracle_dependency import FailurePolicy
from .packing import Unpacked
from .records import Outputs, Record, Statuses, from_record, to_record
from .results import NodeResult, NodeStatus
from .scope import RunScope
from .state import DependencyState
from .turning import blocked, is_failed, turn
from .views import NodeView, OwnCopy, Visible


class DependencySteps:
    """What every step of one compiled workflow does when its turn comes, whichever way the turn is scheduled."""

    def __init__(self, workflow: DependencyWorkflow, bindings: Bindings, policy: FailurePolicy) -> None:
        self.steps = workflow.by_name()
        self.bindings, self.policy = bindings, policy
        self.masks = ancestors(self.steps)
        self.index = {name: bit for bit, name in enumerate(self.steps)}

    def work(
        self, name: str, inputs: Mapping[str, Any], records: Mapping[str, Record]
    ) -> Generator[Any, Any, tuple[Record, bool]]:
        """One turn of a step: its record, and whether it takes another turn."""
        now = self.round_of(name, records)
        failed = self._failed_needs(self.steps[name], records) if self.policy == "skip-dependents" else []
        if failed:
            return to_record(blocked(name, failed), now), False
        previous = self._previous(name, records)
        done = yield from turn(self.steps[name], self.view(name, inputs, records, previous), self.bindings, previous)
        return to_record(done.result, now), done.again

    def round_of(self, name: str, records: Mapping[str, Record]) -> int:
        """The round of this turn, as the reference executor counts: whatever the form of the graph and its width."""
        if name in records:
            return int(records[name]["at"]) + 1
        return 1 + max(
            (records[needed]["at"] + self.left_late(needed) for needed in self.steps[name].depends_on), default=0
        )

    def left_late(self, name: str) -> bool:
        """Whether the step is a loop, which its dependents wait for one round longer."""
        return self.steps[name].loop_until is not None

    def stops(self, record: Record) -> bool:
        """Whether the run ends with this record."""
        return self.policy == "fail" and record["status"] in (NodeStatus.FAILED, NodeStatus.CANCELLED)

    def _failed_needs(self, step: DependencyStep, records: Mapping[str, Record]) -> list[str]:
        needs = dict.fromkeys(step.depends_on)
        return [needed for needed in needs if is_failed(from_record(needed, records[needed]))]

    def _previous(self, name: str, records: Mapping[str, Record]) -> NodeResult | None:
        record = records.get(name)
        return None if record is None else from_record(name, record)

    def view(
        self, name: str, inputs: Mapping[str, Any], records: Mapping[str, Record], previous: NodeResult | None
    ) -> NodeView:
        """What the step sees: only what it waits for, and its own last output when it repeats."""
        mask = self.masks[name]
        if previous is not None:
            mask |= 1 << self.index[name]
        results = Visible(Outputs(records), mask, self.index)
        status = Visible(Statuses(records), mask, self.index)
        runs = 0 if previous is None else previous.runs
        given = Unpacked(inputs)
        return NodeView(name, OwnCopy(given), OwnCopy(given), OwnCopy(results), status, runs)


def wire_dependency(workflow: DependencyWorkflow, steps: DependencySteps, checkpointer: Any) -> Any:
    """The compiled LangGraph graph of a workflow in dependency style."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(DependencyState, context_schema=RunScope)
    for name in steps.steps:
        graph.add_node(encode(name), step_node(name, partial(_body, steps, name)))
    exits = add_edges(graph, workflow)
    compiled = graph.compile(checkpointer=checkpointer, name=workflow.name)
    own_barriers(compiled.channels)
    for exit_name in exits:
        compiled.nodes[exit_name].tags = [TAG_HIDDEN]
    return compiled


def _body(steps: DependencySteps, name: str, state: dict[str, Any], _: int) -> Generator[Any, Any, Written]:
    record, _again = yield from steps.work(name, state["run"]["inputs"], state.get("steps") or {})
    return Written({"steps": {name: record}}, steps.stops(record))


def add_edges(graph: Any, workflow: DependencyWorkflow) -> list[str]:
    """Add every edge of the workflow to a StateGraph that has its nodes; returns the exit nodes it added."""
    dependents = dependents_of(workflow.by_name())
    source: dict[str, str] = {}
    for step in workflow.steps:
        source[step.name] = encode(step.name)
        if step.loop_until is not None:
            source[step.name] = _add_loop(graph, step, bool(dependents[step.name]))
    for step in workflow.steps:
        needs = [source[needed] for needed in dict.fromkeys(step.depends_on)]
        if not needs:
            graph.add_edge(START, encode(step.name))
        else:
            graph.add_edge(needs[0] if len(needs) == 1 else needs, encode(step.name))
    return [node for node in source.values() if node.startswith(exit_node(""))]


def _add_loop(graph: Any, step: DependencyStep, has_dependents: bool) -> str:
    me = encode(step.name)
    leave = exit_node(step.name) if has_dependents else END
    if has_dependents:
        graph.add_node(leave, _pass)

    def route(state: dict[str, Any]) -> str:
        # Only reads the verdict: a router that raised would lose the branch silently on resume.
        return me if state["steps"][step.name]["status"] == NodeStatus.RUNNING else leave

    graph.add_conditional_edges(me, route, [me, leave])
    return leave if has_dependents else me


def _pass(state: Any) -> None:  # noqa: ARG001
    return None

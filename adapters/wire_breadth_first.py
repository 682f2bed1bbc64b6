"""The traversal `breadth-first` on LangGraph: exactly a walker with a visited set (ADR-030).

The frontier and the visited set are state, and so in every checkpoint. Each node takes itself off the frontier, puts its
targets on it, and goes to the first pending node: one write, so that a crash can never separate them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.types import Command

from .bindings import Bindings
from .errors import WorkflowError
from .graphs import find_cycle, visited_nodes
from .layers import read_mapping
from .model import AnyNode, SuccessorWorkflow
from .names import encode
from .nodes import Written, step_node
from .packing import Unpacked, pack
from .records import Outputs, Statuses, to_record
from .scope import RunScope
from .state import BreadthFirstState
from .views import NodeView, OwnCopy
from .visiting import Visit, visit


def check_breadth_first(workflow: SuccessorWorkflow) -> None:
    """Raise WorkflowError when fan-out is combined with a cycle: the visited set would cut it at an arbitrary place."""
    fan_out = next(
        (node for node in visited_nodes(workflow) if node.kind != "condition" and len(set(node.next)) > 1), None
    )
    cycle = find_cycle({node.name: node.next for node in workflow.nodes})
    if fan_out is not None and cycle:
        path = " -> ".join([*cycle, cycle[0]])
        raise WorkflowError(
            f"workflow {workflow.name!r}: node {fan_out.name!r} leads to several nodes and there is a cycle ({path}); "
            "breadth-first cannot tell which arrival closes the cycle",
            mend="cut the cycle, or repeat inside a handler",
        )


def wire_breadth_first(
    workflow: SuccessorWorkflow, bindings: Bindings, checkpointer: Any, start: str | None = None
) -> Any:
    """The compiled LangGraph graph of a workflow in successor style, entered at `start` or its own start."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(BreadthFirstState, context_schema=RunScope)
    for node in visited_nodes(workflow):
        targets = tuple(encode(target) for target in node.next)
        graph.add_node(encode(node.name), step_node(node.name, partial(_body, node, bindings)), destinations=targets)
    graph.add_edge(START, encode(start or workflow.start))
    return graph.compile(checkpointer=checkpointer, name=workflow.name)


def _body(node: AnyNode, bindings: Bindings, state: dict[str, Any], superstep: int) -> Generator[Any, Any, Written]:
    done = yield from visit(node, view_of(node.name, state), bindings)
    update = advance(state["frontier"], state["visited"], done, superstep)
    following = update["frontier"][:1] if done.result.success else []
    return Written(Command(update=update, goto=[encode(name) for name in following]))


def view_of(name: str, state: Mapping[str, Any]) -> NodeView:
    """What a node sees: everything that ran before it."""
    records, data = read_mapping(state.get("steps")), read_mapping(state.get("data"))
    inputs = OwnCopy(Unpacked(state["run"]["inputs"]))
    return NodeView(name, inputs, OwnCopy(Unpacked(data)), OwnCopy(Outputs(records)), Statuses(records))


def advance(frontier: list[str], visited: list[str], done: Visit, superstep: int) -> dict[str, Any]:
    """The update of the state after a visit. A failed node leaves the frontier as it was, without itself."""
    fresh: list[str] = []
    if done.result.success:
        seen = set(visited)
        fresh = [target for target in dict.fromkeys(done.targets) if target not in seen]
    update = {
        "steps": {done.result.node_id: to_record(done.result, superstep)},
        "frontier": [*frontier[1:], *fresh],
        "visited": fresh,
    }
    return {**update, "data": pack(dict(done.changes))} if done.changes else update

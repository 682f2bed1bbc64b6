"""Explanations of random graphs against two witnesses: LangGraph's own debug stream, and a model of the superstep rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from superstep_model import Graph, Row, build, random_graph, simulate

from graphlift.adapters.scheduler import Explanation, explain, waiting_edges

LIMIT = 40
CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}, "recursion_limit": LIMIT}
Told = dict[str, dict[int, list[tuple[str, str]]]]


def drive(app: Any, debug: Told, breaks: dict[str, Any] | None = None) -> None:
    """Run to the end, resuming as long as something is due; collect the tasks of the debug stream by namespace and step."""
    given: Any = {"ran": []}
    for _ in range(LIMIT + 2):
        try:
            for namespace, event in app.stream(given, CONFIG, stream_mode="debug", subgraphs=True, **(breaks or {})):
                if event["type"] == "task":
                    payload = event["payload"]
                    kind = "send" if payload["triggers"] == ("__pregel_push",) else "edge"
                    steps = debug.setdefault("|".join(namespace), {})
                    steps.setdefault(event["step"], []).append((payload["name"], kind))
        except GraphRecursionError:
            return
        state = app.get_state(CONFIG)
        if not state.next or state.metadata["step"] > LIMIT:
            return
        given = None


def told(explanation: Explanation) -> dict[int, list[tuple[str, str]]]:
    steps: dict[int, list[tuple[str, str]]] = {}
    for row in explanation.rows:
        if row.ran and row.node != "__start__":
            steps.setdefault(row.step, []).append((row.node, row.kind))
    return {step: sorted(rows) for step, rows in steps.items()}


def rows_of(explanation: Explanation) -> list[list[Row]]:
    steps: dict[int, list[Row]] = {}
    for row in explanation.rows:
        if row.ran and row.node != "__start__":
            fired = tuple(sorted((said(f.channel), tuple(sorted(f.writers))) for f in row.fired))
            steps.setdefault(row.step, []).append((row.node, row.kind, fired))
    return [sorted(steps[step]) for step in sorted(steps)]


def said(channel: str) -> str:
    if channel.startswith("join:"):
        return f"join {channel.removeprefix('join:').rsplit(':', 1)[0]}"
    return "send" if channel == "__pregel_tasks" else "edge"


def unreached(graph: Graph, steps: list[list[Row]]) -> frozenset[str]:
    """Targets of a join that nothing ever arrived at: without the graph their task ids cannot be computed."""
    ran = {node for step in steps for node, *_ in step}
    return frozenset(target for names, target in graph.joins if not ran & set(names))


def as_told(steps: list[list[Row]], rows: list[list[Row]], blind: frozenset[str]) -> list[list[Row]]:
    """What the model expects, with `?` for the writers that checkpoints alone cannot name wherever the rows say so.

    A `?` is accepted only for a node of `blind`, and never for one that is alone in its superstep: it is told by elimination.
    """
    expected = []
    for place, step in enumerate(steps):
        before = {node for node, *_ in steps[place - 1]} if place else set()
        hidden = blind if len(before & blind) > 1 else frozenset()
        shown = dict(zip([row[:2] for row in step], rows[place], strict=False)) if place < len(rows) else {}
        expected.append(sorted(_as_told(row, shown.get(row[:2]), hidden) for row in step))
    return expected


def _as_told(row: Row, shown: Row | None, hidden: frozenset[str]) -> Row:
    node, kind, fired = row
    said_of = dict(shown[2]) if shown else {}
    kept = []
    for trigger, names in fired:
        told_names = said_of.get(trigger, ())
        lost = set(names) & hidden - set(told_names)
        if trigger == "edge" and lost and "?" in told_names:
            names = tuple(sorted({*names, "?"} - lost))
        kept.append((trigger, names))
    return node, kind, tuple(kept)


def check(graph: Graph, breaks: dict[str, Any] | None = None, *, simulated: bool = True) -> int:
    saver = InMemorySaver()
    app = build(graph).compile(checkpointer=saver)
    debug: Told = {}
    drive(app, debug, breaks)
    checked = 0
    # A host in a loop has many namespaces, each of which is explained by reading the whole thread: some are enough.
    some = sorted(debug)[:3]
    for namespace in some:
        expected = {step: sorted(tasks) for step, tasks in debug[namespace].items()}
        for given in (None, app):
            explanation = explain(saver, "t", graph=given, namespace=namespace)
            # The superstep that an endless subgraph never finished is no row; its tasks are what is due.
            done = {step: tasks for step, tasks in expected.items() if step <= (explanation.step or 0)}
            assert told(explanation) == done, (namespace, given is None)
            for step in expected.keys() - done.keys():
                assert step == (explanation.step or 0) + 1
                assert expected[step] == sorted(
                    (n.node, "edge" if n.index is None else "send") for n in explanation.due
                )
            checked += sum(map(len, expected.values()))
    if simulated:
        run = simulate(graph, LIMIT)
        for given in (None, app):
            explanation = explain(saver, "t", graph=given, recursion_limit=LIMIT)
            rows = rows_of(explanation)
            # A run that never settles goes on past the limit each time it is resumed.
            rows = rows if run.settled or breaks is None else rows[:LIMIT]
            assert rows == (run.steps if given else as_told(run.steps, rows, unreached(graph, run.steps))), (
                given is None
            )
            assert given is None or not any("?" in names for step in rows for *_, fired in step for _, names in fired)
            for namespace in some:
                if namespace:
                    inside = explain(saver, "t", graph=given, namespace=namespace)
                    within = graph.inner[namespace.split(":")[0]]
                    steps = simulate(within, LIMIT).steps
                    told_inside = rows_of(inside)
                    assert told_inside == (steps if given else as_told(steps, told_inside, unreached(within, steps)))
            if breaks is None:
                assert (explanation.ending.kind == "quiescent") == run.settled
                assert explanation.ending.kind in ("quiescent", "recursion limit")
            if run.settled:
                held = {(edge.target, frozenset(edge.arrived)) for edge in explanation.waiting if not edge.path}
                assert held == {(join[1], names) for join, names in run.held.items()}
    return checked


def check_every_checkpoint(graph: Graph) -> None:
    """What is due at each checkpoint of the history is what LangGraph says comes next there."""
    saver = InMemorySaver()
    app = build(graph).compile(checkpointer=saver)
    drive(app, {})
    for state in app.get_state_history(CONFIG):
        place = state.config["configurable"]["checkpoint_id"]
        for given in (None, app):
            explanation = explain(saver, "t", graph=given, checkpoint=place)
            assert sorted(node.node for node in explanation.due) == sorted(task.name for task in state.tasks)


@pytest.mark.parametrize("seed", range(25))
def test_plain_graphs(seed: int) -> None:
    assert check(random_graph(seed)) > 0


@pytest.mark.parametrize("seed", range(25))
def test_interrupted_before_every_node_and_resumed(seed: int) -> None:
    check(random_graph(seed), {"interrupt_before": "*"})


@pytest.mark.parametrize("seed", range(10))
def test_interrupted_after_some_nodes_and_resumed(seed: int) -> None:
    graph = random_graph(seed)
    some = random.Random(seed).sample(graph.nodes, 2)
    check(graph, {"interrupt_after": some})


@pytest.mark.parametrize("seed", range(15))
def test_graphs_with_deferred_nodes(seed: int) -> None:
    check(random_graph(seed, deferred=True), simulated=False)


@pytest.mark.parametrize("seed", range(15))
def test_graphs_with_a_subgraph(seed: int) -> None:
    check(random_graph(seed, inner=True))


@pytest.mark.parametrize("seed", range(6))
def test_every_checkpoint_of_a_history(seed: int) -> None:
    check_every_checkpoint(random_graph(seed, deferred=seed % 2 == 0))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_graphs(block: int) -> None:
    for seed in range(1000 + block * 300, 1300 + block * 300):
        graph = random_graph(seed, deferred=seed % 5 == 0, inner=seed % 7 == 0)
        check(graph, simulated=not graph.deferred)
        check(graph, {"interrupt_before": "*"} if seed % 2 else {"interrupt_after": "*"}, simulated=not graph.deferred)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2200))
def test_every_checkpoint_of_many_histories(seed: int) -> None:
    check_every_checkpoint(random_graph(seed, deferred=seed % 3 == 0))


def test_the_model_sees_joins_fire_and_stall() -> None:
    runs = [simulate(random_graph(seed), LIMIT) for seed in range(300)]
    fired = sum(
        any(name.startswith("join") for step in run.steps for row in step for name, _ in row[2]) for run in runs
    )
    assert fired > 60
    assert sum(bool(run.held) for run in runs) > 60
    assert sum(not run.settled for run in runs) > 0


def test_a_stalled_edge_is_found_by_saver_and_by_graph() -> None:
    seed = next(s for s in range(50) if (r := simulate(random_graph(s), LIMIT)).settled and r.held)
    saver = InMemorySaver()
    app = build(random_graph(seed)).compile(checkpointer=saver)
    drive(app, {})
    assert waiting_edges(saver, CONFIG) == waiting_edges(app, CONFIG) != ()

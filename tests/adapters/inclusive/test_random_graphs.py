"""Inclusive edges on random graphs against the independent model: superstep by superstep, release by release."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from superstep_model import Graph, Run, build, random_graph, simulate

from graphlift.adapters.inclusive import InclusiveStateGraph, Release, waiting_release
from graphlift.adapters.scheduler import explain, waiting_edges

LIMIT = 24
CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}, "recursion_limit": LIMIT}
Steps = dict[int, list[tuple[str, str]]]


class Recorder:
    """Bodies that note what a target was told of its release."""

    def __init__(self) -> None:
        self.releases: list[Release] = []
        self.lock = threading.Lock()

    def body(self, name: str) -> Any:
        def run(state: Any) -> dict[str, list[str]]:
            told = waiting_release()
            if told is not None:
                with self.lock:
                    self.releases.append(told)
            return {"ran": [name]}

        return run


def add_join(builder: InclusiveStateGraph[Any], names: list[str], target: str, inclusive: bool) -> None:
    builder.add_edge(names, target, inclusive=inclusive)


def drive(app: Any, spaces: dict[str, Steps], breaks: dict[str, Any] | None = None) -> None:
    """Run to the end through `next` alone, as a client does."""
    given: Any = {"ran": []}
    for _ in range(LIMIT + 2):
        try:
            for namespace, event in app.stream(given, CONFIG, stream_mode="debug", subgraphs=True, **(breaks or {})):
                if event["type"] == "task":
                    kind = "send" if event["payload"]["triggers"] == ("__pregel_push",) else "edge"
                    tasks = spaces.setdefault("|".join(namespace), {}).setdefault(event["step"], [])
                    tasks.append((event["payload"]["name"], kind))
        except GraphRecursionError:
            return
        state = app.get_state(CONFIG)
        if not state.next or state.metadata["step"] > LIMIT:
            return
        given = None


def released(run: Run) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The model's releases as a target is told of them: those of one superstep into one target are one record."""
    records: dict[tuple[int, str], list[tuple[str, frozenset[str], frozenset[str]]]] = {}
    for place, target, arrived, missing in run.told:
        records.setdefault((place, target), []).append((target, arrived, missing))
    out = []
    for group in records.values():
        arrived = frozenset[str]().union(*(a for _, a, _ in group))
        missing = frozenset[str]().union(*(m for _, _, m in group)) - arrived
        out.append((group[0][0], tuple(sorted(arrived)), tuple(sorted(missing))))
    return sorted(out)


def explained(saver: InMemorySaver, graph: Any, namespace: str) -> Steps:
    steps = Steps()
    for row in explain(saver, "t", graph=graph, namespace=namespace).rows:
        if row.ran and row.node != "__start__":
            steps.setdefault(row.step, []).append((row.node, row.kind))
    return {step: sorted(tasks) for step, tasks in steps.items()}


def check(graph: Graph, breaks: dict[str, Any] | None = None, *, explaining: bool = True) -> Run:
    run, recorder = simulate(graph, LIMIT), Recorder()
    spaces: dict[str, Steps] = {}
    saver = InMemorySaver()
    app = build(graph, InclusiveStateGraph, add_join, recorder.body).compile(checkpointer=saver)
    drive(app, spaces, breaks)
    for namespace, steps in sorted(spaces.items()):
        expected = simulate(graph.inner[namespace.split(":")[0]], LIMIT) if namespace else run
        real = [sorted(steps[step]) for step in sorted(steps)][:LIMIT]
        assert real == [sorted((node, kind) for node, kind, _ in step) for step in expected.steps], namespace
    # A host in a loop has many namespaces, each of which is explained by reading the whole thread: some are enough.
    for namespace in sorted(spaces)[:3] if explaining else ():
        for given in (None, app):
            expected_rows = {step: sorted(tasks) for step, tasks in spaces[namespace].items()}
            assert explained(saver, given, namespace) == expected_rows
    if run.settled:
        told = sorted((one.target, one.arrived, one.missing) for one in recorder.releases if one.target in graph.nodes)
        # A subgraph as the target has no body of its own to ask in.
        assert told == [one for one in released(run) if one[0] not in graph.inner]
        held = {(edge.target, frozenset(edge.arrived)) for edge in waiting_edges(app, CONFIG, subgraphs=False)}
        assert held == {(join[1], names) for join, names in run.held.items()}
        # A finished run leaves nothing in an inclusive edge.
        assert not any(join in graph.inclusive for join in run.held)
        assert explain(saver, "t", graph=app).ending.kind == "quiescent"
    return run


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed: int) -> None:
    check(random_graph(seed, inclusive=True))


@pytest.mark.parametrize("seed", range(20))
def test_interrupted_before_every_node(seed: int) -> None:
    check(random_graph(seed, inclusive=True), {"interrupt_before": "*"})


@pytest.mark.parametrize("seed", range(20))
def test_interrupted_after_every_node(seed: int) -> None:
    check(random_graph(seed, inclusive=True), {"interrupt_after": "*"})


@pytest.mark.parametrize("seed", range(20))
def test_with_a_subgraph_that_has_inclusive_edges_too(seed: int) -> None:
    check(random_graph(seed, inclusive=True, inner=True))
    check(random_graph(seed, inclusive=True, inner=True), {"interrupt_before": "*"})


def test_the_random_graphs_do_release() -> None:
    runs = [simulate(random_graph(seed, inclusive=True), LIMIT) for seed in range(200)]
    assert sum(bool(run.told) and run.settled for run in runs) > 60
    assert sum(not run.settled for run in runs) > 5


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_random_graphs(block: int) -> None:
    for seed in range(5000 + block * 100, 5100 + block * 100):
        graph = random_graph(seed, inclusive=True, inner=seed % 4 == 0)
        # Explaining reads the whole history again and again; other random graphs are all explained.
        check(graph, explaining=seed % 10 == 0)
        check(graph, {"interrupt_before": "*"} if seed % 2 else {"interrupt_after": "*"}, explaining=False)

"""What lint foretells of a graph is what the superstep rules do: random graphs, judged by the independent model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from superstep_model import Graph, Route, Run, build, random_graph, simulate

from graphlift.migrate.lint import lint_graphs, read_graphs
from graphlift.migrate.lint.compiled import read_compiled

REPEATS, STALLS = "uneven-fan-in", "exclusive-barrier"


def forward(seed: int) -> Graph:
    """A random graph without routers and loops, so that its one run is all there is."""
    graph = random_graph(seed)
    joins = tuple(join for join in graph.joins if max(join[0]) < join[1])
    edges = dict.fromkeys([("__start__", "n0"), *(e for e in graph.edges if e[0] < e[1] or e[0] == "__start__")])
    return replace(graph, routes={}, joins=joins, edges=tuple(edges))


def source(graph: Graph) -> str:
    lines = ["from langgraph.graph import END, START, StateGraph", "g = StateGraph(dict)"]
    lines += [f"g.add_node({name!r}, lambda state: None)" for name in graph.nodes]
    lines += [f"g.add_edge({a!r}, {b!r})" for a, b in graph.edges]
    lines += [f"g.add_edge({list(names)!r}, {target!r})" for names, target in graph.joins]
    for name, route in graph.routes.items():
        picked = [list(goto) for goto, _ in route.picks]
        lines += [f"def after_{name.strip('_')}(state):"]
        lines += [f"    if state[{place}]:\n        return {goto!r}" for place, goto in enumerate(picked[:-1])]
        lines += [f"    return {picked[-1]!r}"]
        lines += [
            f"g.add_conditional_edges({name!r}, after_{name.strip('_')}, {sorted({n for p in picked for n in p})!r})"
        ]
    return "\n".join(lines)


def foretold(text: str) -> set[str]:
    return {one.rule for one in lint_graphs(read_graphs("flow.py", text))}


def stalled(run: Run) -> bool:
    """Whether a join held writes and had not fired; one that fired and was written to again follows from a repetition."""
    fired = {(name.removeprefix("join "), row[0]) for step in run.steps for row in step for name, _ in row[2]}
    return any(("+".join(names), target) not in fired for names, target in run.held)


def check(seed: int) -> tuple[bool, bool]:
    graph = forward(seed)
    run = simulate(graph)
    ran = [row[0] for step in run.steps for row in step]
    repeats, stalls = len(ran) != len(set(ran)), stalled(run)
    found = foretold(source(graph))
    assert (REPEATS in found) == repeats, source(graph)
    assert (STALLS in found) == stalls, source(graph)
    exact = {one.rule for one in lint_graphs(read_compiled(build(graph).compile(), "g", Path("/nowhere")))}
    assert {REPEATS, STALLS} & exact == {REPEATS, STALLS} & found
    return repeats, stalls


def test_graphs_without_routers() -> None:
    seen = [check(seed) for seed in range(150)]
    assert {repeats for repeats, _ in seen} == {stalls for _, stalls in seen} == {True, False}


def chosen(seed: int) -> Graph:
    """A random graph whose routers go one constant way of several, forward."""
    graph = random_graph(seed)
    routes = {
        name: Route(((goto, ()),))
        for name, route in graph.routes.items()
        for goto, sent in route.picks[-1:]
        if name != "__start__" and not sent and all(n == "__end__" or n > name for n in goto)
    }
    return replace(forward(seed), routes=routes)


@pytest.mark.parametrize("block", range(4))
def test_graphs_with_routers_are_foretold_for_the_way_they_go(block: int) -> None:
    """Whatever happens in a run is among what lint foretells; a stall may be told as one that depends on the choice."""
    for seed in range(block * 50, block * 50 + 50):
        graph = chosen(seed)
        run = simulate(graph)
        ran = [row[0] for step in run.steps for row in step]
        found = foretold(source(graph))
        if len(ran) != len(set(ran)):
            assert REPEATS in found, source(graph)
        if stalled(run):
            assert found & {STALLS, "optional-barrier"}, source(graph)

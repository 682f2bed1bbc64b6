"""Edges added in a loop over dependencies become one waiting edge."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

LANGGRAPH = "from langgraph.graph import StateGraph\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def wire(graph, step):\n    for dep in step.depends_on:\n        graph.add_edge(dep, step.name)  # join\n",
            "def wire(graph, step):\n    if deps := list(step.depends_on):\n        graph.add_edge(deps, step.name)  # join\n",
        ),
        (
            "for s in steps:\n    for d in s.needs:\n        self.g.add_edge(names[d], s.name)\n",
            "for s in steps:\n    if ds := [names[d] for d in s.needs]:\n        self.g.add_edge(ds, s.name)\n",
        ),
        ("for dep in 'a', 'b': g.add_edge(dep, 'c')\n", "if deps := list(('a', 'b')): g.add_edge(deps, 'c')\n"),
    ],
)
def test_a_loop_becomes_one_waiting_edge(before: str, after: str) -> None:
    check_transformed(LANGGRAPH + before, LANGGRAPH + after, symbols=[], flags=[])


@pytest.mark.parametrize(
    "source",
    [
        "for child in node.next:\n    g.add_edge(node.name, child)\n",
        "for dep in deps:\n    g.add_edge(dep, x)\n    log(dep)\n",
        "for dep in deps:\n    g.add_edge(dep, x)\nelse:\n    pass\n",
        "for dep in deps:\n    g.add_edge(dep, x)\nprint(dep)\n",
        "for dep in deps:\n    g.add_edge(dep, dep + 1)\n",
        "for a, b in deps:\n    g.add_edge(a, b)\n",
        "for dep in deps:\n    if dep:\n        g.add_edge(dep, x)\n",
        "async def f():\n    async for dep in deps:\n        g.add_edge(dep, x)\n",
        "g.add_edge([a, b], c)\n",
    ],
)
def test_other_loops_stay(source: str) -> None:
    check_noop(LANGGRAPH + source, symbols=[])


@pytest.mark.parametrize("imports", ["import networkx as nx\n", LANGGRAPH + "import networkx\n", ""])
def test_other_graphs_stay(imports: str) -> None:
    check_noop(imports + "for dep in deps:\n    g.add_edge(dep, x)\n", symbols=[])

"""The order of release as properties of random directed graphs."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters.inclusive.order import components, place_edges

NODES = "abcdefg"
PAIRS = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=18)
JOINS = st.sets(
    st.tuples(
        st.sets(st.sampled_from(NODES), min_size=1, max_size=3).map(lambda s: tuple(sorted(s))), st.sampled_from(NODES)
    ),
    min_size=1,
    max_size=4,
)


def successors(pairs: set[tuple[str, str]]) -> dict[str, set[str]]:
    return {node: {b for a, b in pairs if a == node} for node in NODES}


@given(PAIRS)
def test_components_are_the_strongly_connected_ones_downstream_first(pairs: set[tuple[str, str]]) -> None:
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(NODES)
    found = components(successors(pairs))
    assert {frozenset(part) for part in found} == {frozenset(part) for part in nx.strongly_connected_components(graph)}
    place = {node: n for n, part in enumerate(found) for node in part}
    assert all(place[b] <= place[a] for a, b in pairs)


@given(PAIRS, JOINS)
def test_upstream_is_every_target_that_leads_to_a_source(
    pairs: set[tuple[str, str]], joins: set[tuple[tuple[str, ...], str]]
) -> None:
    pairs = pairs | {(source, target) for sources, target in joins for source in sources}
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(NODES)
    placed = place_edges(successors(pairs), sorted(joins))
    targets = {one.edge[1]: one.bit for one in placed}
    for one in placed:
        sources, own = one.edge
        leading = {t for t in targets if any(t == s or nx.has_path(graph, t, s) for s in sources)} - {own}
        assert one.upstream == sum(targets[target] for target in leading)


@given(PAIRS, JOINS)
def test_an_edge_comes_after_those_strictly_upstream_of_it(
    pairs: set[tuple[str, str]], joins: set[tuple[tuple[str, ...], str]]
) -> None:
    pairs = pairs | {(source, target) for sources, target in joins for source in sources}
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(NODES)
    order = [one.edge[1] for one in place_edges(successors(pairs), sorted(joins))]
    for n, later in enumerate(order):
        for earlier in order[:n]:
            strictly_downstream = nx.has_path(graph, later, earlier) and not nx.has_path(graph, earlier, later)
            assert not strictly_downstream


def test_a_long_chain_needs_no_recursion() -> None:
    names = [f"n{place}" for place in range(5000)]
    chain = {a: {b} for a, b in pairwise(names)} | {names[-1]: set[str]()}
    assert components(chain) == [[name] for name in reversed(names)]

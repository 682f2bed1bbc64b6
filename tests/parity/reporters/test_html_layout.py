"""Where nodes and edges go: every node once, none over another, edges downwards but those that close a cycle."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from graphlift.parity.reporters.html_layout import HEIGHT, WIDTH, lay_out

NAMES = [f"n{number}" for number in range(9)]
GRAPHS = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True, max_size=4).map(tuple))


def test_a_diamond() -> None:
    layout = lay_out({"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")})
    rows = {name: y for name, (_, y) in layout.places.items()}
    assert rows["a"] < rows["b"] == rows["c"] < rows["d"]
    middle = (layout.places["b"][0] + layout.places["c"][0]) / 2
    assert layout.places["a"][0] == layout.places["d"][0] == middle


def test_a_long_edge_passes_beside_the_nodes_between() -> None:
    layout = lay_out({"a": (), "b": ("a",), "c": ("b",), "d": ("a", "c")})
    (route,) = [one for one in layout.routes if (one.source, one.target) == ("a", "d")]
    assert len(route.points) == 6
    for name in ("b", "c"):
        x, y = layout.places[name]
        assert not any(x <= across <= x + WIDTH and y <= down <= y + HEIGHT for across, down in route.points)


def test_branches_do_not_cross_without_need() -> None:
    layout = lay_out({"a": (), "x": ("a",), "y": ("a",), "x2": ("y",), "y2": ("x",)})
    places = layout.places
    assert (places["x"][0] < places["y"][0]) == (places["y2"][0] < places["x2"][0])


def test_a_loop_and_a_cycle() -> None:
    layout = lay_out({"a": (), "b": ("a", "b", "c"), "c": ("b",)})
    kinds = {(one.source, one.target): (one.back, one.loop) for one in layout.routes}
    assert kinds == {
        ("a", "b"): (False, False),
        ("b", "b"): (False, True),
        ("c", "b"): (True, False),
        ("b", "c"): (False, False),
    }


def test_nothing() -> None:
    assert lay_out({}).places == {}


@given(GRAPHS)
def test_any_graph(graph: dict[str, tuple[str, ...]]) -> None:
    layout = lay_out(graph)
    assert layout == lay_out(graph)
    assert layout.places.keys() == graph.keys()
    boxes = sorted((y, x) for x, y in layout.places.values())
    for (y, x), (other_y, other_x) in itertools.pairwise(boxes):
        assert other_y >= y + HEIGHT or other_x >= x + WIDTH
    assert all(0 <= x <= layout.width - WIDTH and 0 <= y <= layout.height - HEIGHT for y, x in boxes)
    edges = {(source, node) for node, sources in graph.items() for source in sources if source in graph}
    assert {(one.source, one.target) for one in layout.routes} == edges
    for route in layout.routes:
        down = route.points[0][1] < route.points[-1][1]
        assert route.loop or down != route.back
        assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in route.points)

"""Where the nodes and edges of a small directed graph go: layers from the top down, few crossings, the same every time.

The steps are Sugiyama's: turn the edges that close a cycle, put each node one layer below its deepest source, thread long
edges through the layers between, sort each layer by its neighbours, and pull nodes below their sources. Pure geometry, in
pixels; it knows nothing of runs or pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDTH, HEIGHT = 132, 40
"""The size of a node's box."""
GAP, DROP, MARGIN = 22, 34, 18
SLIM = 14
"""The room of an edge that passes through a layer."""
SWEEPS = 6

Edge = tuple[str, str]
_Slot = str | tuple[Edge, int]
"""A node, or the place where a long edge passes through a layer."""


@dataclass(frozen=True)
class Route:
    """An edge as the points that it passes, from its source down to its target. `back`: it closes a cycle; `loop`: on itself."""

    source: str
    target: str
    points: tuple[tuple[float, float], ...]
    back: bool = False

    @property
    def loop(self) -> bool:
        """Whether it leads from a node to itself."""
        return self.source == self.target


@dataclass(frozen=True)
class Layout:
    """The top left corners of the nodes' boxes, the edges, and the size of it all."""

    places: Mapping[str, tuple[float, float]]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(sources: Mapping[str, Sequence[str]]) -> Layout:
    """Place every node of a graph that is given as each node's in-edges; sources that are no node themselves are left out."""
    edges = [(one, node) for node, names in sources.items() for one in dict.fromkeys(names) if one in sources]
    loops = [edge for edge in edges if edge[0] == edge[1]]
    back = _closing(sources, edges)
    down = [_turned(edge, back) for edge in edges if edge not in loops]
    layers, paths = _layers(sources, down)
    _sort(layers, paths)
    middles = _middles(layers, paths)
    return _drawn(layers, middles, edges, back)


def _turned(edge: Edge, back: set[Edge]) -> Edge:
    return (edge[1], edge[0]) if edge in back else edge


def _closing(sources: Mapping[str, Sequence[str]], edges: Iterable[Edge]) -> set[Edge]:
    """The edges that lead back to a node that is still being visited, depth first from the nodes without sources."""
    targets: dict[str, list[str]] = {node: [] for node in sources}
    for source, target in edges:
        if source != target:
            targets[source].append(target)
    entered: set[str] = set()
    left: set[str] = set()
    back: set[Edge] = set()
    for root in sorted(sources, key=lambda node: any(one in sources and one != node for one in sources[node])):
        stack = [(root, iter(targets[root]))] if root not in entered else []
        entered.add(root)
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                left.add(node)
                stack.pop()
            elif following not in entered:
                entered.add(following)
                stack.append((following, iter(targets[following])))
            elif following not in left:
                back.add((node, following))
    return back


def _layers(nodes: Iterable[str], down: Sequence[Edge]) -> tuple[list[list[_Slot]], dict[Edge, list[_Slot]]]:
    """The layers, and for each edge the slots that it passes."""
    depth = _depths(nodes, down)
    layers: list[list[_Slot]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for node, at in depth.items():
        layers[at].append(node)
    paths: dict[Edge, list[_Slot]] = {}
    for source, target in dict.fromkeys(down):
        between = [((source, target), at) for at in range(depth[source] + 1, depth[target])]
        for slot in between:
            layers[slot[1]].append(slot)
        paths[source, target] = [source, *between, target]
    return layers, paths


def _depths(nodes: Iterable[str], down: Sequence[Edge]) -> dict[str, int]:
    depth = dict.fromkeys(nodes, 0)
    waits = {node: {source for source, target in down if target == node} for node in depth}
    ready = [node for node in depth if not waits[node]]
    for node in ready:
        for other in depth:
            if node in waits[other]:
                waits[other].discard(node)
                depth[other] = max(depth[other], depth[node] + 1)
                if not waits[other]:
                    ready.append(other)
    return depth


def _neighbours(paths: Mapping[Edge, Sequence[_Slot]]) -> tuple[dict[_Slot, list[_Slot]], dict[_Slot, list[_Slot]]]:
    above: dict[_Slot, list[_Slot]] = {}
    below: dict[_Slot, list[_Slot]] = {}
    for slots in paths.values():
        for upper, lower in pairwise(slots):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


def _sort(layers: list[list[_Slot]], paths: Mapping[Edge, Sequence[_Slot]]) -> None:
    """Sort each layer by the mean place of its neighbours, down and up in turn; the best order seen stays."""
    above, below = _neighbours(paths)
    best, least = [list(layer) for layer in layers], _crossings(layers, above)
    for sweep in range(SWEEPS):
        near = above if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            place = {slot: at for row in layers for at, slot in enumerate(row)}
            mean = {slot: _mean([place[one] for one in near.get(slot, ())], place[slot]) for slot in layer}
            layer.sort(key=lambda slot: mean[slot])
        crossings = _crossings(layers, above)
        if crossings < least:
            best, least = [list(layer) for layer in layers], crossings
    layers[:] = best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(layers: Sequence[Sequence[_Slot]], above: Mapping[_Slot, Sequence[_Slot]]) -> int:
    place = {slot: at for row in layers for at, slot in enumerate(row)}
    count = 0
    for layer in layers:
        ends = [(place[upper], place[slot]) for slot in layer for upper in above.get(slot, ())]
        count += sum(
            (one[0] - other[0]) * (one[1] - other[1]) < 0 for at, one in enumerate(ends) for other in ends[:at]
        )
    return count


def _room(slot: _Slot) -> int:
    return WIDTH if isinstance(slot, str) else SLIM


def _middles(layers: Sequence[Sequence[_Slot]], paths: Mapping[Edge, Sequence[_Slot]]) -> dict[_Slot, float]:
    """The middle of each slot across: near its neighbours, in the layer's order, never closer than the gap."""
    above, below = _neighbours(paths)
    middles: dict[_Slot, float] = {}
    for layer in layers:
        left = 0.0
        for slot in layer:
            middles[slot] = left + _room(slot) / 2
            left += _room(slot) + GAP
    for sweep in range(2 * SWEEPS):
        near = above if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean([middles[one] for one in near.get(slot, ())], middles[slot]) for slot in layer]
            middles.update(zip(layer, _apart(layer, wanted), strict=True))
    return middles


def _apart(layer: Sequence[_Slot], wanted: Sequence[float]) -> list[float]:
    """The wished middles, moved as little as blocks of touching slots allow: a block sits at the mean of its wishes."""
    blocks: list[tuple[list[float], float]] = []
    offset, offsets = 0.0, []
    for at, slot in enumerate(layer):
        offset += (_room(layer[at - 1]) + _room(slot)) / 2 + GAP if at else 0.0
        offsets.append(offset)
    for wish, shift in zip(wanted, offsets, strict=True):
        block = [wish - shift]
        while blocks and blocks[-1][1] > _mean(block, 0.0):
            block = [*blocks.pop()[0], *block]
        blocks.append((block, _mean(block, 0.0)))
    bases = [mean for block, mean in blocks for _ in block]
    return [base + shift for base, shift in zip(bases, offsets, strict=True)]


def _drawn(
    layers: Sequence[Sequence[_Slot]], middles: Mapping[_Slot, float], edges: Sequence[Edge], back: set[Edge]
) -> Layout:
    left = min((middles[slot] - _room(slot) / 2 for layer in layers for slot in layer), default=0.0) - MARGIN
    right = max((middles[slot] + _room(slot) / 2 for layer in layers for slot in layer), default=0.0)
    right += 2 * MARGIN if any(source == target for source, target in edges) else MARGIN
    tops = {slot: MARGIN + at * (HEIGHT + DROP) for at, layer in enumerate(layers) for slot in layer}

    def across(slot: _Slot) -> float:
        return round(middles[slot] - left, 1)

    places = {slot: (round(across(slot) - WIDTH / 2, 1), float(tops[slot])) for slot in tops if isinstance(slot, str)}
    routes = []
    for source, target in edges:
        start, end = _turned((source, target), back)
        points = [(across(start), float(tops[start] + HEIGHT))]
        for slot in [((start, end), at) for at in range(len(layers)) if ((start, end), at) in tops]:
            points += [(across(slot), float(tops[slot])), (across(slot), float(tops[slot] + HEIGHT))]
        points.append((across(end), float(tops[end])))
        closes = (source, target) in back
        routes.append(Route(source, target, tuple(reversed(points) if closes else points), closes))
    return Layout(
        places, tuple(routes), round(right - left, 1), float(2 * MARGIN + len(layers) * (HEIGHT + DROP) - DROP)
    )

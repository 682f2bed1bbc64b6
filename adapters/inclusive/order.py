"""In which order the waiting edges of a graph release when a run settles: upstream first.

Pure graph work on names. A released target may still complete, or feed, an edge further down, which then has to wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

Edge = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class Placed:
    """One waiting edge: its target as one bit, and the bits of the waiting edges' targets upstream of it."""

    edge: Edge
    bit: int
    upstream: int


def place_edges(successors: Mapping[str, AbstractSet[str]], edges: Sequence[Edge]) -> list[Placed]:
    """Every waiting edge, upstream first; within a cycle the one with the fewest targets upstream, then by name.

    `successors` are the static ones of every node. Linear in the graph's edges, times the number of targets over 64.
    """
    parts = components(successors)
    part_of = {node: place for place, part in enumerate(parts) for node in part}
    targets = sorted({target for _, target in edges})
    bits = {target: 1 << place for place, target in enumerate(targets)}
    masks = _upstream_masks(successors, parts, part_of, bits)
    placed = []
    for sources, target in edges:
        upstream = 0
        for source in sources:
            upstream |= masks[part_of[source]]
        placed.append(Placed((sources, target), bits[target], upstream & ~bits[target]))
    # Components come out downstream first.
    return sorted(placed, key=lambda p: (-part_of[p.edge[1]], p.upstream.bit_count(), p.edge[1], p.edge[0]))


def _upstream_masks(
    successors: Mapping[str, AbstractSet[str]],
    parts: list[list[str]],
    part_of: Mapping[str, int],
    bits: Mapping[str, int],
) -> list[int]:
    """For each component the bits of the targets that are in it or lead to it."""
    masks = [0] * len(parts)
    for target, bit in bits.items():
        masks[part_of[target]] |= bit
    for place in range(len(parts) - 1, -1, -1):
        for node in parts[place]:
            for other in successors.get(node, ()):
                if other in part_of and part_of[other] != place:
                    masks[part_of[other]] |= masks[place]
    return masks


def components(successors: Mapping[str, AbstractSet[str]]) -> list[list[str]]:
    """The strongly connected components, each after all it leads to (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    found: list[list[str]] = []

    def enter(node: str) -> tuple[str, Iterator[str]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        waiting.add(node)
        return node, iter(sorted(other for other in successors[node] if other in successors))

    for root in sorted(successors):
        work = [] if root in index else [enter(root)]
        while work:
            node, others = work[-1]
            step = next((other for other in others if other not in index or other in waiting), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_cut(stack, waiting, node))
            elif step not in index:
                work.append(enter(step))
            else:
                low[node] = min(low[node], index[step])
    return found


def _cut(stack: list[str], waiting: set[str], node: str) -> list[str]:
    part: list[str] = []
    while not part or part[-1] != node:
        part.append(stack.pop())
        waiting.discard(part[-1])
    return part

"""Both engines' graphs of one case, ready to be drawn: boxes with counts and marks, edges as paths. Pure.

Where nothing tells the workflow, each run's own graph is drawn: what ran in one wave came after the wave before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..observation import SIDES, Side
from ..traces import CaseTrace, Graph, RunTrace, Step
from .html_layout import HEIGHT, WIDTH, Layout, Route, lay_out

LETTERS = 17
"""Of a name, as many as fit into a box."""


@dataclass(frozen=True)
class Box:
    """A node: its corner, its name (cut) and what is said below it, its marks as class names, and all of it as one text."""

    name: str
    label: str
    note: str
    x: float
    y: float
    marks: str
    told: str


@dataclass(frozen=True)
class Line:
    """An edge: an SVG path and its marks as class names."""

    path: str
    marks: str


@dataclass(frozen=True)
class Drawing:
    """One engine's graph. `told` says in a sentence what is to be seen."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    height: float
    told: str
    box_width: int = WIDTH
    box_height: int = HEIGHT


def draw_both(trace: CaseTrace) -> dict[Side, Drawing | None]:
    """The drawing of each side; None where there is nothing to draw."""
    if trace.graph is not None:
        layout = lay_out(_with_branches(trace.graph))
        return {side: _draw(trace, side, layout, trace.graph) for side in SIDES}
    drawings: dict[Side, Drawing | None] = {}
    for side in SIDES:
        sources = observed_graph(trace.run(side))
        drawings[side] = _draw(trace, side, lay_out(sources), None) if sources else None
    return drawings


def observed_graph(run: RunTrace) -> Mapping[str, tuple[str, ...]]:
    """Who ran right before whom, by each node's first activation."""
    waves: dict[int, list[str]] = {}
    first: dict[str, int] = {}
    for step in run.steps:
        waves.setdefault(step.wave, []).append(step.node)
        first.setdefault(step.node, step.wave)
    return {
        node: tuple(one for one in dict.fromkeys(waves.get(wave - 1, ())) if first[one] < wave)
        for node, wave in first.items()
    }


def _with_branches(graph: Graph) -> dict[str, tuple[str, ...]]:
    """A parallel group starts its branches, and what follows it follows them; the workflow tells both by the group alone."""
    inside: dict[str, list[str]] = {}
    for branch, group in graph.groups.items():
        if group in graph.sources:
            inside.setdefault(group, []).append(branch)
    return {
        node: (
            *(one for name in waits for one in inside.get(name, [name])),
            *([group] if (group := graph.groups.get(node, "")) in graph.sources else []),
        )
        for node, waits in graph.sources.items()
    }


def _is_of_a_group(graph: Graph, source: str, target: str) -> bool:
    """Whether an edge is drawn because of a group: from it to a branch, or from a branch to what follows it."""
    return graph.groups.get(target) == source or source not in graph.sources[target]


def _draw(trace: CaseTrace, side: Side, layout: Layout, graph: Graph | None) -> Drawing:
    boxes = tuple(_box(trace, side, name, *place) for name, place in layout.places.items())
    lines = tuple(_line(trace.run(side), route, graph) for route in layout.routes)
    run = trace.run(side)
    more = [f"{box.name} {box.note}" for box in boxes if "differs" in box.marks]
    told = f"{len(boxes)} nodes; {run.total} activations"
    if more:
        told += f"; different from the other engine: {', '.join(more)}"
    return Drawing(boxes, lines, layout.width, layout.height, told)


def _box(trace: CaseTrace, side: Side, name: str, x: float, y: float) -> Box:
    run, other = trace.run(side), trace.run("candidate" if side == "legacy" else "legacy")
    count, end = count_of(run, other, name), run.ends.get(name)
    note = _note(count, end.status if end else "")
    first = trace.first is not None and trace.first[0] == name
    marks = {
        "first": first,
        "differs": _differs(run, other, name),
        "idle": count == 0 or (count is None and end is None),
        "failed": (end is not None and end.status == "failed") or any(step.raised for step in _steps(run, name)),
    }
    told = f"{name}: {note}" if note else name
    if first and trace.first:
        told += f"; the first divergence is at its activation {trace.first[1] + 1}"
    label = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
    return Box(name, label, note, x, y, " ".join(mark for mark, holds in marks.items() if holds), told)


def _steps(run: RunTrace, name: str) -> list[Step]:
    return [step for step in run.steps if step.node == name]


def count_of(run: RunTrace, other: RunTrace, name: str) -> int | None:
    """How often a node ran; never, where only the other engine ran it; None where neither says."""
    found = run.counts.get(name)
    return 0 if found is None and run.traced and name in other.counts else found


def _differs(run: RunTrace, other: RunTrace, name: str) -> bool:
    counts = count_of(run, other, name), count_of(other, run, name)
    ends = run.ends.get(name), other.ends.get(name)
    if None not in counts and counts[0] != counts[1]:
        return True
    return ends[0] is not None and ends[1] is not None and ends[0].status != ends[1].status


def _note(count: int | None, status: str) -> str:
    if status == "skipped" and not count:
        return "skipped"
    ran = "" if count is None else "not run" if count == 0 else f"{count} run{'' if count == 1 else 's'}"
    return ", ".join(part for part in (ran, status if status != "completed" else "") if part)


def _line(run: RunTrace, route: Route, graph: Graph | None) -> Line:
    edge = (route.source, route.target)
    marks = {
        "back": route.back,
        "branch": graph is not None and _is_of_a_group(graph, *edge),
        "optional": graph is not None and edge in graph.optional,
        "idle": any(run.counts.get(name, 1) == 0 for name in edge),
    }
    return Line(_path(route), " ".join(mark for mark, holds in marks.items() if holds))


def _path(route: Route) -> str:
    """A path that leaves and enters boxes upright; a loop stands at the right of its box."""
    (x, y), *rest = route.points
    if route.loop:
        right, middle = x + WIDTH / 2, y - HEIGHT / 2
        return f"M {right:g} {middle + 9:g} c 16 4, 16 -22, 0 -18"
    parts = [f"M {x:g} {y:g}"]
    for to_x, to_y in rest:
        half = (y + to_y) / 2
        parts.append(f"C {x:g} {half:g}, {to_x:g} {half:g}, {to_x:g} {to_y:g}" if x != to_x else f"V {to_y:g}")
        x, y = to_x, to_y
    return " ".join(parts)


def supersteps(run: RunTrace) -> Sequence[tuple[int, tuple[tuple[str, str], ...]]]:
    """Each superstep's activations by key, with the sources that had ended before; none for an engine that has none."""
    found: dict[int, list[tuple[str, str]]] = {}
    for step in run.steps:
        if step.superstep is not None:
            key = f"{step.node}#{step.activation + 1}"
            found.setdefault(step.superstep, []).append((key, ", ".join(step.after)))
    return [(number, tuple(found[number])) for number in sorted(found)]

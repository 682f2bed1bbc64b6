"""What the page shows of one diverging case besides its divergences: both graphs, activations side by side, supersteps. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..observation import SIDES, Side
from ..traces import CaseTrace, End, RunTrace, Shown, Step, ValueDifference
from .base import counted
from .html_graph import Drawing, draw_both, supersteps

MOST_ENDS = 120


@dataclass(frozen=True)
class Panel:
    """One engine's side. `drawing` None: there is nothing to draw."""

    side: Side
    engine: str
    summary: str
    drawing: Drawing | None
    supersteps: Sequence[tuple[int, tuple[tuple[str, str], ...]]]
    data: Shown | None


@dataclass(frozen=True)
class Pair:
    """One activation under both engines; a side on which it did not take place is None.

    `places` are its numbers in the order of each run; `state` is "same", "differs", or where alone it took place.
    """

    key: str
    node: str
    legacy: Step | None
    candidate: Step | None
    places: tuple[int | None, int | None]
    state: str
    first: bool
    differences: tuple[ValueDifference, ...]

    @property
    def sides(self) -> tuple[tuple[Side, Step | None], ...]:
        """Both sides by name."""
        return (("legacy", self.legacy), ("candidate", self.candidate))


@dataclass(frozen=True)
class EndRow:
    """How one node ended under both engines."""

    node: str
    legacy: str
    candidate: str
    differs: bool


@dataclass(frozen=True)
class Exhibit:
    """All of it. `notes` are what a reader must know before looking."""

    case: str
    panels: tuple[Panel, Panel]
    pairs: tuple[Pair, ...]
    ends: tuple[EndRow, ...]
    results: tuple[ValueDifference, ...]
    notes: tuple[str, ...]


def exhibit_of(trace: CaseTrace) -> Exhibit:
    """The exhibit of a case."""
    drawings = draw_both(trace)
    panels = tuple(_panel(trace.run(side), side, drawings[side]) for side in SIDES)
    results = tuple(item for item in trace.differences if item.activation is None and item.what != "status")
    return Exhibit(trace.case, (panels[0], panels[1]), _pairs(trace), _ends(trace), results, tuple(_notes(trace)))


def _panel(run: RunTrace, side: Side, drawing: Drawing | None) -> Panel:
    rows = supersteps(run)
    parts = [counted(run.total, "activation")] if run.traced else ["gave no tap: activations were not seen"]
    if rows:
        # Those in which only nodes without a tap ran are not among them, so they are not counted.
        parts[0] += f" in supersteps {rows[0][0]} to {rows[-1][0]}"
    parts.append(_ending(run))
    return Panel(side, run.engine, ", ".join(part for part in parts if part), drawing, rows, run.data)


def _ending(run: RunTrace) -> str:
    if run.broken:
        return f"{'did not end in time' if run.broken == 'timeout' else run.broken}: {run.error}"
    if run.interrupt:
        return f"waits at {run.interrupt}"
    if run.succeeded is None:
        return ""
    return "succeeded" if run.succeeded else f"failed: {run.error}" if run.error else "failed"


def _notes(trace: CaseTrace) -> list[str]:
    notes = (
        [f"These runs are of one of two completion orders: the case diverges {trace.schedule}."]
        if trace.schedule
        else []
    )
    if trace.graph is None:
        notes.append("The workflow's graph is not known (give the case `edges`): each run is drawn in its own order.")
    elif trace.graph.left_out:
        left = counted(trace.graph.left_out, "node")
        notes.append(f"The graph is large: the nodes nearest to the first divergence are drawn, {left} left out.")
    for side in SIDES:
        run = trace.run(side)
        if run.total > len(run.steps):
            span = f"{run.first + 1} to {run.first + len(run.steps)}"
            notes.append(
                f"Of {run.total} {side} activations, those from {span} are shown, around the first divergence."
            )
    return notes


def _pairs(trace: CaseTrace) -> tuple[Pair, ...]:
    """The legacy run's order; what only the candidate ran stands after what it ran before that."""
    steps = {side: {(step.node, step.activation): step for step in trace.run(side).steps} for side in SIDES}
    places = {side: {key: trace.run(side).first + at + 1 for at, key in enumerate(steps[side])} for side in SIDES}
    order = list(steps["legacy"])
    after = -1
    for key in steps["candidate"]:
        if key in steps["legacy"]:
            after = order.index(key)
        else:
            after += 1
            order.insert(after, key)
    found: dict[tuple[str, int | None], list[ValueDifference]] = {}
    for item in trace.differences:
        found.setdefault((item.node or "", item.activation), []).append(item)
    rows = []
    for key in order:
        one, other = (steps[side].get(key) for side in SIDES)
        numbers = places["legacy"].get(key), places["candidate"].get(key)
        differences = tuple(found.get(key, ()))
        state = _state(one, other)
        rows.append(Pair(f"{key[0]}#{key[1] + 1}", key[0], one, other, numbers, state, key == trace.first, differences))
    return tuple(rows)


def _state(one: Step | None, other: Step | None) -> str:
    if one is None or other is None:
        return "only legacy" if one is not None else "only candidate"
    return "same" if _told(one) == _told(other) else "differs"


def _told(step: Step) -> tuple[object, ...]:
    """What makes an activation the same as the other engine's; its place in the order is not among it."""
    returned = step.returned.digest if step.returned else None
    return step.saw.digest, returned, step.raised, step.ended, step.mutated


def _ends(trace: CaseTrace) -> tuple[EndRow, ...]:
    """The nodes' ends, those that differ first where not all can be shown."""
    names = sorted({*trace.legacy.ends, *trace.candidate.ends})
    rows = [_end_row(name, trace.legacy.ends.get(name), trace.candidate.ends.get(name)) for name in names]
    kept = sorted(rows, key=lambda row: not row.differs)[:MOST_ENDS]
    return tuple(sorted(kept, key=lambda row: row.node))


def _end_row(name: str, one: End | None, other: End | None) -> EndRow:
    differs = one is not None and other is not None and one.status != other.status
    return EndRow(name, _end(one), _end(other), differs)


def _end(end: End | None) -> str:
    if end is None:
        return "not shown"
    told = end.error or end.reason
    return f"{end.status}: {told}" if told else end.status

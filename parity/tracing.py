"""Traces for a report, made from observations while the gate runs: of few cases, cut to a size, those that matter first.

It decides what is kept; what it looks like is `traces`' matter, and what it means the rules'.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from .baseline import Known
from .causes import ended_between
from .divergence import Divergence
from .judging import Judged
from .observation import Activation, Observation, RecordedEnd
from .recorded import Value
from .shape import Shape
from .showing import differing_places, printable, shown
from .traces import MOST_CASES, CaseTrace, End, Graph, RunTrace, Shown, Step, ValueDifference

MOST_NODES = 120
MOST_STEPS = 120
"""Activations of one run."""
MOST_DIFFERENCES = 60
ROOM = 24_000
"""Characters for the values of one case, shared by all of them."""
SHORTEST, LONGEST = 80, 2_000


class TraceKeeper:
    """Keeps the traces of some cases of a running gate: those with a divergence that no entry knows first, then by id."""

    def __init__(self, baseline: Iterable[Known] = (), most: int = MOST_CASES) -> None:
        self._entries, self._most = tuple(baseline), most
        self._kept: list[tuple[bool, str, CaseTrace]] = []

    def watch(self, running: Generator[Judged, None, None]) -> Generator[Judged, None, None]:
        """The same cases, as they come, without their observations: those of a case that is not kept are let go."""
        try:
            for judged in running:
                self._add(judged)
                yield replace(judged, runs=None)
        finally:
            running.close()

    def traces(self) -> tuple[CaseTrace, ...]:
        """What was kept, by case."""
        return tuple(sorted((trace for _, _, trace in self._kept), key=lambda trace: trace.case))

    def _add(self, judged: Judged) -> None:
        if judged.runs is None or not judged.divergences:
            return
        place = (_is_known(judged.divergences, self._entries), judged.case)
        if len(self._kept) >= self._most and place > self._kept[-1][:2]:
            return
        trace = trace_case(judged.case, judged.divergences, *judged.runs)
        insort(self._kept, (*place, trace), key=lambda row: row[:2])
        del self._kept[self._most :]


def pick_traces(
    traces: Iterable[CaseTrace], found: Iterable[Divergence], baseline: Iterable[Known]
) -> tuple[CaseTrace, ...]:
    """Of the traces of several reports those that one run would have kept."""
    entries = tuple(baseline)
    by_case: dict[str, list[Divergence]] = {}
    for item in found:
        by_case.setdefault(item.case, []).append(item)
    known = {case: _is_known(items, entries) for case, items in by_case.items()}
    chosen = sorted(traces, key=lambda trace: (known.get(trace.case, True), trace.case))[:MOST_CASES]
    return tuple(sorted(chosen, key=lambda trace: trace.case))


def _is_known(divergences: Iterable[Divergence], entries: Iterable[Known]) -> bool:
    return all(any(entry.matches(item) for entry in entries) for item in divergences)


def trace_case(case: str, found: Iterable[Divergence], legacy: Observation, candidate: Observation) -> CaseTrace:
    """The trace of one case; `found` are its divergences in the order of time."""
    divergences = tuple(found)
    first = next(((item.node, item.activation or 0) for item in divergences if item.node is not None), None)
    shape = legacy.shape or candidate.shape
    told = next((item.schedule for item in divergences if item.schedule), "")
    room = sum(2 * min(len(run.activations), MOST_STEPS) for run in (legacy, candidate)) or 1
    show = partial(shown, limit=max(SHORTEST, min(LONGEST, ROOM // room)))
    return CaseTrace(
        case,
        _run(legacy, first, show),
        _run(candidate, first, show),
        None if shape is None else _graph(shape, first and first[0]),
        first and (printable(first[0]), first[1]),
        told,
        _differences(legacy, candidate),
    )


def _run(run: Observation, first: tuple[str, int] | None, show: partial[Shown]) -> RunTrace:
    steps = _ordered(run)
    place = next((at for at, (_, item) in enumerate(steps) if (item.node, item.ordinal) == first), 0)
    start = max(0, min(place - MOST_STEPS // 2, len(steps) - MOST_STEPS))
    names = sorted({*run.by_node, *run.ends})
    outcome = run.outcome
    return RunTrace(
        printable(run.engine),
        run.traced,
        tuple(_step(run, wave, item, show) for wave, item in steps[start : start + MOST_STEPS]),
        start,
        len(steps),
        {printable(name): count for name in names if (count := run.runs(name)) is not None},
        {printable(name): _end(end, show) for name, end in sorted(run.ends.items())},
        None if outcome is None or outcome.data is None else show(_content(outcome.data)),
        run.succeeded,
        run.error and printable(run.error)[:LONGEST],
        run.broken.kind if run.broken else None,
        outcome.interrupt and printable(outcome.interrupt[0]) if outcome else None,
    )


def _ordered(run: Observation) -> list[tuple[int, Activation]]:
    """The activations with their waves. What ran at once has no order but that of the names."""
    ends = sorted(item.end for item in run.activations if item.end is not None)
    before = [bisect_left(ends, item.begin) for item in run.activations]
    waves = {count: wave for wave, count in enumerate(sorted(set(before)))}
    rows = [(waves[count], item) for count, item in zip(before, run.activations, strict=True)]
    return sorted(rows, key=lambda row: (row[0], row[1].node, row[1].ordinal))


def _step(run: Observation, wave: int, item: Activation, show: partial[Shown]) -> Step:
    since = max((one.begin for one in run.by_node[item.node] if one.begin < item.begin), default=0)
    sources = _tapped_sources(run.shape, item.node, frozenset(run.by_node)) if run.shape else ()
    return Step(
        printable(item.node),
        item.ordinal,
        wave,
        show(item.saw),
        None if item.returned is None else show(item.returned),
        item.raised and printable(item.raised)[:LONGEST],
        item.end is not None,
        item.superstep,
        tuple(sorted(map(printable, ended_between(run, sources, since, item.begin)))),
        tuple(printable(path) for path in item.mutated),
    )


def _tapped_sources(shape: Shape, node: str, tapped: frozenset[str]) -> set[str]:
    """The nearest nodes before a node of which activations were seen: conditions and groups are looked through."""
    found: set[str] = set()
    seen: set[str] = set()
    stack = list(_before(shape, node))
    while stack:
        name = stack.pop()
        if name in tapped:
            found.add(name)
        elif name not in seen:
            seen.add(name)
            stack.extend(_before(shape, name))
    return found


def _before(shape: Shape, node: str) -> Iterator[str]:
    """The nodes that end right before a node begins: for a group, its branches; for a branch, the group."""
    for name in shape.sources.get(node, ()):
        inside = [branch for branch, group in shape.groups.items() if group == name]
        yield from inside or [name]
    if node in shape.groups:
        yield shape.groups[node]


def _end(end: RecordedEnd, show: partial[Shown]) -> End:
    told = [text and printable(text)[:LONGEST] for text in (end.error, end.reason)]
    return End(end.status, None if end.output is None else show(end.output), *told)


def _content(data: Mapping[str, Value]) -> Value:
    kept = {
        key: value.content if value.kept else f"<{value.digest[:10]}, too large to keep>" for key, value in data.items()
    }
    return Value.of(kept)


def _graph(shape: Shape, first: str | None) -> Graph:
    names = _around(shape, first)
    sources = {
        name: tuple(one for one in shape.sources[name] if one in names) for name in shape.sources if name in names
    }
    return Graph(
        {printable(name): tuple(map(printable, waits)) for name, waits in sources.items()},
        tuple(sorted((printable(a), printable(b)) for a, b in shape.optional if {a, b} <= names)),
        tuple(sorted(printable(name) for name in shape.loops if name in names)),
        {printable(name): printable(group) for name, group in sorted(shape.groups.items()) if name in names},
        len(shape.sources) - len(names),
    )


def _around(shape: Shape, first: str | None) -> set[str]:
    """The nodes that are drawn: all, or as many as there is room for, the nearest to the first divergence."""
    if len(shape.sources) <= MOST_NODES:
        return set(shape.sources)
    near: dict[str, list[str]] = {name: [] for name in shape.sources}
    for name, waits in shape.sources.items():
        for one in waits:
            near.setdefault(one, []).append(name)
            near[name].append(one)
    found = dict.fromkeys([first if first in near else next(iter(near))])
    for name in (queue := list(found)):
        for one in sorted(near[name]):
            if one not in found and len(found) < MOST_NODES:
                found[one] = None
                queue.append(one)
    return set(found)


def _differences(legacy: Observation, candidate: Observation) -> tuple[ValueDifference, ...]:
    """Values that differ, in the legacy run's order, then node results, then the final data."""
    theirs = {(item.node, item.ordinal): item for item in candidate.activations}
    found: list[ValueDifference] = []
    for _, one in _ordered(legacy):
        if (other := theirs.get((one.node, one.ordinal))) is not None:
            found.extend(_of_activation(one, other))
    found.extend(_of_ends(legacy, candidate))
    if legacy.outcome and candidate.outcome and legacy.outcome.data is not None and candidate.outcome.data is not None:
        found.extend(_difference("final data", _content(legacy.outcome.data), _content(candidate.outcome.data)))
    return tuple(found[:MOST_DIFFERENCES])


def _of_activation(one: Activation, other: Activation) -> list[ValueDifference]:
    place = (printable(one.node), one.ordinal)
    found = [
        *_difference("saw", one.saw, other.saw, *place),
        *_difference("returned", one.returned, other.returned, *place),
    ]
    if one.raised != other.raised:
        left, right = (printable(text or "nothing")[:LONGEST] for text in (one.raised, other.raised))
        found.append(ValueDifference("raised", (("", left, right),), *place))
    return found


def _of_ends(legacy: Observation, candidate: Observation) -> list[ValueDifference]:
    found: list[ValueDifference] = []
    for name in sorted(legacy.ends.keys() & candidate.ends.keys()):
        one, other = legacy.ends[name], candidate.ends[name]
        if one.status != other.status:
            found.append(ValueDifference("status", (("", one.status, other.status),), printable(name)))
        if one.output is not None and other.output is not None:
            found.extend(_difference("output", one.output, other.output, printable(name)))
    return found


def _difference(
    what: str, one: Value | None, other: Value | None, node: str | None = None, activation: int | None = None
) -> list[ValueDifference]:
    rows, more = differing_places(one, other)
    return [ValueDifference(what, rows, node, activation, more)] if rows else []

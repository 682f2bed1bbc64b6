"""What the gate costs beside the engines that it runs, and what a shadow adds to a caller."""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphlift.adapters import Workflow, parse_workflow
from graphlift.parity import Case, Outcome, Tap, gate, outcome_of, run_gate
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.forking import TOGETHER, Forking
from graphlift.parity.rules import builtin_rules
from graphlift.parity.shadow import Budget, Shadow

WORKFLOWS, INPUTS, JOBS = 500, 20, 2
CHUNK = 50
"""Workflows of one measurement of the gate; before and after it the engines run alone, so that other load hits both."""
CALLS, BLOCK = 2_000, 50
ENGINES: Any = (ReferenceEngine(), CompiledEngine())


class Untapped:
    """Hands the handlers to an engine as they are."""

    def __init__(self, case: Case) -> None:
        self.handlers = dict(case.handlers)  # type: ignore[call-overload]


def step(view: Any) -> dict[str, int]:
    return {view.node: view.inputs["n"] + len(view.results)}


def workflow(number: int) -> tuple[Workflow, list[str]]:
    """Six to ten steps with joins and a condition, in one style or the other by turns."""
    if number % 2:
        return _dependency(number)
    tasks = {"start": ["pick"], "a": ["join"], "b": ["c"], "c": ["join"], "join": ["end"], "end": []}
    nodes: list[dict[str, Any]] = [{"kind": "task", "name": name, "next": after} for name, after in tasks.items()]
    condition = {"condition": "inputs['n'] % 2 == 0", "branches": {"True": "a", "False": "b"}}
    nodes.append({"kind": "condition", "name": "pick", **condition})
    data = {"style": "successor", "name": f"w{number}", "start": "start", "nodes": nodes}
    return parse_workflow(data), list(tasks)


def _dependency(number: int) -> tuple[Workflow, list[str]]:
    names = [f"s{index}" for index in range(6 + number % 5)]
    steps: list[dict[str, Any]] = [
        {"name": name, "depends_on": names[max(0, index - 1 - index % 2) : index]} for index, name in enumerate(names)
    ]
    if number % 3 == 0:
        steps[-2]["when"] = "inputs['n'] % 2 == 0"
    return parse_workflow({"style": "dependency", "name": f"w{number}", "steps": steps}), names


def cases(first: int, count: int) -> list[Case]:
    found = []
    for number in range(first, first + count):
        definition, names = workflow(number)
        handlers = dict.fromkeys(names, step)
        found += [Case(f"w{number:03d}/{n:02d}", f"w{number}", definition, {"n": n}, handlers) for n in range(INPUTS)]
    return found


def cpu() -> float:
    """CPU seconds of this process and of the children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@contextmanager
def always_twice() -> Iterator[None]:
    """Each engine twice on every case, also where the gate would see that a second schedule cannot tell more."""
    usual = gate.wants_another_run
    gate.wants_another_run = lambda *_: True
    try:
        yield
    finally:
        gate.wants_another_run = usual


def own(chosen: list[Case]) -> float:
    """CPU seconds of both engines, twice on every case, with nothing around them."""
    began = time.process_time()
    for case in chosen:
        for engine in (*ENGINES, *ENGINES):
            engine.run(case, Untapped(case))
    return time.process_time() - began


def gated(chosen: list[Case], together: int) -> tuple[float, float]:
    """CPU and wall seconds of the gate."""
    with tempfile.TemporaryDirectory() as folder, always_twice():
        began, clock = cpu(), time.monotonic()
        report = run_gate(
            ENGINES,
            chosen,
            builtin_rules(),
            root=Path(folder),
            pool=lambda engines, known: Forking(engines, known, jobs=JOBS, together=together),
        )
        assert report.green, report.findings[:3]
        return cpu() - began, time.monotonic() - clock


def section(quick: bool) -> str:
    """The table, and the bars with what was measured against each."""
    chunks = 1 if quick else 3
    own(cases(WORKFLOWS, 2))
    rows: dict[str, list[tuple[float, float, float]]] = {"batch": [], "run": []}
    for number in range(chunks):
        print(f"parity / {number + 1} of {chunks}", file=sys.stderr, flush=True)
        for name, together, size in (("batch", TOGETHER, CHUNK), ("run", 1, CHUNK // 10)):
            chosen = cases(number * CHUNK, size)
            before = own(chosen)
            spent, wall = gated(chosen, together)
            rows[name].append(((before + own(chosen)) / 2 / len(chosen), spent / len(chosen), wall / len(chosen)))
    added = shadow_adds(CALLS // 10 if quick else CALLS)
    return "\n".join([*_table(rows, chunks), "", "Bars:", "", *_bars(rows, added)])


def _table(rows: dict[str, list[tuple[float, float, float]]], chunks: int) -> Iterator[str]:
    yield "## parity: milliseconds a case"
    yield ""
    yield f"Reference walker and compiled graph, six to ten trivial steps, each engine twice on every case (forced), {JOBS} jobs."
    yield f"A sample: {chunks} times {CHUNK} workflows with {INPUTS} inputs for `--isolate batch`, a tenth of that for `run`. CPU of"
    yield "the process and its children; `engines` are the same runs with nothing around them, before and after each measurement."
    yield ""
    yield "| --isolate | engines | gate | overhead | wall |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, found in rows.items():
        mine, spent, wall = (statistics.median(column) * 1e3 for column in zip(*found, strict=True))
        yield f"| {name} | {mine:.1f} | {spent:.1f} | {_overhead(found):.2f}x | {wall:.1f} |"


def _overhead(found: list[tuple[float, float, float]]) -> float:
    return statistics.median((spent - mine) / mine for mine, spent, _ in found)


def _bars(rows: dict[str, list[tuple[float, float, float]]], added: dict[str, float]) -> Iterator[str]:
    _, spent, wall = (statistics.median(column) for column in zip(*rows["batch"], strict=True))
    total = WORKFLOWS * INPUTS
    yield (
        f"- {WORKFLOWS} workflows x {INPUTS} inputs ({4 * total:,} runs) under 300 s on 2 cores: {spent * total / JOBS:.0f} s of CPU"
        f" on each, {wall * total:.0f} s by the clock of a machine with other load (extrapolated)"
    )
    yield f"- the gate's own overhead at most 1.5x the engines' own time: {_overhead(rows['batch']):.2f}x"
    yield (
        f"- shadow adds less than 1 ms at p99 to the caller, every run sampled: {added['p99']:.2f} ms"
        f" (median {added['median']:.2f} ms; CPU of the caller's thread at p99 {added['cpu']:.2f} ms)"
    )


def shadow_adds(calls: int) -> dict[str, float]:
    """Milliseconds that a call takes longer with a shadow, which replays earlier calls beside it; blocks take turns."""
    handlers = {f"s{index}": _wait for index in range(8)}
    walker = _Walking(handlers)
    shadow = Shadow(
        _Walking(dict(handlers)), _Replaying(handlers), sinks=[lambda _: None], budget=Budget(waiting=BLOCK + 1)
    )
    plain, shadowed, busy = [], [], []
    for _ in range(calls // BLOCK):
        plain += [_timed(lambda: walker.run("order", {"n": 1}))[0] for _ in range(BLOCK)]
        served = [_timed(lambda: shadow.run("order", {"n": 1})) for _ in range(BLOCK)]
        shadowed += [wall for wall, _ in served]
        busy += [spent for _, spent in served]
        shadow.mirror.drain()
    counts = shadow.mirror.counts
    assert (counts.shadowed, counts.differing) == (len(shadowed), 0), counts
    return {
        "p99": statistics.median(_p99(more) - _p99(usual) for usual, more in _parts(plain, shadowed)) * 1e3,
        "median": (statistics.median(shadowed) - statistics.median(plain)) * 1e3,
        "cpu": _p99(busy) * 1e3,
    }


def _parts(plain: list[float], shadowed: list[float]) -> Iterator[tuple[list[float], list[float]]]:
    """Tenths of the run: the p99 of a whole is what the machine's other load did at its worst moment."""
    size = max(20, len(plain) // 10)
    for at in range(0, len(plain) - size + 1, size):
        yield plain[at : at + size], shadowed[at : at + size]


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


class _Replaying:
    name, side, sources = "graph", "candidate", ()

    def __init__(self, handlers: dict[str, Callable[..., Any]]) -> None:
        self._handlers = handlers

    def run(self, _: Case, tap: Tap) -> Outcome:
        return outcome_of(_walk(tap.registry(self._handlers)))


class _Walking:
    def __init__(self, handlers: dict[str, Callable[..., Any]]) -> None:
        self.handlers = handlers

    def run(self, workflow: str, inputs: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return _walk(self.handlers)


def _walk(handlers: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {"n": 1, "lines": [{"sku": str(index), "price": index} for index in range(10)]}
    for name, handler in handlers.items():
        data[name] = handler(data)
    return {"success": True, "data": data}


def _wait(data: dict[str, Any]) -> int:
    # A handler of production waits for something: a database, a service.
    time.sleep(0.0002)
    return len(data)


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    clock, busy = time.perf_counter(), time.thread_time()
    call()
    return time.perf_counter() - clock, time.thread_time() - busy

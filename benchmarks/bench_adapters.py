"""Cost of a step: compiled workflows against hand-wired LangGraph with waiting edges and against the reference walker."""

from __future__ import annotations

import gc
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from graphlift.adapters import DependencyStep, DependencyWorkflow, compile_workflow, run_dependency

Dag = dict[str, list[str]]
SIZES = (100, 1_000, 5_000, 20_000)
SHAPES = ("chain", "wide", "layered")
SAVERS = ("none", "memory", "sqlite")
# Where stock LangGraph would take hours or more memory than there is, the cell stays empty.
STOCK_UP_TO = {"none": 20_000, "memory": 1_000, "sqlite": 5_000}
OURS_UP_TO = {"none": 20_000, "memory": 20_000, "sqlite": 20_000}
REPEATS = {100: 9, 1_000: 5, 5_000: 3, 20_000: 3}


class Stock(TypedDict, total=False):
    """The state of a hand-wired graph: one merged channel, which is the cheapest way that stock LangGraph has."""

    steps: Annotated[dict[str, Any], lambda left, right: {**left, **right}]


@dataclass
class Cell:
    """CPU seconds a step of every run of one engine in one case, and the bytes that its checkpoints took."""

    seconds: list[float] = field(default_factory=list)
    size: int | None = None

    @property
    def micros(self) -> float:
        """The median, in microseconds a step."""
        return statistics.median(self.seconds) * 1e6


def dag(shape: str, size: int) -> Dag:
    """Steps and their dependencies."""
    names = [f"s{index}" for index in range(size)]
    if shape == "chain":
        return {name: names[index - 1 : index] if index else [] for index, name in enumerate(names)}
    if shape == "wide":
        return {names[0]: [], **{name: [names[0]] for name in names[1:-1]}, names[-1]: names[1:-1]}
    width = 20
    return {
        name: [names[index - width + offset] for offset in (-1, 0, 1) if 0 <= index - width + offset < index]
        if index >= width
        else []
        for index, name in enumerate(names)
    }


def stock(shape: Dag, saver: Any) -> Callable[[str], object]:
    """Hand-wired LangGraph: a plain edge for one dependency, a waiting edge for several."""
    graph: Any = StateGraph(Stock)
    for name in shape:
        graph.add_node(name, partial(_stock_step, name))
    for name, needs in shape.items():
        graph.add_edge(START if not needs else needs[0] if len(needs) == 1 else needs, name)
    compiled = graph.compile(checkpointer=saver)
    limit = len(shape) + 10
    return lambda thread: compiled.invoke(
        {"steps": {}}, {"recursion_limit": limit, "configurable": {"thread_id": thread}}
    )


def _stock_step(name: str, _: Any) -> dict[str, Any]:
    return {"steps": {name: 1}}


def _step(_: Any) -> int:
    return 1


def ours(shape: Dag, saver: Any) -> Callable[[str], object]:
    """The same steps through graphlift, as it comes."""
    compiled = compile_workflow(_workflow(shape), dict.fromkeys(shape, _step), checkpointer=saver)
    return lambda thread: compiled.run({}, thread_id=thread if saver else None)


def walker(shape: Dag, _: Any) -> Callable[[str], object]:
    """The reference executor; it has no checkpoints."""
    workflow, handlers = _workflow(shape), dict.fromkeys(shape, _step)
    return lambda _: run_dependency(workflow, handlers)


def _workflow(shape: Dag) -> DependencyWorkflow:
    steps = tuple(DependencyStep(name=name, depends_on=tuple(needs)) for name, needs in shape.items())
    return DependencyWorkflow(name="bench", steps=steps)


@contextmanager
def opened(kind: str, folder: Path, name: str) -> Iterator[Any]:
    """A saver of that kind; SQLite without fsync, for both engines alike."""
    if kind == "none":
        yield None
    elif kind == "memory":
        yield InMemorySaver()
    else:
        connection = sqlite3.connect(folder / f"{name}.db", check_same_thread=False)
        connection.execute("pragma synchronous=off")
        yield SqliteSaver(connection)
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.close()


def measure(shape: str, size: int, kind: str) -> dict[str, Cell]:
    """One case: engines take turns, so that whatever else the machine does hits them alike."""
    steps = dag(shape, size)
    engines: dict[str, Callable[[Dag, Any], Callable[[str], object]]] = {"graphlift": ours}
    if size <= STOCK_UP_TO[kind]:
        engines["stock"] = stock
    if kind == "none":
        engines["walker"] = walker
    cells = {name: Cell() for name in engines}
    print(f"{kind} / {shape} / {size:,}", file=sys.stderr, flush=True)
    heavy = (kind == "sqlite" and size >= 5_000) or size >= 20_000
    for turn in range(REPEATS[size]):
        for name, make in engines.items():
            # One run of a slow peer is minutes long, and says enough.
            if not (heavy and turn and name == "stock"):
                _one(cells[name], make, steps, kind, name)
    return cells


def _one(cell: Cell, make: Callable[[Dag, Any], Callable[[str], object]], steps: Dag, kind: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with opened(kind, Path(folder), name) as saver:
            run = make(steps, saver)
            gc.collect()
            began = time.process_time()
            run("t")
            cell.seconds.append((time.process_time() - began) / len(steps))
        if kind == "sqlite":
            cell.size = sum(path.stat().st_size for path in Path(folder).iterdir())


def section(quick: bool) -> str:
    """The table, and the bars with what was measured against each."""
    sizes = SIZES[:2] if quick else SIZES
    results = {
        (kind, shape, size): measure(shape, size, kind)
        for kind in SAVERS
        for shape in SHAPES
        for size in sizes
        if size <= OURS_UP_TO[kind]
    }
    head = [
        "## adapters: microseconds a step",
        "",
        "`stock` is hand-wired LangGraph with waiting edges and one merged channel, `walker` the reference executor (no",
        "checkpoints). Trivial handlers, synchronous entry; SQLite without fsync. CPU time of the process, all threads, which",
        "other load on the machine does not change. Empty: stock would take too long.",
        "",
        "| saver | shape | steps | graphlift | stock | ratio | walker | bytes graphlift | bytes stock |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = [_row(*key, cells) for key, cells in results.items()]
    return "\n".join([*head, *rows, "", "Bars:", "", *_bars(results)])


def _row(kind: str, shape: str, size: int, cells: dict[str, Cell]) -> str:
    mine, theirs, walk = cells["graphlift"], cells.get("stock"), cells.get("walker")
    ratio = f"{mine.micros / theirs.micros:.2f}" if theirs else ""
    texts = [
        kind,
        shape,
        f"{size:,}",
        f"{mine.micros:.0f}",
        f"{theirs.micros:.0f}" if theirs else "",
        ratio,
        f"{walk.micros:.0f}" if walk else "",
        f"{mine.size:,}" if mine.size else "",
        f"{theirs.size:,}" if theirs and theirs.size else "",
    ]
    return f"| {' | '.join(texts)} |"


def _bars(results: dict[tuple[str, str, int], dict[str, Cell]]) -> Iterator[str]:
    ratios = {key: c["graphlift"].micros / c["stock"].micros for key, c in results.items() if "stock" in c}
    worst = max(ratios, key=lambda key: ratios[key])
    yield f"- never more than 1.15x stock: worst {ratios[worst]:.2f} ({' / '.join(map(str, worst))})"
    for shape in SHAPES:
        big, small = results.get(("none", shape, 20_000)), results["none", shape, 1_000]
        if big:
            growth = big["graphlift"].micros / small["graphlift"].micros
            yield f"- flat growth, 20,000 against 1,000 steps at most 1.3x: {shape} {growth:.2f}"
    for shape in SHAPES:
        cells = results.get(("sqlite", shape, 5_000))
        if cells:
            faster = cells["stock"].micros / cells["graphlift"].micros
            smaller = (cells["stock"].size or 0) / (cells["graphlift"].size or 1)
            yield f"- SQLite at 5,000 steps, at least 8x faster and 100x fewer bytes: {shape} {faster:.1f}x, {smaller:.0f}x"
    shapes = [results["sqlite", shape, 5_000] for shape in SHAPES if ("sqlite", shape, 5_000) in results]
    if shapes:
        faster = sum(c["stock"].micros for c in shapes) / sum(c["graphlift"].micros for c in shapes)
        smaller = sum(c["stock"].size or 0 for c in shapes) / sum(c["graphlift"].size or 1 for c in shapes)
        yield f"- SQLite at 5,000 steps, the same steps in all three shapes together: {faster:.1f}x, {smaller:.0f}x"

"""Cost of inclusive waiting edges against stock ones, and of explaining a long history."""

from __future__ import annotations

import gc
import operator
import statistics
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from graphlift.adapters.inclusive import InclusiveStateGraph
from graphlift.adapters.scheduler import explain

DIAMONDS = (10, 50, 200)
HISTORY = 1_000
TURNS = 7


class State(TypedDict):
    """A list that every node adds to, and a counter for the loop."""

    ran: Annotated[list[str], operator.add]
    count: Annotated[int, operator.add]


def _node(name: str) -> Callable[[State], dict[str, Any]]:
    def body(_: State) -> dict[str, Any]:
        return {"ran": [name]}

    return body


def diamonds(builder: Callable[..., Any], count: int, saver: Any, **edge: bool) -> Callable[[str], object]:
    """A chain of fork and join: `count` waiting edges of three sources each, four nodes a piece."""
    graph = builder(State)
    before = START
    for place in range(count):
        sources = [f"s{place}_{side}" for side in range(3)]
        for name in [*sources, f"j{place}"]:
            graph.add_node(name, _node(name))
        for name in sources:
            graph.add_edge(before, name)
        before = f"j{place}"
        graph.add_edge(sources, before, **edge)
    app = graph.compile(checkpointer=saver)
    limit = 2 * count + 5
    return lambda thread: app.invoke(
        {"ran": [], "count": 0}, {"recursion_limit": limit, "configurable": {"thread_id": thread}}
    )


def _cost(count: int, saved: bool) -> tuple[float, float]:
    """Microseconds a node: inclusive, stock. Runs alternate."""
    print(f"inclusive / {count} joins / {'memory' if saved else 'none'}", file=sys.stderr, flush=True)
    engines = {
        "inclusive": diamonds(InclusiveStateGraph, count, InMemorySaver() if saved else None, inclusive=True),
        "stock": diamonds(StateGraph, count, InMemorySaver() if saved else None),
    }
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for turn in range(TURNS):
        for name, run in engines.items():
            gc.collect()
            began = time.process_time()
            run(f"t{turn}")
            seconds[name].append((time.process_time() - began) / (4 * count))
    inclusive, stock = (statistics.median(seconds[name]) * 1e6 for name in ("inclusive", "stock"))
    return inclusive, stock


def _history(steps: int) -> tuple[InMemorySaver, Any]:
    """A thread of a loop with a fan-out and a join, `steps` supersteps long."""
    graph: Any = StateGraph(State)
    for name in ("a", "b", "c", "join"):
        graph.add_node(name, _node(name))
    graph.add_node("head", lambda _: {"ran": ["head"], "count": 1})
    graph.add_edge(START, "head")
    for name in ("a", "b", "c"):
        graph.add_edge("head", name)
    graph.add_edge(["a", "b", "c"], "join")
    graph.add_conditional_edges("join", lambda state: "head" if state["count"] < steps // 3 else "__end__")
    saver = InMemorySaver()
    app = graph.compile(checkpointer=saver)
    app.invoke({"ran": [], "count": 0}, {"recursion_limit": steps + 10, "configurable": {"thread_id": "t"}})
    return saver, app


def _explaining(steps: int) -> dict[str, float]:
    print(f"explain / {steps} supersteps", file=sys.stderr, flush=True)
    saver, app = _history(steps)
    found = {}
    for name, graph in (("without the graph", None), ("with the graph", app)):
        times = []
        for _ in range(3):
            began = time.process_time()
            explanation = explain(saver, "t", graph=graph)
            times.append(time.process_time() - began)
        assert (explanation.step or 0) >= steps - 3
        found[name] = statistics.median(times)
    return found


def section(quick: bool) -> str:
    """The table, and the bars with what was measured against each."""
    counts = DIAMONDS[:2] if quick else DIAMONDS
    costs = {(count, saved): _cost(count, saved) for saved in (False, True) for count in counts}
    times = _explaining(HISTORY // 10 if quick else HISTORY)
    rows = [
        f"| {count} | {'memory' if saved else 'none'} | {inclusive:.0f} | {stock:.0f} | {inclusive / stock:.2f} |"
        for (count, saved), (inclusive, stock) in costs.items()
    ]
    worst = max(costs, key=lambda key: costs[key][0] / costs[key][1])
    ratio = costs[worst][0] / costs[worst][1]
    return "\n".join(
        [
            "## scheduler: inclusive edges and explain",
            "",
            "Microseconds of CPU a node in a chain of forks and joins, every join an inclusive waiting edge of three sources,",
            "against stock LangGraph's waiting edges.",
            "",
            "| joins | saver | inclusive | stock | ratio |",
            "| ---: | --- | ---: | ---: | ---: |",
            *rows,
            "",
            "Bars:",
            "",
            f"- inclusive at most 1.15x stock: worst {ratio:.2f} ({worst[0]} joins)",
            *(
                f"- explain {HISTORY // 10 if quick else HISTORY:,} supersteps within 3 s: {name} {seconds:.2f} s"
                for name, seconds in times.items()
            ),
        ]
    )

"""What engines do when parallel nodes fail, pause or take too long, and what the gate must say: the right rule, a true cause.

Numbered as the shapes in `test_shapes`: L for what LangGraph does, W for hand-rolled walkers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from graphlift.parity import Case, Divergence, NodeEnd, Outcome, Report, Tap, run_gate
from graphlift.parity.engines import TappedEngine
from graphlift.parity.forking import Forking
from graphlift.parity.rules import builtin_rules

Edges = Mapping[str, tuple[str, ...]]
FORK: Edges = {"b": ("a",), "c": ("a",)}
RUNS_ALL = "ran to its end"


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other}


class State(TypedDict, total=False):
    results: Annotated[dict[str, Any], merged]


def gate(legacy: Any, candidate: Any, tmp_path: Path, edges: Edges | None = FORK, **more: Any) -> Report:
    engines = [TappedEngine("walker", "legacy", legacy), TappedEngine("graph", "candidate", candidate)]
    case = Case("case", "w", {"name": "w"}, edges=edges)
    return run_gate(engines, [case], builtin_rules(), root=tmp_path, **more)


def leading(report: Report) -> list[Divergence]:
    return [item.divergence for item in report.findings if item.follows is None]


def told(report: Report) -> list[tuple[str, str | None, str]]:
    return [(item.rule, item.node, item.cause) for item in leading(report)]


def ended(data: Mapping[str, Any], **nodes: str) -> dict[str, Any]:
    return {"data": data, "nodes": {name: NodeEnd(status) for name, status in nodes.items()}}


def failing(name: str) -> Callable[[Any], Any]:
    def body(seen: Any) -> Any:
        raise ValueError(f"{name} broke")

    return body


async def first(seen: Any) -> Any:
    return {"a": 1}


async def breaks(seen: Any) -> Any:
    raise ValueError("b broke")


async def slow(seen: Any) -> Any:
    for _ in range(50):
        await asyncio.sleep(0)
    return {"c": 1}


ASYNC = {"a": first, "b": breaks, "c": slow}


async def lets_siblings_end(case: Case, tap: Tap) -> Outcome:
    """Runs b and c at once, and waits for both."""
    bodies = {name: tap.wrap(name, body) for name, body in ASYNC.items()}
    data = dict(await bodies["a"]({}))
    for one in await asyncio.gather(bodies["b"](dict(data)), bodies["c"](dict(data)), return_exceptions=True):
        data.update(one if isinstance(one, dict) else {})
    return Outcome(False, error="ValueError: b broke", **ended(data, a="completed", b="failed", c="completed"))


def graph(bodies: Mapping[str, Any], tap: Tap, edges: Edges = FORK) -> Any:
    built: Any = StateGraph(State)
    for name, body in bodies.items():
        built.add_node(name, _node(tap.wrap(name, body)))
    for name in bodies:
        for source in edges.get(name, ()) or (START,):
            built.add_edge(source, name)
    return built.compile(checkpointer=InMemorySaver())


def _node(call: Any) -> Any:
    if asyncio.iscoroutinefunction(call):

        async def later(state: State) -> State:
            return {"results": await call(dict(state["results"]))}

        return later
    return lambda state: {"results": call(dict(state["results"]))}


CONFIG = {"configurable": {"thread_id": "1"}}


def test_l15_an_asynchronous_graph_cancels_the_sibling_of_a_failure(tmp_path: Path) -> None:
    async def cancels(case: Case, tap: Tap) -> Outcome:
        try:
            await graph(ASYNC, tap).ainvoke({"results": {}}, CONFIG)
        except ValueError as error:
            return Outcome(False, error=f"ValueError: {error}")
        raise AssertionError("the graph raises")

    report = gate(lets_siblings_end, cancels, tmp_path)
    (found,) = leading(report)
    assert (found.rule, found.node, found.legacy, found.candidate) == ("GL145", "c", RUNS_ALL, "was cancelled")
    assert found.cause == "under the candidate engine c was cancelled: b had failed with ValueError: b broke"


def test_l15_a_synchronous_graph_lets_the_sibling_end_and_keeps_its_write(tmp_path: Path) -> None:
    bodies = {"a": lambda seen: {"a": 1}, "b": failing("b"), "c": lambda seen: {"c": 1}}

    def stops_at_once(case: Case, tap: Tap) -> Outcome:
        calls = {name: tap.wrap(name, body) for name, body in bodies.items()}
        data = dict(calls["a"]({}))
        try:
            calls["b"](dict(data))
        except ValueError as error:
            return Outcome(False, error=f"ValueError: {error}", **ended(data, a="completed", b="failed"))
        raise AssertionError("b fails")

    def finishes(case: Case, tap: Tap) -> Outcome:
        compiled = graph(bodies, tap)
        try:
            compiled.invoke({"results": {}}, CONFIG)
        except ValueError as error:
            # The write of the sibling waits in the checkpoint for a resume.
            waiting = [task.result for task in compiled.get_state(CONFIG).tasks if task.name == "c"]
            assert waiting == [{"results": {"c": 1}}]
            data = compiled.get_state(CONFIG).values["results"]
            return Outcome(False, error=f"ValueError: {error}", **ended(data, a="completed", b="failed", c="completed"))
        raise AssertionError("the graph raises")

    report = gate(stops_at_once, finishes, tmp_path, edges=None)
    assert told(report) == [
        ("GL143", "c", "b failed; the candidate engine runs c all the same, the other does not"),
    ]


def test_l16_of_two_parallel_failures_one_is_lost(tmp_path: Path) -> None:
    bodies = {"a": lambda seen: {"a": 1}, "b": failing("b"), "c": failing("c")}

    def tells_both(case: Case, tap: Tap) -> Outcome:
        calls = {name: tap.wrap(name, body) for name, body in bodies.items()}
        data, errors = dict(calls["a"]({})), []
        for name in ("b", "c"):
            try:
                calls[name](dict(data))
            except ValueError as error:
                errors.append(f"ValueError: {error}")
        return Outcome(False, error="; ".join(errors), **ended(data, a="completed", b="failed", c="failed"))

    def tells_one(case: Case, tap: Tap) -> Outcome:
        try:
            graph(bodies, tap).invoke({"results": {}}, CONFIG)
        except ValueError as error:
            return Outcome(False, error=f"ValueError: {error}")
        raise AssertionError("the graph raises")

    report = gate(tells_both, tells_one, tmp_path)
    (found,) = leading(report)
    assert (found.rule, found.legacy) == ("GL142", "ValueError: b broke; ValueError: c broke")
    lost = "c" if "b broke" in found.candidate else "b"
    assert found.cause == (
        f"b and c failed under both engines; the candidate engine says nothing of what {lost} raised"
    )


def test_l19_a_body_that_paused_runs_again_whenever_the_run_is_resumed(tmp_path: Path) -> None:
    edges: Edges = {"p": ("a",), "q": ("a",)}

    def asks_before(case: Case, tap: Tap) -> Outcome:
        data: dict[str, Any] = dict(tap.wrap("a", lambda seen: {"a": 1})({}))
        calls = [tap.wrap(name, lambda seen, name=name: {name: "yes"}) for name in "pq"]
        for call in calls:
            data.update(call({"a": 1}))
        return Outcome(True, **ended(data, a="completed", p="completed", q="completed"))

    def asks_inside(case: Case, tap: Tap) -> Outcome:
        bodies = {
            "a": lambda seen: {"a": 1},
            **{name: lambda seen, name=name: {name: interrupt(name)} for name in "pq"},
        }
        compiled = graph(bodies, tap, edges)
        compiled.invoke({"results": {}}, CONFIG)
        while waiting := sorted(compiled.get_state(CONFIG).interrupts, key=lambda one: one.value):
            compiled.invoke(Command(resume={waiting[0].id: "yes"}), CONFIG)
        data = compiled.get_state(CONFIG).values["results"]
        return Outcome(True, **ended(data, a="completed", p="completed", q="completed"))

    report = gate(asks_before, asks_inside, tmp_path, edges)
    assert [(item.rule, item.node, item.legacy, item.candidate) for item in leading(report)] == [
        ("GL101", "p", "ran 1 time", "ran 2 times"),
        ("GL101", "q", "ran 1 time", "ran 3 times"),
    ]
    assert [item.cause for item in leading(report)] == [
        "under the candidate, p#1 paused for a person, and its body starts again when the run is resumed",
        "under the candidate, q#1 and q#2 paused for a person, and its body starts again when the run is resumed",
    ]
    assert "behind the pause" in leading(report)[0].mend


async def gathers(case: Case, tap: Tap) -> Outcome:
    """The first exception ends the run; what the siblings had done is nowhere."""
    bodies = {name: tap.wrap(name, body) for name, body in ASYNC.items()}
    data = dict(await bodies["a"]({}))
    begun = asyncio.Event()

    async def run(name: str) -> None:
        if name == "b":
            await begun.wait()  # so that c has begun whatever the order of turns
        data.update(await bodies[name](dict(data)))

    async def runs_c() -> None:
        begun.set()
        await run("c")

    try:
        await asyncio.gather(runs_c(), run("b"))
    except ValueError as error:
        return Outcome(False, error=f"ValueError: {error}", **ended(dict(data), a="completed", b="failed"))
    raise AssertionError("b fails")


def test_w4_the_first_exception_of_gather_loses_the_siblings_results(tmp_path: Path) -> None:
    report = gate(gathers, lets_siblings_end, tmp_path)
    seen = {(item.divergence.rule, item.divergence.node): item.divergence.cause for item in report.findings}
    assert seen["GL131", "c"] == (
        "only the candidate engine's result lists c; "
        "under the legacy engine it was cancelled: b had failed with ValueError: b broke"
    )


def test_w4_gather_raises_where_the_other_engine_returns(tmp_path: Path) -> None:
    async def raises(case: Case, tap: Tap) -> Any:
        outcome = await gathers(case, tap)
        raise ValueError(str(outcome.error).removeprefix("ValueError: "))

    report = gate(raises, lets_siblings_end, tmp_path)
    seen = {item.divergence.rule: item.divergence.cause for item in report.findings}
    assert seen["GL203"] == "the legacy engine raises after b failed"


# W9: the clock is a counter, so that nothing waits


def timed(limit: int | None) -> Callable[[Case, Tap], Outcome]:
    """Three nodes of two seconds each, every one inside its own limit of three; `limit` is the run's, if it has one."""

    def run(case: Case, tap: Tap) -> Outcome:
        data: dict[str, Any] = {}
        for turn, name in enumerate("abc"):
            if limit is not None and 2 * turn >= limit:
                done = dict.fromkeys("abc"[:turn], "completed")
                return Outcome(False, error=f"TimeoutError: the run took longer than {limit} s", **ended(data, **done))
            data.update(tap.wrap(name, lambda seen, name=name: {name: 1})(dict(data)))
        return Outcome(True, **ended(data, a="completed", b="completed", c="completed"))

    return run


def test_w9_limits_of_nodes_are_no_limit_of_the_run(tmp_path: Path) -> None:
    report = gate(timed(None), timed(4), tmp_path, {"b": ("a",), "c": ("b",)})
    first = leading(report)[0]
    assert (first.rule, first.node) == ("GL102", "c")
    assert first.cause == (
        "no node had failed, but the candidate's run ended with TimeoutError: the run took longer than 4 s before c began"
    )
    assert ("GL140", None) in {(item.divergence.rule, item.divergence.node) for item in report.findings}


def test_w9_a_run_without_a_limit_costs_its_case_and_names_the_node(tmp_path: Path) -> None:
    def hangs(case: Case, tap: Tap) -> Outcome:
        async def forever(seen: Any) -> Any:
            await asyncio.Event().wait()

        asyncio.run(tap.wrap("b", forever)({}))
        raise AssertionError("it never ends")

    # Forked whatever threads other tests have left in this process: they are idle.
    pool = partial(Forking, timeout=0.5)
    report = gate(hangs, timed(4), tmp_path, {"b": ("a",), "c": ("b",)}, pool=pool)
    assert [(item.rule, item.node, item.legacy) for item in leading(report)] == [
        ("GL202", "b", "did not end within 0.5 s")
    ]
    assert leading(report)[0].cause == "the legacy engine ended in b"


# the order in which nodes are taken decides what a failure stops

FLOW = {"a": "bc", "b": "d", "c": "e", "d": "f", "e": "f", "f": ""}
FLOW_EDGES: Edges = {"b": ("a",), "c": ("a",), "d": ("b",), "e": ("c",), "f": ("d", "e")}


def taking(method: str, fails: str) -> Callable[[Case, Tap], Outcome]:
    def run(case: Case, tap: Tap) -> Outcome:
        bodies = {name: failing(name) if name == fails else lambda seen, name=name: {name: 1} for name in FLOW}
        pending, seen, data = deque("a"), list[str](), dict[str, Any]()
        while pending:
            name = getattr(pending, method)()
            if name in seen:
                continue
            seen.append(name)
            try:
                data.update(tap.wrap(name, bodies[name])({}))
            except ValueError as error:
                ends = {one: "failed" if one == name else "completed" for one in seen}
                return Outcome(False, error=f"ValueError: {error}", **ended(data, **ends))
            pending.extend(FLOW[name])
        return Outcome(True, **ended(data, **dict.fromkeys(seen, "completed")))

    return run


def test_depth_first_instead_of_breadth_first_is_told_as_order_and_not_as_a_failure_policy(tmp_path: Path) -> None:
    report = gate(taking("popleft", "e"), taking("pop", "e"), tmp_path, FLOW_EDGES)
    assert told(report) == [
        (
            "GL120",
            "b",
            (
                "under the legacy engine b had ended before e began, so the failure of e could not stop it; "
                "under the candidate engine e comes first"
            ),
        )
    ]
    assert "GL143" not in {item.divergence.rule for item in report.findings}
    assert "wait" in leading(report)[0].mend


def test_the_other_way_round(tmp_path: Path) -> None:
    report = gate(taking("pop", "b"), taking("popleft", "b"), tmp_path, FLOW_EDGES)
    first = leading(report)[0]
    assert (first.rule, first.node, first.legacy) == ("GL120", "c", "c, then b, which fails")
    assert "GL143" not in {item.divergence.rule for item in report.findings}


# a handler that is called twice has no join to mend


def calling(times: int, edges: Edges | None, tmp_path: Path) -> Divergence:
    def run(count: int) -> Callable[[Case, Tap], Outcome]:
        def once(case: Case, tap: Tap) -> Outcome:
            calls = {name: tap.wrap(name, lambda seen, name=name: {name: 1}) for name in "ab"}
            data = dict(calls["a"]({}))
            for _ in range(count):
                answer = calls["b"](dict(data))
            return Outcome(True, {**data, **answer})

        return once

    (found,) = leading(gate(run(1), run(times), tmp_path, edges))
    return found


def test_a_call_that_is_doubled_is_told_as_that(tmp_path: Path) -> None:
    for edges in ({"b": ("a",)}, None):
        found = calling(2, edges, tmp_path)
        assert (found.rule, found.node) == ("GL101", "b")
        assert found.cause == "under the candidate, b#2 saw the same as b#1, and no other node began in between"
        assert found.mend == "look for what starts b: its edges do not explain a second call"


# values that one engine gives back in another form


def giving(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Case, Tap], Outcome]:
    def run(case: Case, tap: Tap) -> Outcome:
        data = dict(tap.wrap("a", lambda seen: {"total": 0.1 + 0.2, "lines": (1, 2)})({}))
        return Outcome(True, change(data))

    return run


def test_rounding_and_types_are_told_as_that_and_not_as_a_lost_update(tmp_path: Path) -> None:
    report = gate(giving(dict), giving(lambda data: {"total": 0.3, "lines": list(data["lines"])}), tmp_path, None)
    told_of = "a wrote the same under both engines, and the candidate engine ends with something else"
    assert [(item.rule, item.subject, item.cause) for item in leading(report)] == [
        ("GL151", "lines", f"{told_of}: the same content as tuple and as list"),
        ("GL151", "total", f"{told_of}: numbers 6e-17 apart, as floating point rounds"),
    ]


def test_a_value_from_nowhere_is_no_lost_update(tmp_path: Path) -> None:
    report = gate(giving(dict), giving(lambda data: {**data, "total": 99}), tmp_path, None)
    assert [(item.rule, item.subject) for item in leading(report)] == [("GL151", "total")]


def test_an_update_that_is_gone_stays_one(tmp_path: Path) -> None:
    report = gate(giving(dict), giving(lambda data: {"lines": data["lines"]}), tmp_path, None)
    assert told(report) == [("GL152", "a", "a wrote total last, but the candidate engine ends with nothing")]

"""`Shadow` in the place of a walker: callers cannot tell, and every run that can be told apart is compared."""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import GraphWorkflowExecutor, SuccessorWorkflow, TaskNode
from graphlift.adapters.errors import UsageError
from graphlift.parity import Case
from graphlift.parity.engines import OutcomeEngine, TappedEngine
from graphlift.parity.shadow import Budget, JsonLines, Shadow, Sighting, case_of_call, read_sightings
from graphlift.parity.shadow.budget import weigh


class Walker:
    """A walker of the usual kind: a registry, a run in every form that teams have."""

    limit = 7

    def __init__(self, handlers: dict[str, Callable[..., Any]], threads: bool = False) -> None:
        self.handlers = handlers
        self.runs = 0
        self.pool = ThreadPoolExecutor(1) if threads else None

    def execute_sync(self, workflow: dict[str, Any], initial_data: dict[str, Any] | None = None) -> dict[str, Any]:
        self.runs += 1
        data = dict(initial_data or {})
        for name in workflow["steps"]:
            handler = self.handlers[name]
            data.update(self.pool.submit(handler, data).result() if self.pool else handler(data))
        return {"success": True, "data": data}

    async def execute(self, workflow: dict[str, Any], initial_data: dict[str, Any] | None = None) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.execute_sync(workflow, initial_data)

    def stream(self, workflow: dict[str, Any], initial_data: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        self.runs += 1
        data = dict(initial_data or {})
        for name in workflow["steps"]:
            data.update(self.handlers[name](data))
            yield {"step": name}
        yield {"success": True, "data": data}

    async def astream(
        self, workflow: dict[str, Any], initial_data: dict[str, Any] | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        for item in self.stream(workflow, initial_data):
            await asyncio.sleep(0)
            yield item


FLOW = {"name": "order", "steps": ["a", "b"]}


def shop() -> tuple[dict[str, Callable[..., Any]], list[str]]:
    done: list[str] = []
    return {
        "a": lambda data: done.append("a") or {"a": data["n"] + 1},
        "b": lambda data: done.append("b") or {"b": data["a"] * 2},
    }, done


def graph(case: Case, handlers: dict[str, Any]) -> dict[str, Any]:
    data = dict(case.inputs)
    for name in case.definition["steps"]:
        data.update(handlers[name](data))
    return {"success": True, "data": data}


def twice(case: Case, handlers: dict[str, Any]) -> dict[str, Any]:
    handlers["a"](dict(case.inputs))
    return graph(case, handlers)


def collect(stream: AsyncIterator[Any]) -> list[Any]:
    async def main() -> list[Any]:
        return [item async for item in stream]

    return asyncio.run(main())


CALLS: dict[str, Callable[[Any], Any]] = {
    "execute_sync": lambda it: it.execute_sync(FLOW, {"n": 1}),
    "execute": lambda it: asyncio.run(it.execute(FLOW, initial_data={"n": 1})),
    "stream": lambda it: list(it.stream(FLOW, {"n": 1}))[-1],
    "astream": lambda it: collect(it.astream(FLOW, {"n": 1}))[-1],
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("candidate", "found"), [(graph, set()), (twice, {"GL101", "GL210"})], ids=["same", "twice"])
def test_every_way_to_run_is_served_and_compared(call: str, candidate: Any, found: set[str]) -> None:
    handlers, done = shop()
    seen: list[Sighting] = []
    it = Shadow(Walker(handlers), candidate, sinks=[seen.append])
    assert CALLS[call](it) == {"success": True, "data": {"n": 1, "a": 2, "b": 4}}
    it.mirror.drain()
    assert done == ["a", "b"]
    assert [(each.case, each.failed) for each in seen] == [("order", None)]
    assert found <= {item.rule for item in seen[0].divergences}
    assert bool(seen[0].divergences) is bool(found)
    assert it.mirror.held == 0


def test_the_first_sighting_of_a_kind_tells_how_both_runs_went(tmp_path: Path) -> None:
    seen: list[Sighting] = []
    kept, bare = JsonLines(tmp_path / "kept.jsonl"), JsonLines(tmp_path / "bare.jsonl", traces=False)
    it = Shadow(Walker(shop()[0]), twice, sinks=[seen.append, kept, bare])
    for _ in range(2):
        it.execute_sync(FLOW, {"n": 1})
    it.mirror.drain()
    assert [each.trace is not None for each in seen] == [True, False]
    trace = seen[0].trace
    assert trace is not None
    assert [step.node for step in trace.legacy.steps] == ["a", "b"]
    assert [step.node for step in trace.candidate.steps][:2] == ["a", "a"]
    read = read_sightings(tmp_path / "kept.jsonl", "kept.jsonl")
    assert [each.trace for each in read] == [trace, None]
    assert [each.trace for each in read_sightings(tmp_path / "bare.jsonl", "bare.jsonl")] == [None, None]


def test_it_is_the_walker_for_everybody_who_asks() -> None:
    walker = Walker(shop()[0])
    it = Shadow(walker, graph, sinks=[])
    assert isinstance(it, Walker)
    assert it.limit == 7
    it.limit = 9
    assert walker.limit == 9
    del it.limit
    assert walker.limit == 7
    assert inspect.iscoroutinefunction(it.execute)
    assert not inspect.iscoroutinefunction(it.execute_sync)
    assert "execute" in dir(it)
    it.execute_sync(FLOW, {"n": 1})
    assert it.runs == walker.runs == 1
    with pytest.raises(AttributeError, match="nothing"):
        it.nothing


def test_an_exception_is_the_walkers_own() -> None:
    def fails(data: Any) -> Any:
        raise LookupError("gone")

    seen: list[Sighting] = []
    it = Shadow(Walker({"a": fails, "b": fails}), graph, sinks=[seen.append])
    for call in CALLS.values():
        with pytest.raises(LookupError, match="gone"):
            call(it)
    it.mirror.drain()
    assert [len(each.divergences) for each in seen] == [0, 0, 0, 0]


def test_handlers_that_are_added_later_are_seen_and_those_of_others_untouched() -> None:
    handlers, _ = shop()
    seen: list[Sighting] = []
    it = Shadow(Walker(handlers), graph, sinks=[seen.append])
    it.handlers["c"] = lambda data: {"c": data["b"] + 1}
    flow = {"name": "longer", "steps": ["a", "b", "c"]}
    assert it.execute_sync(flow, {"n": 1})["data"]["c"] == 5
    it.mirror.drain()
    assert seen == [Sighting("longer", "longer")]
    # Outside a run a handler is what it was.
    assert handlers["c"]({"b": 1}) == {"c": 2}
    assert it.mirror.counts.served == 1


def test_a_graph_executor_is_a_candidate_as_it_is_and_its_savers_and_subscribers_learn_nothing() -> None:
    flow = SuccessorWorkflow(name="w", start="a", nodes=(TaskNode(name="a", next=("b",)), TaskNode(name="b")))
    handlers = {"a": lambda view: {"a": view.data["n"]}, "b": lambda view: {"b": view.data["a"]}}
    saver, told, seen = InMemorySaver(), [], []
    candidate = GraphWorkflowExecutor(dict(handlers), checkpointer=saver, on_event=told.append)
    it = Shadow(GraphWorkflowExecutor(handlers), candidate, sinks=[seen.append], handlers="handlers")
    assert it.execute_sync(flow, {"n": 3}).context.data == {"n": 3, "a": 3, "b": 3}
    assert asyncio.run(it.execute(flow, {"n": 3})).success
    assert list(it.stream(flow, {"n": 3}))[-1].result.success
    assert collect(it.astream(flow, {"n": 3}))[-1].result.success
    it.mirror.drain()
    assert seen == [Sighting("w", "w")] * 4
    assert (told, list(saver.list(None))) == ([], [])


def test_the_processs_random_numbers_are_not_touched() -> None:
    it = Shadow(Walker(shop()[0]), graph, sinks=[])
    random.seed(5)
    expected = [random.random() for _ in range(3)]
    random.seed(5)
    drawn = []
    for _ in range(3):
        it.execute_sync(FLOW, {"n": 1})
        it.mirror.drain()
        drawn.append(random.random())
    assert drawn == expected


def test_walkers_with_threads_are_seen_while_runs_do_not_overlap() -> None:
    seen: list[Sighting] = []
    it = Shadow(Walker(shop()[0], threads=True), graph, sinks=[seen.append])
    for _ in range(2):
        it.execute_sync(FLOW, {"n": 1})
    it.mirror.drain()
    assert seen == [Sighting("order", "order")] * 2


def test_activations_that_may_be_another_runs_are_not_compared() -> None:
    handlers, done = shop()
    inside, go_on = threading.Event(), threading.Event()
    plain = handlers["a"]
    handlers["a"] = lambda data: inside.set() or (go_on.wait() and plain(data))
    seen: list[Sighting] = []
    it = Shadow(Walker(handlers, threads=True), graph, sinks=[seen.append])
    first = threading.Thread(target=it.execute_sync, args=(FLOW, {"n": 1}))
    first.start()
    inside.wait()
    # A second run begins while the first one's handler waits on a thread that nobody can attribute.
    second = threading.Thread(target=it.execute_sync, args=(FLOW, {"n": 1}))
    second.start()
    while it.mirror.counts.served < 2:
        pass
    go_on.set()
    first.join()
    second.join()
    it.mirror.drain()
    assert sorted(done) == ["a", "a", "b", "b"]
    assert it.mirror.counts.losses["unattributed"] >= 1
    assert all(not each.divergences for each in seen)


def test_runs_that_overlap_on_one_loop_are_told_apart() -> None:
    async def slow(data: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"a": data["n"] + 1}

    class Loop:
        def __init__(self) -> None:
            self.handlers = {"a": slow}

        async def execute(self, workflow: dict[str, Any], initial_data: dict[str, Any]) -> dict[str, Any]:
            (found,) = await asyncio.gather(self.handlers["a"](initial_data))
            return {"success": True, "data": {**initial_data, **found}}

    async def candidate(case: Case, handlers: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "data": {**case.inputs, **await handlers["a"](dict(case.inputs))}}

    seen: list[Sighting] = []
    it = Shadow(Loop(), candidate, sinks=[seen.append])

    async def main() -> list[Any]:
        return await asyncio.gather(*(it.execute({"name": f"w{n}"}, {"n": n}) for n in range(5)))

    assert [each["data"]["a"] for each in asyncio.run(main())] == [1, 2, 3, 4, 5]
    it.mirror.drain()
    assert sorted(each.case for each in seen) == [f"w{n}" for n in range(5)]
    assert all(not each.divergences for each in seen)


def test_a_walker_with_a_method_for_a_node_is_seen_there() -> None:
    class Methods:
        def run_node(self, node: str, value: int) -> int:
            return value + 1

        def run(self, workflow: str, data: dict[str, int]) -> dict[str, Any]:
            return {"success": True, "data": {"n": self.run_node("a", data["n"])}}

    def candidate(case: Case, tap: Any) -> Any:
        class Other:
            def run_node(self, node: str, value: int) -> int:
                raise AssertionError("never")

        return {"success": True, "data": {"n": tap.methods(Other(), ["run_node"]).run_node("a", case.inputs["n"])}}

    seen: list[Sighting] = []
    engine = TappedEngine("graph", "candidate", candidate)
    it = Shadow(Methods(), engine, sinks=[seen.append], methods=["run_node"])
    assert it.run("flow", {"n": 4}) == {"success": True, "data": {"n": 5}}
    it.mirror.drain()
    assert seen == [Sighting("flow", "flow")]


def test_a_stream_that_is_left_is_counted_and_holds_nothing() -> None:
    it = Shadow(Walker(shop()[0]), graph, sinks=[])
    stream = it.stream(FLOW, {"n": 1})
    assert next(stream) == {"step": "a"}
    stream.close()
    never_begun = it.stream(FLOW, {"n": 1})
    del never_begun

    async def leaves() -> None:
        stream = it.astream(FLOW, {"n": 1})
        assert await anext(stream) == {"step": "a"}
        await stream.aclose()

    asyncio.run(leaves())
    it.mirror.drain()
    counts = it.mirror.counts
    assert (counts.served, counts.shadowed, dict(counts.losses)) == (3, 0, {"left": 3})
    assert it.mirror.held == 0


def test_recordings_have_room_only_up_to_the_memory_budget() -> None:
    handlers = {"a": lambda data: {"a": "x" * 50_000}, "b": lambda data: {"b": 1}}
    seen: list[Sighting] = []
    it = Shadow(Walker(handlers), graph, sinks=[seen.append], budget=Budget(memory=40_000))
    assert it.execute_sync(FLOW, {"n": 1})["data"]["b"] == 1
    it.mirror.drain()
    assert (dict(it.mirror.counts.losses), it.mirror.counts.dropped, seen) == ({"memory": 1}, 1, [])
    assert it.mirror.held == 0


def test_what_waits_holds_memory_and_gives_it_back() -> None:
    go_on = threading.Event()

    def waits(case: Case, handlers: dict[str, Any]) -> Any:
        go_on.wait()
        return graph(case, handlers)

    handlers = {"a": lambda data: {"a": "x" * 50_000}, "b": lambda data: {"b": 1}}
    it = Shadow(Walker(handlers), waits, sinks=[], budget=Budget(memory=400_000, seconds=60))
    for _ in range(6):
        it.execute_sync(FLOW, {"n": 1})
    held, losses = it.mirror.held, dict(it.mirror.counts.losses)
    go_on.set()
    it.mirror.drain()
    assert 100_000 < held <= 400_000
    assert losses["memory"] >= 3
    assert (it.mirror.held, it.mirror.counts.shadowed) == (0, 6 - losses["memory"])


@pytest.mark.parametrize("concurrent", [1, 3])
def test_as_many_candidates_replay_at_once_as_may(concurrent: int) -> None:
    gate, at_once, most = threading.Lock(), [0], [0]
    all_in, go_on = threading.Event(), threading.Event()

    def counted(case: Case, handlers: dict[str, Any]) -> Any:
        with gate:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
            if at_once[0] == concurrent:
                all_in.set()
        go_on.wait()
        with gate:
            at_once[0] -= 1
        return graph(case, handlers)

    it = Shadow(Walker(shop()[0]), counted, sinks=[], budget=Budget(concurrent=concurrent, seconds=60))
    for _ in range(5):
        it.execute_sync(FLOW, {"n": 1})
    assert all_in.wait(60)
    go_on.set()
    it.mirror.drain()
    assert (most[0], it.mirror.counts.shadowed) == (concurrent, 5)


def test_candidates_that_hang_between_good_ones_end_it_too() -> None:
    never, turn = threading.Event(), iter(range(100))

    def every_other(case: Case, handlers: dict[str, Any]) -> Any:
        if next(turn) % 2:
            never.wait()
        return graph(case, handlers)

    it = Shadow(Walker(shop()[0]), every_other, sinks=[], budget=Budget(seconds=0.05, failures=3))
    for _ in range(8):
        it.execute_sync(FLOW, {"n": 1})
        it.mirror.drain()
    never.set()
    assert not it.mirror.is_on
    assert it.mirror.counts.failed == 3


def test_threads_end_when_there_is_nothing_to_replay_and_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.shadow.mirror.IDLE", 0.001)
    threads: list[threading.Thread] = []

    def noted(case: Case, handlers: dict[str, Any]) -> Any:
        threads.extend(each for each in threading.enumerate() if each.name == "graphlift-shadow")
        return graph(case, handlers)

    it = Shadow(Walker(shop()[0]), noted, sinks=[])
    for number in (1, 2):
        it.execute_sync(FLOW, {"n": 1})
        it.mirror.drain()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert it.mirror.counts.shadowed == number


def test_a_call_that_goes_on_with_an_earlier_run_is_left_out() -> None:
    class Resumes(Walker):
        def execute_sync(self, workflow: Any, initial_data: Any = None, **options: Any) -> Any:
            return super().execute_sync(workflow, initial_data)

    it = Shadow(Resumes(shop()[0]), graph, sinks=[])
    assert it.execute_sync(FLOW, {"n": 1}, resume="yes")["success"]
    assert dict(it.mirror.counts.losses) == {"no case": 1}


def test_a_call_that_cannot_be_understood_is_logged_and_served(caplog: pytest.LogCaptureFixture) -> None:
    def breaks(method: str, arguments: Any) -> Case | None:
        raise RuntimeError("what is this")

    it = Shadow(Walker(shop()[0]), graph, sinks=[], case=breaks)
    with caplog.at_level(logging.ERROR):
        assert it.execute_sync(FLOW, {"n": 1})["success"]
    assert "a call of execute_sync cannot be shadowed" in caplog.text
    with pytest.raises(TypeError, match="initial_dat"):
        it.execute_sync(FLOW, initial_dat={})


@pytest.mark.parametrize(
    ("legacy", "candidate", "more", "told"),
    [
        (object(), graph, {}, "object has no mapping of callables"),
        (Walker({"a": print}), 5, {}, "a int cannot replay"),
        (Walker({"a": print}), graph, {"handlers": "limit"}, "Walker.limit is int, not a mapping"),
        (Walker({"a": print}), graph, {"entries": ["go"]}, "Walker has none of the methods go"),
    ],
)
def test_what_can_see_nothing_is_refused(legacy: Any, candidate: Any, more: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Shadow(legacy, candidate, sinks=[], **more)


def test_several_registries_must_be_told_apart() -> None:
    walker = Walker({"a": print})
    walker.conditions = {"c": print}  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="several mappings of callables: conditions, handlers"):
        Shadow(walker, graph, sinks=[])
    Shadow(walker, OutcomeEngine("graph", "candidate", graph), sinks=[], handlers="handlers")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"workflow": {"name": "w"}, "initial_data": {"n": 1}}, ("w", {"n": 1})),
        ({"flow_id": "w", "payload": {"n": 1}}, ("w", {"n": 1})),
        ({"w": {"id": "w\n2"}, "x": {"n": 1}}, ("w?2", {"n": 1})),
        ({}, ("execute", {})),
        ({"w": object(), "x": 5}, ("execute", {})),
    ],
)
def test_the_case_of_a_call(arguments: dict[str, Any], expected: tuple[str, dict[str, Any]]) -> None:
    case = case_of_call("execute", arguments)
    assert case is not None
    assert (case.id, case.inputs) == expected


VALUES = st.recursive(
    st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@given(VALUES, VALUES)
def test_more_weighs_more_and_nothing_is_weighed_far_beyond_the_limit(one: Any, other: Any) -> None:
    whole = weigh([one, other], 1 << 40)
    assert whole > weigh(one, 1 << 40) > 0
    assert weigh([["x" * 1000] * 1000 for _ in range(100)], 20_000) < 1_000_000
    loop: list[Any] = []
    loop.append(loop)
    assert weigh(loop, 1 << 40) < 1000

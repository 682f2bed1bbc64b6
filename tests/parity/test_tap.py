"""The tap: what becomes of a call of a handler, and that the call itself stays as it was."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from graphlift.adapters import NodeView
from graphlift.parity import Activation, Case, Tap
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.observation import JournalReader
from graphlift.parity.observing import write_journal
from graphlift.parity.schedule import SeededTurns


def given(item: Activation) -> Any:
    """What the handler was given, if that was one mapping or one plain value."""
    saw = item.saw.content
    return saw["data"] if saw.keys() == {"data"} else saw["arguments"]["0"] if saw.get("arguments") else saw


class Watched:
    """A tap over handlers, and the trace that its journal tells."""

    def __init__(self, handlers: Mapping[str, Any] | None = None, **more: Any) -> None:
        self.journal: list[dict[str, Any]] = []
        self.tap = Tap(self.journal.append, **more)
        self.handlers: dict[str, Any] = self.tap.registry(handlers or {})

    def trace(self) -> tuple[Activation, ...]:
        return JournalReader("legacy", "e").read(self.journal).observation().activations

    def shown(self) -> list[tuple[str, int, Any, Any, str | None]]:
        return [
            (item.node, item.ordinal, given(item), item.returned.content if item.returned else None, item.raised)
            for item in self.trace()
        ]


def test_a_call_is_an_activation() -> None:
    tap = Watched({"a": lambda data: {"y": data["x"] + 1}})
    assert tap.handlers["a"]({"x": 1}) == {"y": 2}
    assert tap.shown() == [("a", 0, {"x": 1}, {"y": 2}, None)]
    (activation,) = tap.trace()
    assert (activation.begin, activation.end, activation.mutated) == (1, 2, ())


def test_activations_of_a_node_are_counted_from_zero() -> None:
    tap = Watched({"a": lambda data: data, "b": lambda data: data})
    for name in "aba":
        tap.handlers[name](name)
    assert [(item.node, item.ordinal) for item in tap.trace()] == [("a", 0), ("b", 0), ("a", 1)]


def test_an_exception_is_recorded_and_passes_unchanged() -> None:
    error = ValueError("no")

    def raising(data: Any) -> None:
        raise error

    tap = Watched({"a": raising})
    with pytest.raises(ValueError, match="no") as caught:
        tap.handlers["a"]({})
    assert caught.value is error
    assert tap.shown() == [("a", 0, {}, None, "ValueError: no")]


def test_a_coroutine_function_stays_one() -> None:
    async def handler(data: Any) -> Any:
        await asyncio.sleep(0)
        return {"seen": data}

    tap = Watched({"a": handler}, turns=SeededTurns(1))
    assert inspect.iscoroutinefunction(tap.handlers["a"])
    assert asyncio.run(tap.handlers["a"](3)) == {"seen": 3}
    assert tap.shown() == [("a", 0, 3, {"seen": 3}, None)]


def test_an_exception_of_a_coroutine_function() -> None:
    async def handler(data: Any) -> Any:
        raise KeyError("k")

    tap = Watched({"a": handler})
    with pytest.raises(KeyError):
        asyncio.run(tap.handlers["a"](None))
    assert tap.shown() == [("a", 0, None, None, "KeyError: 'k'")]


def test_an_object_with_an_async_call_is_async() -> None:
    class Handler:
        async def __call__(self, data: Any) -> Any:
            return data

    tap = Watched({"a": Handler()})
    assert inspect.iscoroutinefunction(tap.handlers["a"])
    assert asyncio.run(tap.handlers["a"](1)) == 1


def test_a_function_that_returns_an_awaitable_ends_when_that_ends() -> None:
    steps: list[str] = []

    async def work() -> int:
        steps.append("work")
        return 7

    def handler(data: Any) -> Any:
        steps.append("called")
        return work()

    tap = Watched({"a": handler})
    assert not inspect.iscoroutinefunction(tap.handlers["a"])
    pending = tap.handlers["a"](1)
    assert [item.end for item in tap.trace()] == [None]
    assert asyncio.run(pending) == 7
    assert tap.shown() == [("a", 0, 1, 7, None)]
    assert steps == ["called", "work"]


def test_a_partial_a_lambda_and_a_bound_method_are_handlers() -> None:
    class Nodes:
        def run(self, data: Any) -> Any:
            return data

    def add(amount: int, data: int) -> int:
        return amount + data

    tap = Watched({"partial": functools.partial(add, 2), "method": Nodes().run, "lambda": lambda data: -data})
    assert [tap.handlers[name](5) for name in ("partial", "method", "lambda")] == [7, 5, -5]
    assert [item.node for item in tap.trace()] == ["partial", "method", "lambda"]


def test_what_is_not_callable_stays_in_the_registry() -> None:
    assert Watched({"a": lambda: None, "version": 3}).handlers["version"] == 3


def test_name_and_signature_stay() -> None:
    def handler(context: Any, *, strict: bool = False) -> None:
        """What it does."""

    wrapped = Watched().tap.wrap("a", handler)
    assert (wrapped.__name__, wrapped.__doc__) == ("handler", "What it does.")
    assert str(inspect.signature(wrapped)) == str(inspect.signature(handler))


def test_a_change_of_the_input_in_place_is_seen() -> None:
    def greedy(data: Any) -> None:
        data["items"].append(1)

    tap = Watched({"a": greedy, "b": lambda data: {**data, "new": 1}})
    tap.handlers["a"]({"items": []})
    tap.handlers["b"]({"items": []})
    assert [(item.node, item.mutated, given(item)) for item in tap.trace()] == [
        ("a", ("data.items",), {"items": []}),
        ("b", (), {"items": []}),
    ]


def test_a_change_before_an_exception_is_seen() -> None:
    def breaking(data: Any) -> None:
        data["half"] = True
        raise ValueError

    tap = Watched({"a": breaking})
    with pytest.raises(ValueError):  # noqa: PT011
        tap.handlers["a"]({})
    assert [item.mutated for item in tap.trace()] == [("data.half",)]


def test_a_result_that_changes_later_was_recorded_as_it_was() -> None:
    tap = Watched({"a": lambda data: {"items": []}})
    result = tap.handlers["a"]({})
    result["items"].append(1)
    assert tap.shown()[0][3] == {"items": []}


class Context:
    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.client = object()


class ContextWithResults(Context):
    results: dict[str, Any] = {"a": 1}


@dataclass
class Fields:
    data: dict[str, Any]
    user: str = "ada"


SERVICE = threading.Lock()


@pytest.mark.parametrize(
    ("arguments", "saw"),
    [
        (({"x": 1},), {"data": {"x": 1}}),
        (({"x": 1}, "more"), {"data": {"x": 1}, "arguments": {"1": "more"}}),
        (({"x": 1}, SERVICE), {"data": {"x": 1}}),
        (("a", SERVICE, {"x": 1}), {"data": {"x": 1}, "arguments": {"0": "a"}}),
        ((1, [2]), {"arguments": {"0": 1, "1": [2]}}),
        ((Context({"x": 1}),), {"data": {"x": 1}}),
        ((ContextWithResults({"x": 1}),), {"data": {"x": 1}, "results": {"a": 1}}),
        ((NodeView("n", data={"x": 1}),), {"data": {"x": 1}, "results": {}, "status": {}, "iteration": 0}),
        ((SERVICE,), {"arguments": {"0": {"~": "opaque", "v": "_thread.lock"}}}),
        ((), {"arguments": {}}),
    ],
)
def test_what_a_handler_saw(arguments: tuple[Any, ...], saw: Any) -> None:
    tap = Watched({"a": lambda *args: None})
    tap.handlers["a"](*arguments)
    assert tap.trace()[0].saw.content == saw


def test_every_field_of_a_context_is_seen() -> None:
    tap = Watched({"a": lambda context, service: None})
    tap.handlers["a"](Fields({"x": 1}), SERVICE)
    assert tap.trace()[0].saw.content["arguments"]["0"]["v"] == {"data": {"x": 1}, "user": "ada"}


def test_what_could_not_be_seen_is_noted() -> None:
    tap = Watched({"a": lambda service: None})
    tap.handlers["a"](SERVICE)
    assert tap.trace()[0].opaque == ("_thread.lock",)


def test_an_engine_can_say_what_a_handler_saw() -> None:
    tap = Watched()
    tap.tap.wrap("a", lambda **kwargs: None, sees=lambda args, kwargs: kwargs["state"])(state={"x": 1}, client=SERVICE)
    tap.tap.wrap("b", lambda one, two: None, sees=lambda args, kwargs: args[1])(1, 2)
    assert [item.saw.content for item in tap.trace()] == [{"x": 1}, 2]


def test_one_handler_of_several_nodes_is_recorded_under_each() -> None:
    tap = Watched({"mail": lambda view: None})
    for node in ("confirm", "remind", "confirm"):
        tap.handlers["mail"](NodeView(node))
    assert [(item.node, item.ordinal) for item in tap.trace()] == [("confirm", 0), ("remind", 0), ("confirm", 1)]


def test_a_node_named_by_the_arguments() -> None:
    tap = Watched()
    run = tap.tap.wrap(lambda node, data: str(node["id"]), lambda node, data: data)
    run({"id": "a"}, 1)
    run({"id": "b"}, 2)
    assert [item.node for item in tap.trace()] == ["a", "b"]


def test_methods_are_replaced_on_one_object_only() -> None:
    class Walker:
        def __init__(self) -> None:
            self.log: list[str] = []

        def run_task(self, data: Any) -> Any:
            self.log.append("task")
            return data

    tapped, other = Walker(), Walker()
    tap = Watched()
    tap.tap.methods(tapped, ["run_task"], node="task")
    assert tapped.run_task({"x": 1}) == {"x": 1}
    other.run_task({"x": 2})
    assert tapped.log == other.log == ["task"]
    assert tap.shown() == [("task", 0, {"x": 1}, {"x": 1}, None)]


def test_nodes_in_turn_are_ordered_and_nodes_at_once_are_not() -> None:
    async def handler(data: Any) -> None:
        await asyncio.sleep(0)

    tap = Watched({"a": handler, "b": handler, "c": handler})

    async def main() -> None:
        await asyncio.gather(tap.handlers["a"](0), tap.handlers["b"](0))
        await tap.handlers["c"](0)

    asyncio.run(main())
    a, b, c = tap.trace()
    assert a.end is not None
    assert b.end is not None
    assert a.end > b.begin
    assert max(a.end, b.end) < c.begin


async def quick(data: Any) -> None:
    pass


def completed(seed: int, handlers: Mapping[str, Any]) -> tuple[list[str], bool]:
    tap = Watched(handlers, turns=SeededTurns(seed))

    async def main() -> None:
        await asyncio.gather(*(tap.handlers[name](0) for name in handlers))

    asyncio.run(main())
    ended = sorted(tap.trace(), key=lambda item: item.end or 0)
    return [item.node for item in ended], tap.tap.overlapped


def test_handlers_at_once_are_seen_to_overlap_even_if_they_never_wait() -> None:
    assert completed(0, dict.fromkeys("ab", quick))[1]


def test_the_second_schedule_is_the_reverse_of_the_first() -> None:
    first, second = (completed(seed, dict.fromkeys("abcd", quick))[0] for seed in (0, 1))
    assert first == second[::-1]
    assert completed(0, dict.fromkeys("abcd", quick))[0] == first


def test_handlers_in_turn_do_not_overlap() -> None:
    tap = Watched(dict.fromkeys("ab", quick), turns=SeededTurns(0))

    async def main() -> None:
        await tap.handlers["a"](0)
        await tap.handlers["b"](0)

    asyncio.run(main())
    assert not tap.tap.overlapped


def test_a_handler_that_waits_for_its_sibling_is_not_held_for_ever() -> None:
    async def main(seed: int) -> list[str]:
        done = asyncio.Event()

        async def waits(data: Any) -> None:
            await done.wait()

        async def sets(data: Any) -> None:
            done.set()

        tap = Watched({"a": waits, "b": sets}, turns=SeededTurns(seed))
        await asyncio.gather(tap.handlers["a"](0), tap.handlers["b"](0))
        return [item.node for item in sorted(tap.trace(), key=lambda item: item.end or 0)]

    assert [asyncio.run(main(seed)) for seed in (0, 1)] == [["b", "a"]] * 2


def test_threads_take_turns_in_both_orders() -> None:
    orders = []
    for seed in (0, 1):
        tap = Watched(dict.fromkeys("ab", lambda data: None), turns=SeededTurns(seed))
        barrier = threading.Barrier(2)

        def run(name: str, tap: Watched = tap, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            tap.handlers[name](0)

        threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert tap.tap.overlapped
        orders.append([item.node for item in sorted(tap.trace(), key=lambda item: item.end or 0)])
    assert orders[0] == orders[1][::-1]


def test_threads_share_one_clock_and_one_count() -> None:
    barrier = threading.Barrier(8)

    def handler(data: Any) -> Any:
        barrier.wait()
        return data

    tap = Watched({"a": handler})
    threads = [threading.Thread(target=tap.handlers["a"], args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trace = tap.trace()
    assert sorted(item.ordinal for item in trace) == list(range(8))
    assert sorted([*(item.begin for item in trace), *(item.end or 0 for item in trace)]) == list(range(1, 17))
    assert all(item.returned and given(item) == item.returned.content for item in trace)


def test_an_activation_that_was_cancelled() -> None:
    async def forever(data: Any) -> None:
        await asyncio.Event().wait()

    tap = Watched({"a": forever})

    async def main() -> None:
        task = asyncio.ensure_future(tap.handlers["a"](0))
        await asyncio.sleep(0)
        assert tap.trace()[0].end is None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert tap.shown() == [("a", 0, 0, None, "CancelledError")]


def test_the_journal_is_json_and_told_of_begin_and_end_as_they_happen() -> None:
    tap = Watched()
    during = tap.tap.wrap("a", lambda data: [dict(line) for line in tap.journal])(1)
    assert [line["on"] for line in during] == ["begin"]
    assert [line["on"] for line in tap.journal] == ["begin", "end"]
    assert json.loads(json.dumps(tap.journal)) == tap.journal


def test_a_value_that_cannot_be_read_does_not_break_the_handler() -> None:
    class Rude(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError

    handler: Callable[..., Any] = Watched().tap.wrap("a", lambda data: 1)
    assert handler(Rude()) == 1


def test_what_is_normalised_is_what_is_recorded() -> None:
    tap = Watched({"a": lambda data: data}, normalise=lambda value: "x" if value == 3 else value)
    tap.handlers["a"](3)
    assert tap.shown() == [("a", 0, 3, "x", None)]


def test_what_goes_on_after_the_run_is_not_told_to_the_next_one() -> None:
    go_on, left = threading.Event(), []

    def leaves(case: Case, handlers: Mapping[str, Any]) -> dict[str, Any]:
        def later() -> None:
            go_on.wait()
            handlers["a"]({})

        left.append(threading.Thread(target=later))
        left[0].start()
        return {"success": True}

    lines: list[dict[str, Any]] = []
    engine = OutcomeEngine("leaves", "legacy", leaves)
    write_journal(engine, Case("one", handlers={"a": lambda data: data}), lines.append)
    told = list(lines)
    go_on.set()
    left[0].join()
    assert [line["on"] for line in told] == ["outcome", "seen"]
    assert lines == told

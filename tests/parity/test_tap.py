"""The tap: what becomes of a call of a handler, and that the call itself stays as it was."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

from graphlift.adapters import NodeView
from graphlift.parity import Activation, Tap


def shown(tap: Tap) -> list[tuple[str, int, Any, Any, str | None]]:
    return [
        (item.node, item.ordinal, item.saw.shown, item.returned.shown if item.returned else None, item.raised)
        for item in tap.trace()
    ]


def test_a_call_is_an_activation() -> None:
    tap = Tap({"a": lambda data: {"y": data["x"] + 1}})
    assert tap.handlers["a"]({"x": 1}) == {"y": 2}
    assert shown(tap) == [("a", 0, {"x": 1}, {"y": 2}, None)]
    (activation,) = tap.trace()
    assert (activation.begin, activation.end, activation.mutated) == (1, 2, False)


def test_activations_of_a_node_are_counted_from_zero() -> None:
    tap = Tap({"a": lambda data: data, "b": lambda data: data})
    for name in "aba":
        tap.handlers[name](name)
    assert [(item.node, item.ordinal) for item in tap.trace()] == [("a", 0), ("b", 0), ("a", 1)]


def test_an_exception_is_recorded_and_passes_unchanged() -> None:
    error = ValueError("no")

    def raising(data: Any) -> None:
        raise error

    tap = Tap({"a": raising})
    with pytest.raises(ValueError, match="no") as caught:
        tap.handlers["a"]({})
    assert caught.value is error
    assert shown(tap) == [("a", 0, {}, None, "ValueError: no")]


def test_a_coroutine_function_stays_one() -> None:
    async def handler(data: Any) -> Any:
        await asyncio.sleep(0)
        return {"seen": data}

    tap = Tap({"a": handler}, seed=1)
    assert inspect.iscoroutinefunction(tap.handlers["a"])
    assert asyncio.run(tap.handlers["a"](3)) == {"seen": 3}
    assert shown(tap) == [("a", 0, 3, {"seen": 3}, None)]


def test_an_exception_of_a_coroutine_function() -> None:
    async def handler(data: Any) -> Any:
        raise KeyError("k")

    tap = Tap({"a": handler})
    with pytest.raises(KeyError):
        asyncio.run(tap.handlers["a"](None))
    assert shown(tap) == [("a", 0, None, None, "KeyError: 'k'")]


def test_an_object_with_an_async_call_is_async() -> None:
    class Handler:
        async def __call__(self, data: Any) -> Any:
            return data

    tap = Tap({"a": Handler()})
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

    tap = Tap({"a": handler})
    assert not inspect.iscoroutinefunction(tap.handlers["a"])
    pending = tap.handlers["a"](1)
    assert [item.end for item in tap.trace()] == [None]
    assert asyncio.run(pending) == 7
    assert shown(tap) == [("a", 0, 1, 7, None)]
    assert steps == ["called", "work"]


def test_a_partial_a_lambda_and_a_bound_method_are_handlers() -> None:
    class Nodes:
        def run(self, data: Any) -> Any:
            return data

    def add(amount: int, data: int) -> int:
        return amount + data

    tap = Tap({"partial": functools.partial(add, 2), "method": Nodes().run, "lambda": lambda data: -data})
    assert [tap.handlers[name](5) for name in ("partial", "method", "lambda")] == [7, 5, -5]
    assert [item.node for item in tap.trace()] == ["partial", "method", "lambda"]


def test_what_is_not_callable_stays_in_the_registry() -> None:
    assert Tap({"a": lambda: None, "version": 3}).handlers["version"] == 3  # type: ignore[dict-item, comparison-overlap]


def test_name_and_signature_stay() -> None:
    def handler(context: Any, *, strict: bool = False) -> None:
        """What it does."""

    wrapped = Tap().wrap("a", handler)
    assert (wrapped.__name__, wrapped.__doc__) == ("handler", "What it does.")
    assert str(inspect.signature(wrapped)) == str(inspect.signature(handler))


def test_a_change_of_the_input_in_place_is_seen() -> None:
    def greedy(data: Any) -> None:
        data["items"].append(1)

    tap = Tap({"a": greedy, "b": lambda data: {**data, "new": 1}})
    tap.handlers["a"]({"items": []})
    tap.handlers["b"]({"items": []})
    assert [(item.node, item.mutated, item.saw.shown) for item in tap.trace()] == [
        ("a", True, {"items": []}),
        ("b", False, {"items": []}),
    ]


def test_a_change_before_an_exception_is_seen() -> None:
    def breaking(data: Any) -> None:
        data["half"] = True
        raise ValueError

    tap = Tap({"a": breaking})
    with pytest.raises(ValueError):  # noqa: PT011
        tap.handlers["a"]({})
    assert [item.mutated for item in tap.trace()] == [True]


def test_a_result_that_changes_later_was_recorded_as_it_was() -> None:
    tap = Tap({"a": lambda data: {"items": []}})
    result = tap.handlers["a"]({})
    result["items"].append(1)
    assert shown(tap)[0][3] == {"items": []}


class Context:
    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.client = object()


class ContextWithResults(Context):
    results: dict[str, Any] = {"a": 1}


@pytest.mark.parametrize(
    ("arguments", "saw"),
    [
        (({"x": 1}, "more"), {"x": 1}),
        ((Context({"x": 1}),), {"x": 1}),
        ((ContextWithResults({"x": 1}),), {"data": {"x": 1}, "results": {"a": 1}}),
        ((NodeView("n", data={"x": 1}),), {"data": {"x": 1}, "results": {}, "status": {}, "iteration": 0}),
        ((), {}),
    ],
)
def test_what_a_handler_saw(arguments: tuple[Any, ...], saw: Any) -> None:
    tap = Tap({"a": lambda *args: None})
    tap.handlers["a"](*arguments)
    assert tap.trace()[0].saw.shown == saw


def test_an_engine_can_say_what_a_handler_saw() -> None:
    tap = Tap(view=lambda args, kwargs: kwargs["state"])
    tap.wrap("a", lambda **kwargs: None)(state={"x": 1}, client=object())
    tap.wrap("b", lambda one, two: None, view=lambda args, kwargs: args[1])(1, 2)
    assert [item.saw.shown for item in tap.trace()] == [{"x": 1}, 2]


def test_one_handler_of_several_nodes_is_recorded_under_each() -> None:
    tap = Tap({"mail": lambda view: None})
    for node in ("confirm", "remind", "confirm"):
        tap.handlers["mail"](NodeView(node))
    assert [(item.node, item.ordinal) for item in tap.trace()] == [("confirm", 0), ("remind", 0), ("confirm", 1)]


def test_a_node_named_by_the_arguments() -> None:
    tap = Tap()
    run = tap.wrap(lambda node, data: str(node["id"]), lambda node, data: data)
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
    tap = Tap()
    tap.methods(tapped, {"run_task": "task"})
    assert tapped.run_task({"x": 1}) == {"x": 1}
    other.run_task({"x": 2})
    assert tapped.log == other.log == ["task"]
    assert shown(tap) == [("task", 0, {"x": 1}, {"x": 1}, None)]


def test_nodes_in_turn_are_ordered_and_nodes_at_once_are_not() -> None:
    async def handler(data: Any) -> None:
        await asyncio.sleep(0)

    tap = Tap({"a": handler, "b": handler, "c": handler})

    async def main() -> None:
        await asyncio.gather(tap.handlers["a"](0), tap.handlers["b"](0))
        await tap.handlers["c"](0)

    asyncio.run(main())
    a, b, c = tap.trace()
    assert a.end is not None
    assert b.end is not None
    assert a.end > b.begin
    assert max(a.end, b.end) < c.begin


def test_a_seed_makes_even_handlers_that_never_wait_overlap() -> None:
    async def quick(data: Any) -> None:
        pass

    for seed in range(20):
        tap = Tap({"a": quick, "b": quick}, seed=seed)

        async def main(tap: Tap = tap) -> None:
            await asyncio.gather(tap.handlers["a"](0), tap.handlers["b"](0))

        asyncio.run(main())
        a, b = tap.trace()
        assert a.end is not None
        assert a.end > b.begin


def test_seeds_permute_the_order_of_completion() -> None:
    async def handler(data: Any) -> None:
        pass

    orders = set()
    for seed in range(20):
        tap = Tap(dict.fromkeys("abc", handler), seed=seed)

        async def main(tap: Tap = tap) -> None:
            await asyncio.gather(*(tap.handlers[name](0) for name in "abc"))

        asyncio.run(main())
        orders.add("".join(item.node for item in sorted(tap.trace(), key=lambda item: item.end or 0)))
    assert len(orders) > 2


def test_threads_share_one_clock_and_one_count() -> None:
    barrier = threading.Barrier(8)

    def handler(data: Any) -> Any:
        barrier.wait()
        return data

    tap = Tap({"a": handler})
    threads = [threading.Thread(target=tap.handlers["a"], args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trace = tap.trace()
    assert sorted(item.ordinal for item in trace) == list(range(8))
    assert sorted([*(item.begin for item in trace), *(item.end or 0 for item in trace)]) == list(range(1, 17))
    assert all(item.saw == item.returned for item in trace)


def test_a_held_tap_shows_that_threads_overlap() -> None:
    tap = Tap({"a": lambda data: None}, held=True)
    started = threading.Barrier(2)

    def run() -> None:
        started.wait()
        tap.handlers["a"](0)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = tap.trace()
    assert first.end is not None
    assert first.end > second.begin


def test_an_activation_that_was_cancelled() -> None:
    async def forever(data: Any) -> None:
        await asyncio.Event().wait()

    tap = Tap({"a": forever})

    async def main() -> None:
        task = asyncio.ensure_future(tap.handlers["a"](0))
        await asyncio.sleep(0)
        assert tap.trace()[0].end is None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert shown(tap) == [("a", 0, 0, None, "CancelledError")]


def test_the_journal_is_told_of_begin_and_end() -> None:
    told: list[Activation] = []
    tap = Tap({"a": lambda data: data}, journal=told.append)
    tap.handlers["a"](1)
    assert [(item.node, item.end) for item in told] == [("a", None), ("a", 2)]


def test_a_value_that_cannot_be_read_does_not_break_the_handler() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError

    handler: Callable[..., Any] = Tap().wrap("a", lambda data: 1)
    assert handler(Rude()) == 1

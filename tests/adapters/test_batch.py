"""Many runs at once: bounded, retried, with progress; what another try would repeat for nothing is not tried again."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphlift.adapters import ClassShape, GraphWorkflowExecutor, HumanNode, SuccessorWorkflow, TaskNode, UsageError


def chain(*names: str) -> SuccessorWorkflow:
    nodes = tuple(TaskNode(name=name, next=names[index + 1 : index + 2]) for index, name in enumerate(names))
    return SuccessorWorkflow(name="w", start=names[0], nodes=nodes)


def test_batch_is_bounded_keeps_order_and_reports_progress() -> None:
    running, peak, progress = 0, 0, []

    async def work(view: Any) -> dict[str, int]:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1
        if view.data["n"] == 3:
            raise ValueError("three")
        return {"twice": view.data["n"] * 2}

    executor = GraphWorkflowExecutor({"a": work})
    batch = asyncio.run(
        executor.batch(
            chain("a"),
            [{"n": n} for n in range(6)],
            max_concurrency=2,
            on_progress=lambda step: progress.append((step.done, step.failed)),
        )
    )
    assert peak == 2
    assert [result.context.data.get("twice") for result in batch.results] == [0, 2, 4, None, 8, 10]
    assert [item.index for item in batch.failed] == [3]
    assert not batch.success
    assert [done for done, _ in progress] == [1, 2, 3, 4, 5, 6]
    assert progress[-1] == (6, 1)


def test_batch_retries_and_each_item_has_its_own_thread() -> None:
    tries: dict[int, int] = {}

    def flaky(view: Any) -> str:
        n = view.data["n"]
        tries[n] = tries.get(n, 0) + 1
        if n == 1 and tries[n] < 3:
            raise ValueError("again")
        return "ok"

    executor = GraphWorkflowExecutor({"a": flaky}, checkpointer=InMemorySaver())
    batch = asyncio.run(executor.batch(chain("a"), [{"n": 0}, {"n": 1}], retries=2, thread_id="job"))
    assert batch.success
    assert [item.attempts for item in batch.items] == [1, 3]
    assert [result.context.metadata["thread_id"] for result in batch.results] == ["job-0", "job-1.3"]


def test_batch_may_stop_at_the_first_failure() -> None:
    def work(view: Any) -> None:
        if view.data["n"] == 1:
            raise ValueError("one")

    executor = GraphWorkflowExecutor({"a": work})
    batch = asyncio.run(executor.batch(chain("a"), [{"n": n} for n in range(4)], max_concurrency=1, policy="stop"))
    assert [item.attempts for item in batch.items] == [1, 1, 0, 0]
    assert [item.index for item in batch.failed] == [1, 2, 3]


def test_an_item_that_waits_for_a_person_is_not_run_again_and_has_not_failed() -> None:
    nodes = (TaskNode(name="pay", next=("ask",)), HumanNode(name="ask"))
    paid: list[int] = []
    executor = GraphWorkflowExecutor({"pay": lambda view: paid.append(view.data["n"])}, checkpointer=InMemorySaver())
    flow = SuccessorWorkflow(name="w", start="pay", nodes=nodes)
    failures: list[int] = []
    batch = asyncio.run(
        executor.batch(
            flow,
            [{"n": 0}, {"n": 1}],
            max_concurrency=1,
            retries=2,
            policy="stop",
            thread_id="job",
            on_progress=lambda progress: failures.append(progress.failed),
        )
    )
    assert paid == [0, 1]
    assert [(item.attempts, item.paused, item.success) for item in batch.items] == [(1, True, False)] * 2
    assert (batch.paused, batch.failed, batch.success, failures) == (batch.items, (), False, [0, 0])
    done = asyncio.run(executor.batch(flow, [{"n": 0}, {"n": 1}], thread_id="job", resume="yes"))
    assert done.success
    assert paid == [0, 1]


@pytest.mark.parametrize("name", [None, "job"])
@pytest.mark.parametrize("where", ["here", "another thread"])
def test_cancel_ends_a_batch_what_runs_and_what_waits(name: str | None, where: str) -> None:
    ran: list[int] = []

    async def work(view: Any) -> None:
        ran.append(view.data["n"])
        if where == "here":
            executor.cancel(name)
        else:
            threading.Thread(target=executor.cancel, args=(name,)).start()
        await asyncio.sleep(3600)

    executor = GraphWorkflowExecutor({"a": work})
    batch = asyncio.run(
        executor.batch(chain("a"), [{"n": n} for n in range(4)], max_concurrency=1, retries=3, run_id="job")
    )
    assert ran == [0]
    assert [item.attempts for item in batch.items] == [1, 0, 0, 0]
    assert batch.items[0].result.error == "CancelledError: the run was cancelled"


def test_cancelling_one_item_leaves_the_others() -> None:
    ran: list[int] = []

    async def work(view: Any) -> None:
        ran.append(view.data["n"])
        if view.data["n"] == 0:
            assert executor.cancel("job-0") == 1
            await asyncio.sleep(3600)

    executor = GraphWorkflowExecutor({"a": work})
    batch = asyncio.run(
        executor.batch(chain("a"), [{"n": n} for n in range(3)], max_concurrency=1, retries=1, run_id="job")
    )
    assert ran == [0, 1, 2]
    assert [(item.attempts, item.success) for item in batch.items] == [(1, False), (1, True), (1, True)]


def test_cancel_ends_the_wait_for_another_try() -> None:
    def fails(view: Any) -> None:
        raise ValueError("no")

    executor = GraphWorkflowExecutor({"a": fails})

    async def work() -> Any:
        task = asyncio.create_task(executor.batch(chain("a"), [{}], retries=1, backoff=3600.0))
        executor.subscribe(lambda event: asyncio.get_running_loop().call_later(0.02, executor.cancel))
        return await task

    batch = asyncio.run(work())
    assert [(item.attempts, item.success, item.result.error) for item in batch.items] == [(1, False, "ValueError: no")]


def test_a_refused_item_is_not_tried_again_on_another_thread() -> None:
    saver = InMemorySaver()
    old = GraphWorkflowExecutor({"a": lambda view: "old"}, checkpointer=saver)
    old.execute_sync(chain("a"), {}, thread_id="job-0")
    ran: list[str] = []
    new = GraphWorkflowExecutor(dict.fromkeys("ab", lambda view: ran.append(view.node)), checkpointer=saver)
    batch = asyncio.run(new.batch(chain("a", "b"), [{}], retries=3, thread_id="job"))
    (item,) = batch.items
    assert (item.attempts, item.result, ran) == (1, None, [])
    assert "it would be misread" in (item.error or "")


def test_a_progress_callback_that_raises_costs_no_run(caplog: pytest.LogCaptureFixture) -> None:
    def tell(progress: Any) -> None:
        raise RuntimeError("broken bar")

    batch = asyncio.run(GraphWorkflowExecutor({"a": lambda view: 1}).batch(chain("a"), [{}, {}], on_progress=tell))
    assert batch.success
    assert "on_progress of a batch failed at 2 of 2" in caplog.text


@dataclasses.dataclass
class OnlyData:
    workflow_name: str


def test_success_does_not_depend_on_what_the_teams_class_keeps() -> None:
    def work(view: Any) -> None:
        if view.data["n"]:
            raise ValueError("no")

    executor = GraphWorkflowExecutor({"a": work}, shape=ClassShape(OnlyData))
    batch = asyncio.run(executor.batch(chain("a"), [{"n": 0}, {"n": 1}]))
    assert [item.success for item in batch.items] == [True, False]
    assert batch.results == (OnlyData("w"), OnlyData("w"))


@pytest.mark.parametrize(
    "options", [{"max_concurrency": 0}, {"retries": -1}, {"backoff": -0.5}, {"policy": "halt"}], ids=str
)
def test_numbers_and_policies_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    ran: list[int] = []
    executor = GraphWorkflowExecutor({"a": lambda view: ran.append(1)})
    with pytest.raises(UsageError, match=next(iter(options)).split("_")[0]):
        asyncio.run(executor.batch(chain("a"), [{}], **options))
    assert ran == []

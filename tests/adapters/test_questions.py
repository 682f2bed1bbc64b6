"""Runs that wait for a person: the question that is shown is the one that the answer goes to, whoever asked first."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt

from graphlift.adapters import CompiledWorkflow, WorkflowResult, compile_workflow, parse_workflow

ENTRIES = pytest.mark.parametrize("entry", ["run", "arun", "stream", "astream"])
FORMS = pytest.mark.parametrize("above", [0, 99], ids=["frontier", "edges"])


def go(compiled: CompiledWorkflow, entry: str, *arguments: Any, **options: Any) -> tuple[WorkflowResult, list[str]]:
    """The result, and the steps of the interrupt events."""

    async def collect() -> list[Any]:
        return [event async for event in compiled.astream(*arguments, **options)]

    if entry == "run":
        return compiled.run(*arguments, **options), []
    if entry == "arun":
        return asyncio.run(compiled.arun(*arguments, **options)), []
    events = list(compiled.stream(*arguments, **options)) if entry == "stream" else asyncio.run(collect())
    assert events[-1].result is not None
    return events[-1].result, [event.node_id for event in events if event.kind == "interrupt"]


def asks(view: Any) -> Any:
    return interrupt({"question of": view.node})


@ENTRIES
@FORMS
def test_of_two_that_ask_at_once_each_gets_its_own_answer(above: int, entry: str) -> None:
    # `z` is declared before `b`: LangGraph's order is by name.
    steps = [{"name": "a"}, {"name": "z", "depends_on": ["a"]}, {"name": "b", "depends_on": ["a"]}]
    flow = parse_workflow(
        {"style": "dependency", "name": "w", "steps": [*steps, {"name": "end", "depends_on": ["z", "b"]}]}
    )
    handlers = {"a": lambda view: 1, "z": asks, "b": asks, "end": lambda view: dict(view.results)}
    compiled = compile_workflow(flow, handlers, checkpointer=InMemorySaver(), frontier_above=above)

    told = []
    for given in ({}, {"resume": "for z"}, {"resume": "for b"}):
        result, events = go(compiled, entry, None if given else {}, thread_id="t", **given)
        if result.interrupt is not None:
            told.append((result.interrupt.node_id, result.interrupt.payload))
            assert result.context.node_results[result.interrupt.node_id].status == "interrupted"
            assert events in ([], [result.interrupt.node_id])
            # Asked again without an answer, the thread says the same, and runs nothing.
            again, _ = go(compiled, entry, None, thread_id="t")
            assert (again.interrupt, again.context.node_results) == (result.interrupt, result.context.node_results)
    assert told == [("z", {"question of": "z"}), ("b", {"question of": "b"})]
    assert result.context.node_results["end"].output == {"a": 1, "z": "for z", "b": "for b"}


@ENTRIES
@FORMS
def test_who_asks_later_does_not_take_the_question_over(above: int, entry: str) -> None:
    steps = [{"name": "first"}, {"name": "second"}]
    flow = parse_workflow({"style": "dependency", "name": "w", "steps": steps})
    waiting = threading.Event()

    def last(view: Any) -> Any:
        waiting.wait(1)
        return asks(view)

    def sooner(view: Any) -> Any:
        try:
            return asks(view)
        finally:
            waiting.set()

    compiled = compile_workflow(
        flow, {"first": last, "second": sooner}, checkpointer=InMemorySaver(), frontier_above=above
    )
    result, _ = go(compiled, entry, {}, thread_id="t")
    assert result.interrupt is not None
    asked = result.interrupt.node_id
    assert result.interrupt.payload == {"question of": asked}
    result, _ = go(compiled, entry, None, thread_id="t", resume="an answer")
    assert result.context.node_results[asked].output == "an answer"


@ENTRIES
@FORMS
@pytest.mark.parametrize("join", ["all", "any", "merge"])
def test_a_branch_cannot_ask(join: str, above: int, entry: str) -> None:
    flow = parse_workflow(
        {
            "style": "successor",
            "name": "w",
            "start": "g",
            "nodes": [
                {"kind": "parallel", "name": "g", "branches": ["b", "c"], "join": join},
                {"kind": "task", "name": "b"},
                {"kind": "task", "name": "c"},
            ],
        }
    )
    ran: list[str] = []
    handlers = {"b": asks, "c": lambda view: ran.append("c")}
    compiled = compile_workflow(flow, handlers, checkpointer=InMemorySaver(), frontier_above=above)
    result, _ = go(compiled, entry, {}, thread_id="t")
    assert result.interrupt is None
    assert ran == ["c"]
    group = result.context.node_results["g"]
    assert [child.status.value for child in group.children] == ["failed", "completed"]
    assert (group.children[0].error or "").startswith("RuntimeError: a branch of a parallel group cannot ask a person")
    assert group.status.value == ("failed" if join == "all" else "completed")

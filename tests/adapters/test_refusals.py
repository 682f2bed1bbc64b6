"""What would run nothing, or something else than was meant, is refused before any node runs, and says what to do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from graphlift.adapters import (
    CompileCache,
    GraphWorkflowExecutor,
    UnsupportedOptionError,
    WorkflowError,
    compile_workflow,
    parse_workflow,
)

FLOW = parse_workflow(
    {"style": "dependency", "name": "w", "steps": [{"name": "a"}, {"name": "b", "depends_on": ["a"]}]}
)
HANDLERS = dict.fromkeys("ab", lambda view: view.node)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # A policy that nobody knows would run dependents on what failed.
        ({"failure_policy": "skip"}, "no failure policy 'skip'"),
        ({"frontier_above": 0, "frontier_width": 0}, "no step could ever run"),
        ({"frontier_above": 0, "frontier_width": -1}, "no step could ever run"),
        ({"traversal": "depth-first"}, "cannot run under the traversal 'depth-first'"),
    ],
)
def test_options_of_compiling(options: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkflowError, match=message) as caught:
        compile_workflow(FLOW, HANDLERS, **options)
    assert caught.value.mend


@pytest.mark.parametrize("width", [0, -1])
def test_a_width_of_nothing(width: int) -> None:
    compiled = compile_workflow(FLOW, HANDLERS)
    with pytest.raises(WorkflowError, match="max_concurrency"):
        compiled.run({}, max_concurrency=width)
    with pytest.raises(WorkflowError, match="max_concurrency"):
        asyncio.run(compiled.arun({}, max_concurrency=width))


@pytest.mark.parametrize("given", [{"a": 1}, object(), "memory"])
def test_a_cache_of_something_else(given: Any) -> None:
    with pytest.raises(UnsupportedOptionError, match="CompileCache"):
        GraphWorkflowExecutor(HANDLERS, cache=given)


@pytest.mark.parametrize("given", [None, True, False, CompileCache()])
def test_a_cache_that_is_one_or_asks_for_nothing(given: Any) -> None:
    assert GraphWorkflowExecutor(HANDLERS, cache=given).execute_sync(FLOW).success


def steps(view: Any) -> Iterator[int]:
    yield 1


async def asteps(view: Any) -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("handler", [steps, asteps])
def test_a_generator_is_no_handler(handler: Any) -> None:
    with pytest.raises(WorkflowError, match="handler 'a' of step 'a' is a generator"):
        compile_workflow(FLOW, {**HANDLERS, "a": handler})


async def is_ready(view: Any) -> bool:
    return False


CONDITIONAL = {
    "when": {"style": "dependency", "name": "w", "steps": [{"name": "a", "when": "ready"}]},
    "loop_until": {"style": "dependency", "name": "w", "steps": [{"name": "a", "loop_until": "ready"}]},
    "condition": {
        "style": "successor",
        "name": "w",
        "start": "a",
        "nodes": [{"kind": "condition", "name": "a", "condition": "ready", "branches": {"true": None}}],
    },
}


@pytest.mark.parametrize("kind", CONDITIONAL)
def test_a_coroutine_is_no_condition(kind: str) -> None:
    flow = parse_workflow(CONDITIONAL[kind])
    with pytest.raises(WorkflowError, match=f"{kind} of 'a': the condition 'ready' gives a coroutine"):
        compile_workflow(flow, HANDLERS, conditions={"ready": is_ready})
    with pytest.raises(WorkflowError, match=f"{kind} of 'a': the condition 'ready' is not callable"):
        compile_workflow(flow, HANDLERS, conditions={"ready": True})  # type: ignore[dict-item]


@pytest.mark.parametrize("kind", CONDITIONAL)
@pytest.mark.filterwarnings("error")
def test_a_condition_that_turns_out_to_give_a_coroutine_fails_its_step(kind: str) -> None:
    compiled = compile_workflow(
        parse_workflow(CONDITIONAL[kind]), HANDLERS, conditions={"ready": lambda view: is_ready(view)}
    )
    result = compiled.run({})
    assert result.context.node_results["a"].status == "failed"
    assert re.match("TypeError: the condition 'ready' gives a coroutine", result.error or "")

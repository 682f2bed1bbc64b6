"""A report with everything in it: a join that fires twice, a known one, a flaky one, and names that would break a page."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

from graphlift.adapters import parse_workflow
from graphlift.parity import Case, run_gate
from graphlift.parity.baseline import Known
from graphlift.parity.divergence import Flaky
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.report import Report
from graphlift.parity.rules import builtin_rules

Handlers = dict[str, Callable[..., Any]]
HOSTILE = "pay/</script><img src=x onerror=alert(1)>"
WAITS = {
    "intake": (),
    "api": ("intake",),
    "docs": ("intake",),
    "check": ("api",),
    "review": ("docs", "check"),
    "publish": ("review",),
}
REVIEW = parse_workflow(
    {
        "style": "dependency",
        "name": "review",
        "steps": [{"name": name, "depends_on": list(waits)} for name, waits in WAITS.items()],
    }
)


class State(TypedDict):
    """What the naive graph keeps: every node's result."""

    results: Annotated[dict[str, Any], operator.or_]


async def walker(case: Case, handlers: Handlers) -> Any:
    done: dict[str, Any] = {}
    for name, waits in WAITS.items():
        done[name] = await handlers[name]({"results": {one: done[one] for one in waits}, **case.inputs})
    return {"success": True, "data": done}


async def naive(case: Case, handlers: Handlers) -> Any:
    """One edge for each dependency, so that the join runs once for each depth of its sources.

    On an event loop: what overlaps does not depend on how busy the machine is.
    """
    from langgraph.graph import StateGraph

    if not case.inputs["naive"]:
        return await walker(case, handlers)

    def node(name: str) -> Callable[[State], Any]:
        async def body(state: State) -> Any:
            seen = {one: state["results"].get(one) for one in WAITS[name]}
            return {"results": {name: await handlers[name]({"results": seen, **case.inputs})}}

        return body

    graph = StateGraph(State)
    for name in WAITS:
        graph.add_node(name, node(name))  # type: ignore[call-overload]
    for name, waits in WAITS.items():
        for one in waits or ("__start__",):
            graph.add_edge(one, name)
    return {"success": True, "data": (await graph.compile().ainvoke({"results": {}}))["results"]}


def _handlers(**others: Callable[..., Any]) -> Handlers:
    def handler(name: str) -> Callable[..., Any]:
        async def body(data: Any) -> Any:
            return {"by": name, "from": sorted(one for one, value in data["results"].items() if value)}

        return body

    return {**{name: handler(name) for name in WAITS}, **others}


def _cases() -> Iterator[Case]:
    values = {"customer": "<b>Ada</b> \u202e\u0000", "note": "</script><script>alert(1)</script>"}
    yield Case(HOSTILE, "pay", REVIEW, {"naive": True, **values}, _handlers())
    yield Case("review/known", "review", REVIEW, {"naive": True}, _handlers())
    yield Case("review/uneven", "review", REVIEW, {"naive": True}, _handlers())
    for number in range(3):
        yield Case(f"review/fine-{number}", "review", REVIEW, {"naive": False, "n": number}, _handlers())


def make_report(root: Path) -> Report:
    entries = [
        Known(
            rule=rule,
            case="review/known",
            reason="<asked twice> until May",
            owner="flows",
            expires=dt.date(2030, 1, 1),
            at_most=9,
        )
        for rule in ("GL101", "GL110", "GL113", "GL120", "GL150", "GL151")
    ]
    report = run_gate(
        [OutcomeEngine("walker", "legacy", walker), OutcomeEngine("naive graph", "candidate", naive)],
        _cases(),
        builtin_rules(),
        root=root,
        baseline=entries,
        today=dt.date(2026, 12, 1),
    )
    return replace(
        report, flaky=(Flaky("review/fine-1", "legacy", "values", "docs", what="docs gave <another> value"),)
    )


@pytest.fixture(scope="session")
def full_report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return make_report(tmp_path_factory.mktemp("root"))

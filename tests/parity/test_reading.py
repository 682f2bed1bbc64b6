"""outcome_of: results of several engines' own shapes read as one."""

from __future__ import annotations

import dataclasses
import enum
from types import SimpleNamespace
from typing import Any

import pytest

from graphlift.adapters import SuccessorWorkflow, UsageError, run_breadth_first
from graphlift.parity import NodeEnd, Outcome, Pause, outcome_of
from graphlift.parity.outcome import UNSEEN


class Status(enum.Enum):
    DONE = "Completed"
    BROKEN = "FAILED"


@dataclasses.dataclass
class Step:
    status: Status
    result: Any = None
    exception: Exception | None = None


def flat(outcome: Outcome) -> Any:
    nodes = {name: (node.status, node.output, node.error) for name, node in (outcome.nodes or {}).items()}
    return (outcome.success, dict(outcome.data or {}), nodes, outcome.error, outcome.interrupt)


def test_a_neutral_result() -> None:
    workflow = SuccessorWorkflow.model_validate(
        {"style": "successor", "name": "w", "start": "a", "nodes": [{"kind": "task", "name": "a"}]}
    )
    result = run_breadth_first(workflow, {"a": lambda view: {"y": view.data["x"] + 1}}, {"x": 1})
    assert flat(outcome_of(result)) == (True, {"x": 1, "y": 2}, {"a": ("completed", {"y": 2}, None)}, None, None)
    assert flat(outcome_of(result, ignore=("x",)))[1] == {"y": 2}


def test_an_object_with_its_parts_on_a_context() -> None:
    steps = {"a": Step(Status.DONE, {"n": 1}), "b": Step(Status.BROKEN, exception=ValueError("no"))}
    result = SimpleNamespace(ok=False, error=ValueError("no"), context=SimpleNamespace(variables={"n": 1}, steps=steps))
    nodes = {"a": ("completed", {"n": 1}, None), "b": ("failed", None, "ValueError: no")}
    assert flat(outcome_of(result)) == (False, {"n": 1}, nodes, "ValueError: no", None)


def test_a_mapping() -> None:
    result = {"succeeded": True, "state": {"n": 1}, "results": {"a": {"success": True, "value": 3}}}
    assert flat(outcome_of(result)) == (True, {"n": 1}, {"a": ("completed", 3, None)}, None, None)


def test_the_context_is_looked_at_before_the_result() -> None:
    result = {"success": True, "data": {"raw": 1}, "context": {"data": {"n": 1}}}
    assert flat(outcome_of(result))[1] == {"n": 1}


def test_node_results_beside_the_context() -> None:
    result = {"success": True, "context": {"data": {}}, "node_results": {"a": {"status": "done"}}}
    assert flat(outcome_of(result))[2] == {"a": ("completed", UNSEEN, None)}


@pytest.mark.parametrize(
    "children",
    [[{"node_id": "x", "status": "failed", "error": "no"}], {"x": {"name": "x", "status": "failed", "error": "no"}}],
)
def test_branches_of_a_group_are_nodes_too(children: Any) -> None:
    result = {"success": True, "nodes": {"group": {"status": "completed", "children": children}}}
    assert flat(outcome_of(result))[2] == {"group": ("completed", UNSEEN, None), "x": ("failed", UNSEEN, "no")}


def test_what_is_not_shown_is_none_and_not_empty() -> None:
    outcome = outcome_of({"success": True})
    assert (outcome.data, outcome.nodes) == (None, None)
    assert outcome_of({"success": True, "data": {}, "nodes": {}}).data == {}


def test_keys_that_are_not_compared() -> None:
    assert outcome_of({"success": True, "data": {"n": 1, "started": 2}}, ignore=("started",)).data.keys() == {"n"}  # type: ignore[union-attr]


@pytest.mark.parametrize("interrupt", [{"node_id": "sign"}, SimpleNamespace(node_id="sign"), "sign"])
def test_a_pause(interrupt: Any) -> None:
    assert outcome_of({"success": False, "interrupt": interrupt}).interrupt == Pause("sign")


def test_what_a_person_is_asked() -> None:
    interrupt = {"node_id": "sign", "prompt": "sure?"}
    assert outcome_of({"success": False, "interrupt": interrupt}).interrupt == Pause("sign", "sure?")


@pytest.mark.parametrize("interrupt", [None, False])
def test_no_pause(interrupt: Any) -> None:
    assert outcome_of({"success": True, "interrupt": interrupt}).interrupt is None


def test_a_method_is_no_value() -> None:
    class Result:
        ok = True

        def success(self) -> bool:
            raise AssertionError

        def data(self) -> None:
            raise AssertionError

        state = {"n": 1}

    assert flat(outcome_of(Result()))[:2] == (True, {"n": 1})


def test_a_result_that_does_not_say_whether_it_succeeded_is_refused() -> None:
    with pytest.raises(UsageError, match="a dict does not say whether the run succeeded") as caught:
        outcome_of({"data": {}})
    assert caught.value.mend == 'name it: outcome_of(result, names={"success": "…"})'


def test_parts_under_names_of_the_teams_own() -> None:
    result = {"went": {"well": 1}, "log": {"entries": {"a": {"ended": "OK", "answer": 3, "times": 2, "why": "asked"}}}}
    names = {
        "success": "went.well",
        "nodes": "log.entries",
        "node.status": "ended",
        "node.output": "answer",
        "node.runs": "times",
        "node.reason": "why",
    }
    outcome = outcome_of(result, names=names)
    assert outcome.success
    assert outcome.nodes == {"a": NodeEnd("completed", 3, None, 2, "asked")}


def test_a_name_that_the_result_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="a dict has no 'entries'"):
        outcome_of({"success": True, "log": {}}, names={"nodes": "log.entries"})


def test_a_part_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="no part 'sucess'"):
        outcome_of({"success": True}, names={"sucess": "ok"})


@pytest.mark.parametrize(
    ("word", "status"),
    [("SUCCESS", "completed"), ("done", "completed"), ("error", "failed"), ("canceled", "cancelled"), ("odd", "odd")],
)
def test_words_of_other_engines(word: str, status: str) -> None:
    nodes = outcome_of({"success": True, "nodes": {"a": {"status": word}}}).nodes
    assert nodes == {"a": NodeEnd(status, UNSEEN)}

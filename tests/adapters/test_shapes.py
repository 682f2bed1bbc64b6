"""A team's own classes instead of ours: dataclasses, pydantic models, plain dicts, and back."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import pytest
from pydantic import BaseModel

from graphlift.adapters import (
    ClassShape,
    DictShape,
    InterruptInfo,
    NeutralShape,
    NodeResult,
    NodeStatus,
    ResultShape,
    WorkflowContext,
    WorkflowError,
    WorkflowResult,
)


class TeamStatus(enum.Enum):
    DONE = "completed"
    BAD = "failed"


@dataclasses.dataclass
class TeamNode:
    name: str
    status: TeamStatus
    output: Any = None
    error: str | None = None
    children: tuple[Any, ...] = ()


@dataclasses.dataclass
class TeamContext:
    values: dict[str, Any]
    node_results: dict[str, TeamNode]


@dataclasses.dataclass
class TeamResult:
    workflow: str
    success: bool
    context: TeamContext
    error: str | None = None
    interrupt: Any = None


TEAM = ClassShape(
    TeamResult,
    TeamNode,
    TeamContext,
    status=TeamStatus,
    names={
        "WorkflowResult.workflow_name": "workflow",
        "NodeResult.node_id": "name",
        "WorkflowContext.data": "values",
    },
)

CHILD = NodeResult("c", NodeStatus.FAILED, error="E: x")
RESULT = WorkflowResult(
    "w",
    False,
    WorkflowContext({"x": 1}, {"g": NodeResult("g", NodeStatus.FAILED, error="E: x", children=(CHILD,))}),
    error="E: x",
    interrupt=InterruptInfo("g", "t", {"ask": 1}),
)


def test_dataclasses() -> None:
    built = TEAM.build(RESULT)
    assert isinstance(built, TeamResult)
    assert built.workflow == "w"
    assert built.context.values == {"x": 1}
    assert built.context.node_results["g"].children == (TeamNode("c", TeamStatus.BAD, error="E: x"),)
    assert built.interrupt == {"node_id": "g", "thread_id": "t", "payload": {"ask": 1}}
    assert TEAM.read(built) == RESULT


class ModelNode(BaseModel):
    node_id: str
    status: str
    error: str | None = None


class Model(BaseModel):
    workflow_name: str
    success: bool
    context: dict[str, Any]
    total_tool_calls: int


def test_pydantic_models_take_the_fields_that_they_declare() -> None:
    shape = ClassShape(Model, ModelNode)
    built = shape.build(RESULT)
    assert isinstance(built, Model)
    assert built.context["node_results"]["g"] == ModelNode(node_id="g", status="failed", error="E: x")
    read = shape.read(built)
    assert (read.workflow_name, read.success, read.context.data) == ("w", False, {"x": 1})
    assert read.context.node_results["g"].status is NodeStatus.FAILED


@pytest.mark.parametrize("shape", [NeutralShape(), DictShape(), TEAM])
def test_every_shape_reads_what_it_built(shape: ResultShape) -> None:
    assert isinstance(shape, ResultShape)
    assert shape.read(shape.build(RESULT)) == RESULT


def test_to_dict_round_trips_and_is_plain() -> None:
    import json

    data = json.loads(json.dumps(RESULT.to_dict()))
    assert WorkflowResult.from_dict(data) == RESULT


def test_a_class_with_a_field_nobody_fills_is_named() -> None:
    @dataclasses.dataclass
    class Strict:
        owner: str

    with pytest.raises(WorkflowError, match=r"(?s)a Strict cannot be made from a WorkflowResult.*give them defaults"):
        ClassShape(Strict).build(RESULT)

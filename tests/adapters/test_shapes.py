"""A team's own classes instead of ours: dataclasses, pydantic models, plain dicts, and back."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

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


class ByAlias(BaseModel):
    workflow_name: str = Field("?", alias="workflowName")
    success: bool = False
    error: str | None = Field(None, validation_alias=AliasChoices("err", "problem"))


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    workflow_name: str = Field("?", alias="workflowName")
    success: bool = False


@pytest.mark.parametrize("model", [ByAlias, ByName])
def test_a_field_with_an_alias_is_not_lost(model: type[BaseModel]) -> None:
    shape = ClassShape(model)
    built = shape.build(RESULT)
    assert built.workflow_name == "w"
    assert getattr(built, "error", "E: x") == "E: x"
    assert shape.read(built).workflow_name == "w"


class Plain:
    """A class that does not say what it is made from: an object of it would be built empty."""

    def __init__(self, workflow_name: str = "?", **more: Any) -> None:
        self.workflow_name = workflow_name


def test_a_class_that_declares_no_fields_is_refused() -> None:
    with pytest.raises(WorkflowError, match="Plain is neither a dataclass nor a pydantic model"):
        ClassShape(Plain)
    with pytest.raises(WorkflowError, match="Plain is neither"):
        ClassShape(TeamResult, Plain)


def test_a_misspelt_name_is_refused() -> None:
    with pytest.raises(WorkflowError, match=r"(?s)'NodeResult.nodeid' is no neutral field.*'NodeResult.node_id'"):
        ClassShape(TeamResult, names={"NodeResult.nodeid": "name"})


class Shouting(enum.Enum):
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


def test_a_status_may_be_made_by_a_function_and_one_that_is_missing_is_named() -> None:
    names = TEAM.names
    shape = ClassShape(TeamResult, TeamNode, TeamContext, status=lambda text: Shouting[text.upper()], names=names)
    assert shape.build(RESULT).context.node_results["g"].status is Shouting.FAILED
    assert shape.read(shape.build(RESULT)) == RESULT
    paused = dataclasses.replace(
        RESULT, context=WorkflowContext({}, {"g": NodeResult("g", NodeStatus.INTERRUPTED)}), error=None
    )
    for status in (Shouting, TeamStatus, shape.status):
        with pytest.raises(WorkflowError, match="has no member for the status 'interrupted'"):
            ClassShape(TeamResult, TeamNode, TeamContext, status=status, names=names).build(paused)


@dataclasses.dataclass
class NameOnly:
    workflow_name: str


def test_what_cannot_be_read_back_says_so() -> None:
    shape = ClassShape(NameOnly)
    with pytest.raises(WorkflowError, match=r"a WorkflowResult cannot be read back.*'success'"):
        shape.read(shape.build(RESULT))

"""Definitions from YAML and Python: what they become, and what their errors say."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters import (
    EnvironmentProblem,
    SuccessorWorkflow,
    TaskNode,
    WorkflowError,
    content_hash,
    load_python,
    load_workflow,
    parse_workflow,
    run_breadth_first,
)

SUCCESSOR = """\
style: successor
name: order
start: check
nodes:
  - kind: condition
    name: check
    condition: data.size > 3
    branches:
      true: ship
      false: null
      yes: ship
  - kind: task
    name: ship
    timeout: 2.5
    retries: 1
"""

DEPENDENCY = """\
style: dependency
name: build
steps:
  - name: a
  - name: b
    depends_on: [a]
    loop_until: results.b == 'ok'
    loop_max: inputs.rounds
"""


def test_yaml_text_and_file_give_the_same_workflow(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_text("\ufeff" + SUCCESSOR, encoding="utf-8")
    workflow = load_workflow(SUCCESSOR)
    assert workflow == load_workflow(path)
    assert content_hash(workflow) == content_hash(parse_workflow(workflow.model_dump(mode="json")))
    assert isinstance(workflow, SuccessorWorkflow)
    assert workflow.nodes[0].branches == {"true": "ship", "false": None, "yes": "ship"}  # type: ignore[union-attr]


def test_labels_are_what_verdicts_read_as() -> None:
    workflow = load_workflow(SUCCESSOR)
    assert isinstance(workflow, SuccessorWorkflow)
    result = run_breadth_first(workflow, {"ship": lambda view: "shipped"}, {"size": 4})
    assert result.context.node_results["ship"].output == "shipped"


def test_dependency_style() -> None:
    workflow = load_workflow(DEPENDENCY)
    assert workflow.style == "dependency"
    assert workflow.steps[1].loop_max == "inputs.rounds"


@pytest.mark.parametrize(
    ("text", "line", "message", "mend"),
    [
        (SUCCESSOR.replace("retries: 1", "retrys: 1"), 15, "step 'ship': nodes[1].retrys", "did you mean 'retries'?"),
        (SUCCESSOR.replace("kind: task", "kind: tusk"), 12, "step 'ship': nodes[1]", "did you mean 'task'?"),
        (SUCCESSOR.replace("kind: task", "doc: x"), 12, "step 'ship': nodes[1]", "say which kind it is"),
        (SUCCESSOR.replace("successor", "succesor"), 1, "'succesor'", "did you mean 'successor'?"),
        (SUCCESSOR.replace("style: successor", "{}: 1"), 1, "not a plain text", "plain keys"),
        (DEPENDENCY.replace("[a]", "a"), 6, "step 'b': steps[1].depends_on", "give a list, also of one"),
        (DEPENDENCY.replace("inputs.rounds", "0"), 8, "step 'b': steps[1].loop_max", "a whole number from 1"),
        (
            DEPENDENCY.replace("inputs.rounds", "rounds + 1"),
            5,
            "loop_max of 'b': expression 'rounds + 1'",
            "simplify it",
        ),
        (DEPENDENCY.replace("inputs.rounds", "true"), 8, "step 'b': steps[1].loop_max", "a whole number from 1"),
        (DEPENDENCY.replace("name: a", "when: 'true'"), 4, "steps[0].name: field required", "add it"),
        (DEPENDENCY.replace("name: build", "owner: me"), 1, "name: field required", "add it"),
    ],
)
def test_errors_name_the_step_and_the_mend(text: str, line: int, message: str, mend: str) -> None:
    with pytest.raises(WorkflowError) as caught:
        load_workflow(text, name="flow.yaml")
    assert message in caught.value.message
    assert caught.value.where == f"flow.yaml:{line}"
    assert mend in (caught.value.mend or "")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (SUCCESSOR.replace("retries: 1", "retry: 1"), 15, "nodes[1].retry: extra inputs are not permitted"),
        (SUCCESSOR.replace("timeout: 2.5", "timeout: soon"), 14, "nodes[1].timeout: input should be a valid number"),
        (SUCCESSOR.replace("true: ship", "true: shop"), 5, "next names 'shop', which is not a step"),
        (SUCCESSOR.replace("start: check", "start: chekc"), 3, "start names 'chekc', which is not a step"),
        (SUCCESSOR.replace("name: ship", "name: check"), 12, "two steps are named 'check'"),
        (SUCCESSOR.replace("kind: task", "kind: tusk"), 12, "'tusk'"),
        (SUCCESSOR + "name: again\n", 16, "the key 'name' is given twice"),
        (SUCCESSOR + "  - [\n", 17, "expected the node content"),
        (DEPENDENCY.replace("[a]", "[b]"), 5, "step 'b' depends on itself"),
        (DEPENDENCY.replace("name: a", "name: __loop_exit__a"), 4, "is reserved"),
        ("- a\n- b\n", 1, "a workflow is a mapping"),
        ("style: dependency\nname: !!python/object:os.system x\nsteps: []\n", 2, "could not determine a constructor"),
    ],
)
def test_errors_say_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(WorkflowError) as caught:
        load_workflow(text, name="flow.yaml")
    assert caught.value.where == f"flow.yaml:{line}"
    assert message in caught.value.message
    assert caught.value.mend


def test_aliases_cannot_blow_up() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for name, before in zip("bcdefgh", "abcdefg", strict=True):
        bomb += f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n"
    with pytest.raises(WorkflowError, match="more than 500000 parts"):
        load_workflow(bomb)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(WorkflowError, match="cannot be read"):
        load_workflow("no/such.yaml")


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = types.ModuleType("shop_flows")
    monkeypatch.setitem(sys.modules, "shop_flows", made)
    return made


def test_python_objects(module: Any) -> None:
    workflow = SuccessorWorkflow(name="w", start="a", nodes=(TaskNode(name="a"),))
    module.flow, module.data, module.make = workflow, workflow.model_dump(), lambda: workflow
    assert (
        load_python("shop_flows:flow") == load_python("shop_flows:data") == load_python("shop_flows:make") == workflow
    )
    module.data["owner"] = "x"
    with pytest.raises(WorkflowError, match="shop_flows:data: owner: extra inputs are not permitted"):
        load_python("shop_flows:data")
    with pytest.raises(EnvironmentProblem, match="shop_flows:missing"):
        load_python("shop_flows:missing")

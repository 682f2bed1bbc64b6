from __future__ import annotations

import pytest

from shop.workflows import DefinitionError, available_workflows, load_workflow
from shop.workflows.conditions import evaluate
from shop.workflows.definition import ConditionNode, ParallelNode, TaskNode, parse_workflow


def test_the_flows_of_the_shop_load() -> None:
    assert available_workflows() == ["order", "refund", "restock"]
    for name in available_workflows():
        assert load_workflow(name).name == name


def test_nodes_of_each_type() -> None:
    nodes = load_workflow("order").nodes
    assert nodes["charge_card"] == TaskNode("charge_card", "charge_card", ("pick", "quotes"), 3, 20)
    assert nodes["quotes"] == ParallelNode("quotes", ("quote_dhl", "quote_gls"), "any", ("print_label",))
    assert nodes["is_large"] == ConditionNode(
        "is_large", "total >= 500", {"true": "manual_review", "false": "charge_card"}
    )


@pytest.mark.parametrize("text", ["", "name: x", "name: x\nstart: a\nnodes: {a: {type: teapot}}"])
def test_a_bad_file_is_a_definition_error(text: str) -> None:
    with pytest.raises(DefinitionError):
        parse_workflow(text)


def test_an_unknown_flow_is_named() -> None:
    with pytest.raises(DefinitionError, match="no flow 'returns'; there are order, refund, restock"):
        load_workflow("returns")


@pytest.mark.parametrize(
    ("expression", "label"), [("n > 2", "true"), ("n > 3", "false"), ("kind", "late"), ("n * 2", "6")]
)
def test_labels(expression: str, label: str) -> None:
    assert evaluate(expression, {"n": 3, "kind": "late"}) == label

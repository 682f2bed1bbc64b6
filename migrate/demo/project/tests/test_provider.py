from __future__ import annotations

import asyncio

import pytest

import shop
from shop.__main__ import main
from shop.modes import mode_for
from shop.provider import ServiceProvider
from shop.workflows import load_workflow


def test_services_are_built_once() -> None:
    provider = ServiceProvider()
    assert provider.get("database") is provider.get("database")


def test_the_executor_of_the_settings_runs_a_flow() -> None:
    provider = ServiceProvider()
    provider.get("database").add_stock("CH-11", 3)
    result = asyncio.run(provider.get("workflow_executor").execute(load_workflow("restock"), {"sku": "CH-11"}))
    assert result.data["purchased"] == 7


def test_an_override_replaces_a_class() -> None:
    provider = ServiceProvider(overrides={"workflow_executor": "unittest.mock.MagicMock"})
    assert type(provider.get("workflow_executor")).__name__ == "MagicMock"


def test_lazy_names_of_the_package() -> None:
    assert shop.WorkflowExecutor is not None
    with pytest.raises(AttributeError, match="has no attribute 'Till'"):
        shop.Till


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flows"]) == 0
    assert capsys.readouterr().out.split() == ["order", "refund", "restock"]
    assert main([]) == 2


def test_modes_follow_the_clock() -> None:
    assert mode_for(12).name == "day"
    assert mode_for(3).flows == ("restock",)

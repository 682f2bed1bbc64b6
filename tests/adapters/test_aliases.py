"""Old import paths: one object, one warning a call site."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from graphlift.adapters import GraphWorkflowExecutor, deprecated_alias


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = types.ModuleType("shop_old_executor")
    module.__getattr__ = deprecated_alias(  # type: ignore[method-assign]
        "shop_old_executor",
        {"ErrorBase": "graphlift.adapters.errors:GraphliftError"},
        WorkflowExecutor="graphlift.adapters:GraphWorkflowExecutor",
    )
    monkeypatch.setitem(sys.modules, "shop_old_executor", module)
    return module


def test_the_object_is_the_new_one(old: Any) -> None:
    with pytest.warns(
        DeprecationWarning, match="shop_old_executor.WorkflowExecutor is deprecated; use graphlift.adapters.Gr"
    ):
        from shop_old_executor import WorkflowExecutor  # type: ignore[import-not-found]
    assert WorkflowExecutor is GraphWorkflowExecutor


def test_one_warning_a_call_site_whatever_the_filters(old: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            old.WorkflowExecutor
        old.WorkflowExecutor
    assert len(caught) == 2
    assert {item.filename for item in caught} == {__file__}
    assert caught[0].lineno != caught[1].lineno


def test_a_name_that_never_was_is_an_attribute_error(old: Any) -> None:
    with pytest.raises(AttributeError, match="module 'shop_old_executor' has no attribute 'Nothing'"):
        old.Nothing
    assert not hasattr(old, "Nothing")

"""LangGraph's private names are where they are looked up; a name that moved is named."""

from __future__ import annotations

from importlib import import_module

import pytest

from graphlift.adapters import langgraph_private
from graphlift.adapters.errors import EnvironmentProblem


@pytest.mark.parametrize("name", sorted(langgraph_private.LOOKED_UP))
def test_each_private_name_is_where_it_was(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(module), attribute), (
        f"langgraph moved {name}, needed {langgraph_private.LOOKED_UP[name]}"
    )


def test_a_moved_name_is_named_in_the_error() -> None:
    with pytest.raises(
        EnvironmentProblem, match=r"has no langgraph\.pregel\._algo\._moved_away, which graphlift needs to try"
    ):
        langgraph_private.private("langgraph.pregel._algo", "_moved_away", "to try")
    del langgraph_private.LOOKED_UP["langgraph.pregel._algo._moved_away"]

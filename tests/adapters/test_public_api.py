"""The layer's front door: what it exports, that it is lazy, and that only one module knows LangGraph's private names."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphlift.adapters

FOLDER = Path(graphlift.adapters.__file__).parent


def test_every_exported_name_is_there() -> None:
    for name in graphlift.adapters.__all__:
        assert getattr(graphlift.adapters, name) is not None
    assert set(graphlift.adapters.__all__) <= set(dir(graphlift.adapters))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = graphlift.adapters.Nothing


def test_the_three_lists_of_names_are_one() -> None:
    tree = ast.parse((FOLDER / "__init__.py").read_text())
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {alias.name for node in typed.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(graphlift.adapters.__all__)
    lazy = [name for names in graphlift.adapters._HOME.values() for name in names]
    assert sorted(lazy) == sorted(graphlift.adapters.__all__)
    assert len(set(graphlift.adapters.__all__)) == len(graphlift.adapters.__all__)


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import graphlift.adapters", ("langgraph", "pydantic", "yaml")),
        ("from graphlift.adapters import WorkflowError, NodeStatus", ("langgraph", "pydantic")),
        (
            "from graphlift.adapters import SuccessorWorkflow, run_breadth_first, load_workflow",
            ("langgraph", "langchain_core"),
        ),
    ],
)
def test_importing_is_cheap(statement: str, absent: tuple[str, ...]) -> None:
    program = f"{statement}\nimport sys\nprint([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


PRIVATE = re.compile(r"langgraph\._internal|langgraph\.\w+\._\w+|langgraph\.checkpoint\.serde\.types")


def test_private_names_of_langgraph_are_in_one_module() -> None:
    offenders = {
        path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*.py")
        if path.name != "langgraph_private.py" and PRIVATE.search(path.read_text())
    }
    assert offenders == set()

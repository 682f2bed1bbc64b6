"""`graphlift explain`: what it prints, and its exit codes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

FLOW = """
import operator
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph


class State(TypedDict):
    log: Annotated[list, operator.add]


def build(stall=False):
    made = StateGraph(State)
    for name in ("design", "api", "front", "integration", "review", "x", "y", "end"):
        made.add_node(name, lambda state, name=name: {"log": [name]})
    made.add_edge(START, "design")
    made.add_edge("design", "api")
    made.add_edge("design", "front")
    made.add_edge(["api", "front"], "integration")
    made.add_edge("api", "review")
    made.add_edge("integration", "review")
    if stall:
        made.add_conditional_edges("design", lambda state: "x", ["x", "y"])
        made.add_edge(["x", "y"], "end")
    return made


def save(path, stall):
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(path) as saver:
        build(stall).compile(checkpointer=saver).invoke({"log": []}, {"configurable": {"thread_id": "t1"}})
"""


@pytest.fixture
def shop(sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    sandbox.files({"flow.py": FLOW})
    return sandbox


def save(root: Path, stall: str = "") -> None:
    spec = importlib.util.spec_from_file_location("flow_of_a_test", root / "flow.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        # LangGraph looks a schema's module up by name.
        patch.setitem(sys.modules, spec.name, module)
        patch.setattr(sys, "dont_write_bytecode", True)
        spec.loader.exec_module(module)
        module.save(str(root / "runs.sqlite"), bool(stall))


def test_a_node_that_ran_twice_is_one_line(shop: Any) -> None:
    save(shop.root)
    done = shop.run("explain", "runs.sqlite", "t1")
    assert done.code == 0, done.err
    assert "review ran twice: superstep 3 from api, superstep 4 from integration" in done.out
    assert "ended: quiescent: nothing is due" in done.out
    assert str(shop.root) not in done.out


def test_a_stall_is_a_finding(shop: Any) -> None:
    save(shop.root, "stall")
    done = shop.run("explain", "runs.sqlite", "t1")
    assert done.code == 1
    assert "end: stalled; arrived x; missing y" in done.out
    data = shop.run("explain", "runs.sqlite", "t1", "--format", "json").json()
    assert [(edge["target"], edge["missing"], edge["status"]) for edge in data["waiting"]] == [
        ("end", ["y"], "stalled")
    ]


def test_with_the_graph_nodes_that_nothing_reached_are_known(shop: Any) -> None:
    save(shop.root, "stall")
    alone = shop.run("explain", "runs.sqlite", "t1", "--format", "json").json()
    # The graph is built without the branch here, which is a graph that changed since.
    exact = shop.run("explain", "runs.sqlite", "t1", "--graph", "flow:build", "--format", "json").json()
    assert (alone["with_graph"], exact["with_graph"]) == (False, True)
    assert "y" not in {node["node"] for node in alone["nodes"]}
    assert "y" in {node["node"] for node in exact["nodes"]}


def test_every_version_is_raw_text_beside_its_ordinal(shop: Any) -> None:
    save(shop.root)
    data = shop.run("explain", "runs.sqlite", "t1", "--format", "json").json()
    fired = [one for row in data["rows"] for one in row["fired"]]
    assert "waiting" not in data
    assert all(isinstance(one["consumed"]["raw"], str) and one["consumed"]["ordinal"] >= 1 for one in fired)


def test_mermaid(shop: Any) -> None:
    save(shop.root, "stall")
    out = shop.run("explain", "runs.sqlite", "t1", "--mermaid").out
    assert out.startswith("flowchart LR\n")
    assert out.count('["review"]') == 2
    assert "end<br/>missing y" in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["missing.sqlite", "t1"], 2, "there is no file missing.sqlite"),
        (["flow.py", "t1"], 2, "file is not a database"),
        (["runs.sqlite", "t9"], 2, "name one of its threads: 't1'"),
        (["runs.sqlite", "t1", "--graph", "flow"], 2, "write it as package.module:attribute"),
        (["runs.sqlite", "t1", "--graph", "flow:nothing"], 2, "there is no 'nothing'"),
        (["runs.sqlite", "t1", "--graph", "flow:State"], 2, "not a graph"),
        (
            ["runs.sqlite", "t1", "--graph", "no_such_module:app"],
            3,
            "importing no_such_module raised ModuleNotFoundError",
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_a_mend(shop: Any, arguments: list[str], code: int, said: str) -> None:
    save(shop.root)
    done = shop.run("explain", *arguments)
    assert done.code == code
    assert said in done.err
    assert "mend:" in done.err
    assert "Traceback" not in done.err


def test_the_options_are_those_the_help_shows(shop: Any) -> None:
    out = shop.run("explain", "--help").out
    for option in ("--graph", "--namespace", "--checkpoint", "--recursion-limit", "--mermaid", "--format"):
        assert option in out
    assert "Example: graphlift explain" in out

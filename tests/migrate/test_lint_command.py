"""`graphlift lint`: its formats, and its exit codes."""

from __future__ import annotations

from typing import Any

import pytest

FLOW = """
raise SystemExit("imported")

from langgraph.graph import START, StateGraph

g = StateGraph(dict)
for name in ("a", "b", "c", "x", "d"):
    g.add_node(name, lambda state: None)
g.add_edge(START, "a")
g.add_edge("a", "b")
g.add_edge("a", "c")
g.add_edge("c", "x")
g.add_edge("b", "d")
g.add_edge("x", "d")
"""


@pytest.fixture
def shop(sandbox: Any) -> Any:
    sandbox.files({"flow.py": FLOW, "sub/sound.py": "x = 1\n", "sub/text.txt": "StateGraph"})
    return sandbox


def test_a_hazard_in_source_is_never_imported(shop: Any) -> None:
    done = shop.run("lint")
    assert done.code == 1, done.err
    assert done.out.splitlines()[0] == (
        "flow.py:14:1: error: d runs 2 times: superstep 3 from b; superstep 4 from x [uneven-fan-in]"
    )
    assert "    why: Separate edges are separate triggers" in done.out
    assert "    mend: give the sources as one list" in done.out
    assert done.out.splitlines()[-1] == "1 errors, 0 warnings"


def test_paths(shop: Any) -> None:
    assert shop.run("lint", "sub").code == 0
    assert shop.run("lint", "flow.py", "sub").code == 1
    assert shop.run("lint", "./flow.py", cwd=shop.root).code == 1
    missing = shop.run("lint", "nowhere")
    assert (missing.code, "there is no nowhere" in missing.err) == (2, True)
    outside = shop.run("lint", "..")
    assert (outside.code, "is outside the project" in outside.err) == (2, True)


def test_json(shop: Any) -> None:
    (one,) = shop.run("lint", "--format", "json").json()["findings"]
    assert (one["rule"], one["level"], one["file"], one["line"], one["graph"]) == (
        "uneven-fan-in",
        "error",
        "flow.py",
        14,
        "g",
    )


def test_sarif(shop: Any) -> None:
    report = shop.run("lint", "--format", "sarif").json()
    assert report["version"] == "2.1.0"
    (run,) = report["runs"]
    ids = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    (result,) = run["results"]
    assert result["ruleId"] in ids
    location = result["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "flow.py"}, "region": {"startLine": 14, "startColumn": 1}}


def test_github(shop: Any) -> None:
    out = shop.run("lint", "--format", "github").out
    assert out.startswith("::error file=flow.py,line=14,col=1,title=uneven-fan-in::d runs 2 times: superstep 3")
    assert out.count("\n") == 1


def test_select_and_ignore(shop: Any) -> None:
    assert shop.run("lint", "--ignore", "uneven-fan-in").code == 0
    assert shop.run("lint", "--select", "defer-chain").code == 0
    assert shop.run("lint", "--select", "uneven-fan-in").code == 1
    wrong = shop.run("lint", "--select", "nonsense")
    assert (wrong.code, "there is no rule 'nonsense'" in wrong.err) == (2, True)


def test_a_comment_on_the_line_leaves_a_finding_out(shop: Any) -> None:
    shop.files({"flow.py": FLOW.rstrip() + "  # graphlift: ignore[uneven-fan-in]\n"})
    assert shop.run("lint").code == 0
    shop.files({"flow.py": FLOW.rstrip() + "  # graphlift: ignore[defer-chain]\n"})
    assert shop.run("lint").code == 1


def test_a_file_that_does_not_parse_is_a_finding(shop: Any) -> None:
    shop.files({"flow.py": "StateGraph(\n"})
    done = shop.run("lint")
    assert done.code == 1
    assert "flow.py:1:1: error: cannot be read" in done.out
    assert "[unreadable-file]" in done.out


def test_the_rules_are_listed(shop: Any) -> None:
    out = shop.run("lint", "--rules").out
    assert out.splitlines()[0].split()[:2] == ["uneven-fan-in", "error"]
    assert len(out.splitlines()) == 19
    listed = shop.run("lint", "--rules", "--format", "json").json()["rules"]
    assert [rule["id"] for rule in listed] == [line.split()[0] for line in out.splitlines()]


BUILT = """
import operator
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph


class State(TypedDict):
    log: Annotated[list, operator.add]
    shared: Annotated[dict, operator.or_]
    key: str


def first(state):
    return {"key": 1, "log": [1]}


def second(state):
    state["log"].append(2)
    return {"key": 2, "log": [2]}


def whole(state):
    return {"shared": {**state["shared"], "x": 1}}


def route(state):
    return "left" if state["log"][-1] else "right"


def build():
    made = StateGraph(State)
    names = ["first", "second", "whole", "end"]
    for name, body in zip(names, (first, second, whole, whole)):
        made.add_node(name, body)
    made.add_edge(START, "first")
    made.add_edge(START, "second")
    made.add_conditional_edges("first", route, {"left": "whole", "right": "end"})
    made.add_edge(["whole", "end"], "second")
    return made


app = build().compile()
"""


def test_a_compiled_graph_is_exact_where_the_source_is_not(shop: Any) -> None:
    shop.files({"flow.py": "", "built.py": BUILT})
    for name in ("built:app", "built:build"):
        found = shop.run("lint", "--graph", name, "--format", "json").json()["findings"]
        assert {(one["rule"], one["file"], one["line"]) for one in found} == {
            ("same-key-writers", "built.py", 18),
            ("ordered-reducer", "built.py", 18),
            ("state-mutation", "built.py", 19),
            ("full-state-return", "built.py", 24),
            ("raising-router", "built.py", 28),
            ("exclusive-barrier", "built.py", 18),
        }


def test_an_import_that_fails_is_the_environment(shop: Any) -> None:
    done = shop.run("lint", "--graph", "nowhere:app")
    assert (done.code, "importing nowhere raised" in done.err) == (3, True)


HANDED = """
from langgraph.graph import StateGraph, START


def wire(g):
    g.add_edge(START, "a")


g = StateGraph(dict)
g.add_node("a", print)
wire(g)
app = g.compile()
"""


def test_a_graph_that_is_seen_in_part_is_said(sandbox) -> None:
    sandbox.files({"w.py": HANDED, "whole.py": HANDED.replace("wire(g)\napp", 'g.add_edge(START, "a")\napp')})
    ran = sandbox.run("lint", "w.py")
    assert ran.code == 0
    assert "note: w.py:9: of the graph 'g' the source shows only a part" in ran.err
    assert "only a part" not in sandbox.run("lint", "whole.py").err


def test_what_is_named_is_looked_at_also_where_the_project_leaves_it_out(sandbox) -> None:
    sandbox.files({"build/w.py": HANDED, "empty/x.txt": ""})
    assert "note: build/w.py:9" in sandbox.run("lint", "build").err
    ran = sandbox.run("lint", "empty")
    assert (ran.code, "there is no Python file in empty" in ran.err) == (2, True)

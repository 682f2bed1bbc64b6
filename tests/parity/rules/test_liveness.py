"""GL170: the run ended normally, but a node that was due never ran."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.adapters import parse_workflow

DIAMOND = parse_workflow(
    {
        "style": "dependency",
        "name": "diamond",
        "steps": [
            {"name": "a"},
            {"name": "b", "depends_on": ["a"], "when": "False"},
            {"name": "c", "depends_on": ["a"]},
            {"name": "d", "depends_on": ["b", "c"]},
        ],
    }
)
ROUTED = parse_workflow(
    {
        "style": "successor",
        "name": "routed",
        "start": "a",
        "nodes": [
            {"kind": "task", "name": "a", "next": ["route"]},
            {
                "kind": "condition",
                "name": "route",
                "condition": "data['kind']",
                "branches": {"left": "b", "right": "c"},
            },
            {"kind": "task", "name": "b"},
            {"kind": "task", "name": "c", "next": ["d"]},
            {"kind": "task", "name": "d"},
        ],
    }
)


def ended(success: bool = True, **statuses: str) -> Any:
    nodes = {
        name: {"status": "completed" if value in ("left", "right", "nowhere") else value, "output": value}
        for name, value in statuses.items()
    }
    return lambda h: {"success": success, "node_results": nodes}


def test_a_join_behind_a_branch_that_was_never_chosen_fails_even_where_both_agree(check: Any) -> None:
    both = ended(a="completed", c="completed")
    cause = "under both engines the run ended normally although c had led to d, b never came"
    found = check("GL170", both, both, DIAMOND)
    assert ("d", "never ran", "never ran", cause) in found
    assert {item[0] for item in found} == {"b", "d"}


def test_one_engine_alone(check: Any) -> None:
    whole = ended(a="completed", b="skipped", c="completed", d="completed")
    found = check("GL170", whole, ended(a="completed", b="skipped", c="completed"), DIAMOND)
    cause = "under the candidate engine the run ended normally although c had led to d, b never came"
    assert found == [("d", "accounted for", "never ran", cause)]


def test_a_successor_that_was_dropped(check: Any) -> None:
    both = ended(a="completed", route="right", c="completed")
    cause = "under both engines the run ended normally although c had led to d"
    assert check("GL170", both, both, ROUTED) == [("d", "never ran", "never ran", cause)]


def test_the_branch_that_a_verdict_chose(check: Any) -> None:
    both = ended(a="completed", route="left")
    assert [item[0] for item in check("GL170", both, both, ROUTED)] == ["b"]


def test_the_graph_may_be_told_by_the_case(check: Any) -> None:
    both = ended(a="completed", b="completed")
    assert [item[0] for item in check("GL170", both, both, {"d": ["b", "c"]})] == ["d"]
    assert check("GL170", both, both, {"d": ["b?", "c?"]}) == []


@pytest.mark.parametrize(
    ("definition", "run"),
    [
        (DIAMOND, ended(a="completed", b="skipped", c="completed", d="completed")),
        (DIAMOND, ended(success=False, a="completed", c="failed")),
        (ROUTED, ended(a="completed", route="left", b="completed")),
        (ROUTED, ended(a="completed", route="right", c="completed", d="completed")),
        (ROUTED, ended(a="completed", route="nowhere")),
        ("a definition of the team's own", ended(a="completed")),
        (DIAMOND, lambda h: {"success": True}),
    ],
    ids=["skipped", "failed", "left", "right", "no branch", "not a neutral workflow", "nothing shown"],
)
def test_no_alarm(check: Any, definition: Any, run: Any) -> None:
    assert check("GL170", run, run, definition) == []

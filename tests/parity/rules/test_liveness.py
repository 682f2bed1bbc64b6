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
        name: {"status": "completed" if value in ("left", "right") else value, "output": value}
        for name, value in statuses.items()
    }
    return lambda h: {"success": success, "node_results": nodes}


def test_a_join_behind_a_branch_that_was_never_chosen_fails_even_where_both_agree(check: Any) -> None:
    both = ended(a="completed", b="skipped", c="completed")
    told = "was due and never ran"
    assert check("GL170", both, both, DIAMOND) == [("d", told, told, "all it depends on has finished (b, c)")]


def test_one_engine_alone(check: Any) -> None:
    whole = ended(a="completed", b="skipped", c="completed", d="completed")
    found = check("GL170", whole, ended(a="completed", b="skipped", c="completed"), DIAMOND)
    assert [(node, legacy, candidate) for node, legacy, candidate, _ in found] == [
        ("d", "ran", "was due and never ran")
    ]


def test_a_successor_that_was_dropped(check: Any) -> None:
    both = ended(a="completed", route="right", c="completed")
    told = "was due and never ran"
    assert check("GL170", both, both, ROUTED) == [("d", told, told, "c has finished and leads to it")]


def test_the_branch_that_a_verdict_chose(check: Any) -> None:
    both = ended(a="completed", route="left")
    assert [item[0] for item in check("GL170", both, both, ROUTED)] == ["b"]


@pytest.mark.parametrize(
    ("definition", "run"),
    [
        (DIAMOND, ended(a="completed", b="skipped", c="completed", d="completed")),
        (DIAMOND, ended(success=False, a="completed", c="failed")),
        (ROUTED, ended(a="completed", route="left", b="completed")),
        (ROUTED, ended(a="completed", route="right", c="completed", d="completed")),
        (ROUTED, ended(a="completed", route="other")),
        ("a definition of the team's own", ended(a="completed")),
    ],
    ids=["skipped", "failed", "left", "right", "no branch", "not a neutral workflow"],
)
def test_no_alarm(check: Any, definition: Any, run: Any) -> None:
    assert check("GL170", run, run, definition) == []

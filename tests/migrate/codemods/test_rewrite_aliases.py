"""Aliases keep their names and are pointed at what their uses need."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "type": "flows.engine.GraphRunner",
    "arguments": {"rename": {"max_depth": "recursion_limit"}, "drop": ["trace"], "add": {"strict": "False"}},
}
OLD = "from legacy.walker import BFSWalker\n"
CALLED = "from flows.engine import build_graph\n"
TYPED = "from flows.engine import GraphRunner\n"


def test_an_alias_that_is_called() -> None:
    check_transformed(
        OLD + 'Walker = BFSWalker\nw = Walker(n, max_depth=3)\nREG = {"bfs": BFSWalker}\n',
        CALLED
        + OLD
        + 'Walker = build_graph\nw = Walker(n, recursion_limit=3, strict=False)\nREG = {"bfs": BFSWalker}\n',
        symbols=[SYMBOL],
        flags=["escapes-as-value"],
    )


def test_an_alias_that_is_annotated() -> None:
    check_transformed(
        OLD + "Walker = BFSWalker\ndef f(w: Walker): ...\n",
        TYPED + "Walker = GraphRunner\ndef f(w: Walker): ...\n",
        symbols=[SYMBOL],
        flags=[],
    )


def test_a_local_alias() -> None:
    check_transformed(
        OLD + "def f(n):\n    make = BFSWalker\n    return make(n)\n",
        CALLED + "def f(n):\n    make = build_graph\n    return make(n, strict=False)\n",
        symbols=[SYMBOL],
        flags=[],
    )


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("Walker = BFSWalker\nw = Walker(n)\ndef f(w: Walker): ...\n", ["alias-kept"]),
        ("Walker = BFSWalker\nw = Walker(**o)\nv = Walker(1)\n", ["alias-kept", "dynamic-kwargs"]),
        ("Walker = BFSWalker\nw = Walker(1)\nclass A(Walker): ...\n", ["alias-kept", "subclass"]),
    ],
)
def test_an_alias_whose_uses_disagree_stays_with_them(source: str, kinds: list[str]) -> None:
    check_noop(OLD + source, symbols=[SYMBOL], flags=kinds)


def test_an_alias_for_others_becomes_the_type() -> None:
    check_transformed(
        OLD + "Walker = BFSWalker\n", TYPED + "Walker = GraphRunner\n", symbols=[SYMBOL], flags=["public-export"]
    )


def test_uses_of_an_alias_in_another_file_go_to_the_target_itself() -> None:
    check_transformed(
        "from app.names import Walker\nw = Walker(n)\n",
        CALLED + "w = build_graph(n, strict=False)\n",
        symbols=[SYMBOL],
        flags=["public-export"],
        extra={"app/names.py": (OLD + "Walker = BFSWalker\n", TYPED + "Walker = GraphRunner\n")},
    )


def test_an_alias_that_another_file_still_needs_stays() -> None:
    check_noop(
        "from app.names import Walker\nclass A(Walker): ...\n",
        symbols=[SYMBOL],
        flags=["public-export", "subclass"],
        extra={"app/names.py": OLD + "Walker = BFSWalker\n"},
    )


@pytest.mark.parametrize("source", ["Walker = other\nWalker(1)\n", "BFSWalker = 1\nWalker = BFSWalker\n"])
def test_other_aliases_stay(source: str) -> None:
    check_noop(source, symbols=[SYMBOL])

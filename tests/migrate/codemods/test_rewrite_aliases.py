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
        ("Walker = BFSWalker\nw = Walker(n)\ndef f(w: Walker): ...\n", ["alias-kept"] * 3),
        ("Walker = BFSWalker\nw = Walker(**o)\nv = Walker(1)\n", ["alias-kept", "alias-kept", "dynamic-kwargs"]),
        ("Walker = BFSWalker\nw = Walker(1)\nclass A(Walker): ...\n", ["alias-kept", "alias-kept", "subclass"]),
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


def test_aliases_of_one_name_in_two_functions_are_two() -> None:
    check_transformed(
        OLD + "def f():\n    w = BFSWalker\n    return w(1)\ndef g():\n    w = BFSWalker\n    return w(**o)\n",
        CALLED + OLD + "def f():\n    w = build_graph\n    return w(1, strict=False)\n"
        "def g():\n    w = BFSWalker\n    return w(**o)\n",
        symbols=[SYMBOL],
        flags=["alias-kept", "dynamic-kwargs"],
    )


def test_one_name_bound_in_two_branches_goes_or_stays_as_a_whole() -> None:
    check_transformed(
        OLD + "if c:\n    W = BFSWalker\nelse:\n    W = BFSWalker\nW(1)\n",
        CALLED + "if c:\n    W = build_graph\nelse:\n    W = build_graph\nW(1, strict=False)\n",
        symbols=[SYMBOL],
        flags=[],
    )


def test_an_alias_bound_in_a_condition_is_pointed_too() -> None:
    check_transformed(
        OLD
        + "import legacy.walker as mod\nif (W := BFSWalker):\n    W(1)\n[V(2) for x in y if (V := mod.BFSWalker)]\n",
        CALLED + "import flows.engine\nif (W := build_graph):\n    W(1, strict=False)\n"
        "[V(2, strict=False) for x in y if (V := flows.engine.build_graph)]\n",
        symbols=[SYMBOL],
        flags=[],
    )


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("(w := BFSWalker)(1, trace=True)\n", ["alias-kept"]),
        ("f(w := BFSWalker)\nw(1)\n", ["alias-kept", "alias-kept"]),
        ("A = B = BFSWalker\nA(1)\n", ["alias-kept", "not-rewritten"]),
        ("A = BFSWalker\nB = A\nB(1)\n", ["alias-kept"] * 3),
    ],
)
def test_an_alias_of_another_kind_stays_with_its_uses(source: str, kinds: list[str]) -> None:
    check_noop(OLD + source, symbols=[SYMBOL], flags=kinds)


def test_an_alias_that_is_called_where_it_is_bound() -> None:
    check_transformed(
        OLD + "(w := BFSWalker)(1)\nw(2)\n",
        CALLED + "(w := build_graph)(1)\nw(2)\n",
        symbols=[{**SYMBOL, "arguments": {}}],
        flags=[],
    )


def test_an_alias_used_here_that_another_file_still_needs_stays_with_its_uses() -> None:
    check_noop(
        OLD + "Walker = BFSWalker\nWalker(1)\n",
        symbols=[SYMBOL],
        flags=["alias-kept", "public-export", "subclass"],
        extra={"app/other.py": "from app.user import Walker\nclass A(Walker): ...\n"},
    )

"""The definition of a target keeps what it is made of: rewritten, it would refer to itself."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.BFSWalker", "called": "flows.engine.build_graph", "type": "flows.engine.GraphRunner"}
MOVED = {"legacy": "legacy.walker.BFSWalker", "to": "flows.engine.GraphRunner"}
LEGACY = {
    "legacy/__init__.py": "",
    "legacy/walker.py": "class BFSWalker:\n    def run(self): ...\n",
    "flows/__init__.py": "",
}
ENGINE = "flows/engine.py"
IMPORT = "from legacy.walker import BFSWalker\n"
RUNNER = "class GraphRunner: ...\n"
BUILD = "def build_graph(n): ...\n"


@pytest.mark.parametrize(
    ("source", "places"),
    [
        (f"def build_graph(n):\n    return BFSWalker(n)\n{RUNNER}", 1),
        (f"def build_graph(n):\n    def inner():\n        return BFSWalker(n)\n    return inner()\n{RUNNER}", 1),
        (f"def build_graph(n) -> 'BFSWalker':\n    W = BFSWalker\n    return W(n)\n{RUNNER}", 3),
        (f"async def build_graph(n):\n    return BFSWalker(n)\n{RUNNER}", 1),
        (f"if True:\n    def build_graph(n, make=BFSWalker(1)):\n        return make\n{RUNNER}", 1),
        (f"@register(BFSWalker(0))\ndef build_graph(n): ...\n{RUNNER}", 1),
        (f"{BUILD}class GraphRunner:\n    def __init__(self):\n        self.walker = BFSWalker(1)\n", 1),
        (f"{BUILD}class GraphRunner(BFSWalker):\n    pass\n", 1),
        (f"{BUILD}class GraphRunner:\n    inner: BFSWalker\n    def of(self, w: BFSWalker): ...\n", 2),
    ],
)
def test_what_the_target_is_made_of_stays(source: str, places: int) -> None:
    check_noop(
        IMPORT + source,
        symbols=[SYMBOL],
        flags=["inside-target"] * places,
        path=ENGINE,
        extra=LEGACY,
        skip=["join-wiring"],
    )


def test_the_import_inside_the_target_stays_too() -> None:
    source = f"def build_graph(n):\n    from legacy.walker import BFSWalker\n    return BFSWalker(n)\n{RUNNER}"
    plan = check_noop(source, symbols=[SYMBOL], flags=["inside-target"], path=ENGINE, extra=LEGACY)
    assert plan.flags[0].reason == (
        "inside the definition of its own target flows.engine.build_graph, which would come to refer to itself"
    )


def test_a_subclass_that_a_symbol_moves_to() -> None:
    """With `to`, a subclass would be rewritten: the class would be its own base."""
    source = f"{IMPORT}class GraphRunner(BFSWalker):\n    def copy(self): return BFSWalker()\n"
    check_noop(source, symbols=[MOVED], flags=["inside-target", "inside-target"], path=ENGINE, extra=LEGACY)


def test_the_rest_of_the_module_is_rewritten() -> None:
    check_transformed(
        f"{IMPORT}def build_graph(n):\n    return BFSWalker(n)\n{RUNNER}def f(): return BFSWalker(2)\n",
        f"{IMPORT}def build_graph(n):\n    return BFSWalker(n)\n{RUNNER}def f(): return build_graph(2)\n",
        symbols=[SYMBOL],
        flags=["inside-target"],
        path=ENGINE,
        extra=LEGACY,
    )


def test_a_definition_of_that_name_elsewhere_is_no_target() -> None:
    check_transformed(
        f"{IMPORT}class K:\n    def build_graph(self): return BFSWalker(1)\n",
        "import flows.engine\nclass K:\n    def build_graph(self): return flows.engine.build_graph(1)\n",
        symbols=[SYMBOL],
        flags=["name-collision"],
        path="app/user.py",
        extra={**LEGACY, ENGINE: BUILD + RUNNER},
    )


@pytest.mark.parametrize(
    "package", ["from .engine import build_graph, GraphRunner\n", "from .engine import *\n", "from . import engine\n"]
)
def test_a_target_that_is_configured_by_a_re_export(package: str) -> None:
    through = "flows.engine" if "import engine" in package else "flows"
    symbol = {**SYMBOL, "called": f"{through}.build_graph", "type": f"{through}.GraphRunner"}
    source = f"{IMPORT}def build_graph(n):\n    return BFSWalker(n)\n{RUNNER}"
    extra = {**LEGACY, "flows/__init__.py": package}
    check_noop(source, symbols=[symbol], flags=["inside-target"], path=ENGINE, extra=extra)


def test_a_string_that_the_target_imports() -> None:
    source = f"def build_graph(n):\n    return load('legacy.walker.BFSWalker')(n)\n{RUNNER}"
    check_noop(source, symbols=[SYMBOL], flags=["inside-target"], path=ENGINE, extra=LEGACY)


def test_the_new_place_of_a_module_may_need_the_old_one() -> None:
    symbol = {"legacy": "legacy.walker", "to": "flows.engine"}
    source = "from legacy.walker import BFSWalker\nimport legacy.walker as lw\nlw.BFSWalker()\n"
    check_noop(source, symbols=[symbol], flags=["inside-target"] * 3, path=ENGINE, extra=LEGACY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def old(n): return BFSWalker(n)\n", "def old(n): return build_graph(n)\n"),
        (
            "def old(n):\n    from legacy.walker import BFSWalker\n    return BFSWalker(n)\n",
            "def old(n):\n    return build_graph(n)\n",
        ),
        (f"{BUILD}w = BFSWalker(1)\n", f"{BUILD}w = build_graph(1)\n"),
        ("def old(w: 'BFSWalker'): ...\n", "def old(w: 'GraphRunner'): ...\n"),
    ],
)
@pytest.mark.parametrize(
    ("target", "names"), [("flows.engine", ""), ("flows", "GraphRunner, build_graph"), ("flows", "*")]
)
def test_what_else_stands_in_the_file_of_the_target_imports_nothing_from_itself(
    before: str, after: str, target: str, names: str
) -> None:
    rest = RUNNER if BUILD in before else BUILD + RUNNER
    symbol = {"legacy": "legacy.walker.BFSWalker", "called": f"{target}.build_graph", "type": f"{target}.GraphRunner"}
    own = "" if "    from legacy" in before else IMPORT
    check_transformed(
        own + before + rest,
        after + rest,
        symbols=[symbol],
        flags=[],
        path=ENGINE,
        extra={**LEGACY, "flows/__init__.py": f"from .engine import {names}\n" if names else ""},
    )


@pytest.mark.parametrize(
    "source",
    [
        f"w = BFSWalker(1)\n{BUILD}{RUNNER}",
        f"def old(w=BFSWalker(1)): ...\n{BUILD}{RUNNER}",
        f"def old(build_graph): return BFSWalker(build_graph)\n{BUILD}{RUNNER}",
        f"def old():\n    from other import build_graph\n    return BFSWalker(build_graph)\n{BUILD}{RUNNER}",
        f"if x:\n    {BUILD}else:\n    {BUILD}def old(): return BFSWalker(1)\n{RUNNER}",
    ],
)
def test_where_the_target_is_not_there_or_not_meant_the_call_stays(source: str) -> None:
    check_noop(IMPORT + source, symbols=[SYMBOL], flags=["name-collision"], path=ENGINE, extra=LEGACY)

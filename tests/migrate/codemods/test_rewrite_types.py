"""Annotations of a legacy symbol, in every spelling, become the new type; strings that only read like one stay."""

from __future__ import annotations

import sys

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "type": "flows.engine.GraphRunner",
    "arguments": {"rename": {"max_depth": "recursion_limit"}, "drop": ["trace"], "add": {"strict": "False"}},
}
OLD = "from legacy.walker import BFSWalker\n"
NEW = "from flows.engine import GraphRunner\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f(w: BFSWalker) -> BFSWalker: ...\n",
        "def f(*a: BFSWalker, **k: 'BFSWalker'): ...\n",
        "x: BFSWalker\n",
        "x: list[BFSWalker | None] = []\n",
        "x: 'dict[str, BFSWalker]' = {}\n",
        "def f():\n    x: 'BFSWalker' = None\n    return x\n",
        "class K:\n    a: BFSWalker\n    def m(self) -> 'BFSWalker': ...\n",
        "from typing import cast\ny = cast('BFSWalker', x)\n",
        "from typing import cast\ny = cast(BFSWalker, x)\n",
        "from typing import TypeVar\nT = TypeVar('T', bound='BFSWalker')\n",
        "from typing import Optional\nasync def f(x: Optional['BFSWalker']): ...\n",
        "from __future__ import annotations\ndef f(w: BFSWalker): ...\n",
        "def f(w):\n    # type: (BFSWalker) -> list[BFSWalker]\n    ...\n",
        "def f(w,  # type: BFSWalker\n      v=1,  # type: int\n      ): ...\n",
        "def f():\n    x = None  # type: BFSWalker\n    return x\n",
        "for x in y:  # type: BFSWalker\n    pass\n",
    ],
)
def test_an_annotation_is_rewritten(source: str) -> None:
    future = "from __future__ import annotations\n" if source.startswith("from __future__") else ""
    body = source.removeprefix(future)
    check_transformed(
        future + OLD + body, future + NEW + body.replace("BFSWalker", "GraphRunner"), symbols=[SYMBOL], flags=[]
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695")
@pytest.mark.parametrize(
    "source", ["type W = BFSWalker\n", "def f[T: BFSWalker](x: T): ...\n", "class A[T: (BFSWalker, int)]: ...\n"]
)
def test_type_parameters_and_type_statements(source: str) -> None:
    check_transformed(OLD + source, NEW + source.replace("BFSWalker", "GraphRunner"), symbols=[SYMBOL], flags=[])


def test_under_type_checking_the_new_import_stands_where_the_old_one_did() -> None:
    check_transformed(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from legacy.walker import BFSWalker, helper\n"
        'def f(w: "BFSWalker", h: "helper") -> "list[BFSWalker]": ...\n',
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from legacy.walker import helper\n"
        "    from flows.engine import GraphRunner\n"
        'def f(w: "GraphRunner", h: "helper") -> "list[GraphRunner]": ...\n',
        symbols=[SYMBOL],
        flags=[],
    )


def test_literals_and_arguments_of_a_decorator_are_no_annotations() -> None:
    check_transformed(
        "from typing import Literal, Optional, TypeVar, cast\n" + OLD + 'T = TypeVar("T", bound="BFSWalker")\n'
        'def f(x: Optional["BFSWalker"], k: Literal["BFSWalker"]): return cast("BFSWalker", x)\n'
        '@BFSWalker.register("BFSWalker")\ndef g(): ...\n',
        "from typing import Literal, Optional, TypeVar, cast\n" + NEW + OLD + 'T = TypeVar("T", bound="GraphRunner")\n'
        'def f(x: Optional["GraphRunner"], k: Literal["BFSWalker"]): return cast("GraphRunner", x)\n'
        '@BFSWalker.register("BFSWalker")\ndef g(): ...\n',
        symbols=[SYMBOL],
        flags=["class-attribute"],
    )


def test_called_and_annotated_in_one_file() -> None:
    check_transformed(
        OLD + "def f(w: BFSWalker): return BFSWalker(w)\n",
        "from flows.engine import GraphRunner, build_graph\ndef f(w: GraphRunner): return build_graph(w, strict=False)\n",
        symbols=[SYMBOL],
        flags=[],
    )


def test_the_function_body_does_not_see_for_its_annotations() -> None:
    check_transformed(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from legacy.walker import BFSWalker\n"
        "def f() -> 'BFSWalker':\n    from legacy.walker import BFSWalker\n    return BFSWalker(1)\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from flows.engine import GraphRunner\n"
        "def f() -> 'GraphRunner':\n    from flows.engine import build_graph\n    return build_graph(1, strict=False)\n",
        symbols=[SYMBOL],
        flags=[],
    )


def test_a_stub_file() -> None:
    check_transformed(
        OLD + "def f(w: BFSWalker) -> None: ...\n",
        NEW + "def f(w: GraphRunner) -> None: ...\n",
        symbols=[SYMBOL],
        flags=[],
        path="app/user.pyi",
    )


@pytest.mark.parametrize(
    "source",
    [
        "from typing import Literal\nx: Literal['BFSWalker']\n",
        "x: 'BFSWalker'\n",
        "def f(BFSWalker: int) -> int: ...\n",
        "from other import BFSWalker\nx: 'BFSWalker'\n",
    ],
)
def test_what_is_not_the_symbol_stays(source: str) -> None:
    check_noop(source, symbols=[SYMBOL])


def test_an_import_that_only_a_type_comment_needs_stays() -> None:
    check_transformed(
        OLD + "x = []  # type: list[BFSWalker]\nBFSWalker(1)\n",
        "from flows.engine import build_graph\n" + OLD + "x = []  # type: list[BFSWalker]\nbuild_graph(1)\n",
        symbols=[{"legacy": "legacy.walker.BFSWalker", "called": "flows.engine.build_graph"}],
        flags=["no-target"],
    )


def test_a_module_that_a_type_comment_needs_for_something_else_stays() -> None:
    check_transformed(
        "import legacy.walker as lw\nx = None  # type: lw.Other\ny = None  # type: lw.BFSWalker\n",
        "import flows.engine\nimport legacy.walker as lw\n"
        "x = None  # type: lw.Other\ny = None  # type: flows.engine.GraphRunner\n",
        symbols=[SYMBOL],
        flags=[],
    )

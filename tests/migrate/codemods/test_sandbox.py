"""LibCST transformers: run in this process or, for a file that could kill it, in another with limits."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from graphlift.migrate.codemods import sandbox
from graphlift.migrate.codemods.libcst_codemod import LibcstCodemod
from graphlift.migrate.codemods.testing import check_noop, check_transformed

HERE = "libcst_example:Rename"


@pytest.fixture(autouse=True)
def example(tmp_path, monkeypatch) -> None:
    source = (
        "import libcst\nclass Rename(libcst.CSTTransformer):\n"
        "    def __init__(self, old='alpha', new='beta'):\n        super().__init__()\n        self.old, self.new = old, new\n"
        "    def leave_Name(self, node, updated):\n"
        "        return updated.with_changes(value=self.new) if node.value == self.old else updated\n"
        "class Hang(libcst.CSTTransformer):\n    def visit_Module(self, node):\n        while True: pass\n"
        "class Die(libcst.CSTTransformer):\n    def visit_Module(self, node):\n        import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n"
        "class Eat(libcst.CSTTransformer):\n    def visit_Module(self, node):\n        x = bytearray(8 << 30)\n"
    )
    (tmp_path / "libcst_example.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)


CODEMOD = LibcstCodemod("rename", "alpha becomes beta", transformer=HERE, needles=(b"alpha",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("alpha = 1\n", "beta = 1\n"),
        ("alpha = 1\r\n\r\nalpha( 1 )\r\ny = alpha", "beta = 1\r\n\r\nbeta( 1 )\r\ny = beta"),
        (b"\xef\xbb\xbfalpha = 1\n\x0c\n", b"\xef\xbb\xbfbeta = 1\n\x0c\n"),
        (b"# coding: latin-1\nalpha = '\xe9'\n", b"# coding: latin-1\nbeta = '\xe9'\n"),
    ],
)
def test_what_a_transformer_changes_becomes_edits(before: str | bytes, after: str | bytes) -> None:
    check_transformed(before, after, symbols=[], codemods=[CODEMOD], flags=[])


def test_a_result_that_uses_an_unknown_name_is_left_alone() -> None:
    check_noop("print(alpha)\n\n\ndef f(alpha): ...\n", symbols=[], codemods=[CODEMOD], flags=["unverified"])


def test_a_deep_file_is_transformed_in_another_process() -> None:
    text = "alpha = " + "(" * 60 + "[" * 40 + "1" + "]" * 40 + ")" * 60 + "\n" + "x = " + "-" * 120 + "1\n"
    assert sandbox.depth(ast.parse(text)) > sandbox.DEEP
    check_transformed(text, text.replace("alpha", "beta"), symbols=[], codemods=[CODEMOD], flags=[])


@pytest.mark.parametrize(
    "bomb",
    ["x = " + " + ".join(["alpha"] * 12_000) + "\n", "x = " + "f(" * 90 + "alpha" + ")" * 90 + ".a" * 9000 + "\n"],
    ids=["operators", "attributes"],
)
def test_a_file_that_would_kill_libcst_is_reported_and_left_alone(bomb: str) -> None:
    check_noop(bomb, symbols=[], codemods=[CODEMOD], flags=["not-transformed"])


def run(name: str, arguments: dict[str, Any] | None = None, seconds: float = 30) -> str:
    text = "x = " + "-" * 150 + "1\n"
    return sandbox.transform(text, ast.parse(text), f"libcst_example:{name}", arguments or {}, seconds)


def test_arguments_reach_the_other_process() -> None:
    assert run("Rename", {"old": "x", "new": "y"}).startswith("y = ")


@pytest.mark.parametrize(
    ("name", "seconds", "said"),
    [("Hang", 2, "longer than 2 seconds"), ("Die", 30, "died of signal 11"), ("Eat", 30, "too much memory")],
)
def test_a_transformer_that_hangs_dies_or_eats_costs_its_file_only(name: str, seconds: float, said: str) -> None:
    with pytest.raises(sandbox.TransformFailedError, match=said):
        run(name, seconds=seconds)


def test_a_syntax_that_libcst_does_not_know_is_an_answer() -> None:
    with pytest.raises(sandbox.TransformFailedError, match="LibCST cannot parse it"):
        sandbox.transform("x = = 1", ast.parse("x"), HERE, {})

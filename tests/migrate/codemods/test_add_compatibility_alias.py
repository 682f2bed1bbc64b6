"""The old name where its definition is gone."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "type": "flows.engine.Runner"}
ALIAS = "from flows.engine import Runner as W  # noqa: F401"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{ALIAS}\n"),
        ("'''doc'''\n\n\ndef helper(): ...\n", f"'''doc'''\n{ALIAS}\n\n\ndef helper(): ...\n"),
        ("import os  # x\r\n\r\nos.x\r\n", f"import os  # x\r\n{ALIAS}\r\n\r\nos.x\r\n"),
        ("# licence\nx = 1\n", f"# licence\n{ALIAS}\nx = 1\n"),
    ],
)
def test_it_becomes_an_import(before: str, after: str) -> None:
    check_transformed(before, after, symbols=[SYMBOL], path="legacy/walker.py", only=["add-compatibility-alias"])


@pytest.mark.parametrize("source", ["class W: ...\n", "W = 1\n", "from x import W\n", "from x import *\n"])
def test_a_name_that_is_there_stays(source: str) -> None:
    check_noop(source, symbols=[SYMBOL], path="legacy/walker.py", only=["add-compatibility-alias"])


def test_it_is_opt_in() -> None:
    check_noop("x = 1\n", symbols=[SYMBOL], path="legacy/walker.py")

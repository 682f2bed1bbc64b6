"""Options that the new engine refuses: which call sites count."""

from __future__ import annotations

import ast

import pytest

from graphlift.migrate.retire.options import refused_options

REFUSED = {"continue_on_failure": (None, False), "node_cache": (None, False)}


def uses(text: str) -> list[str]:
    return refused_options("a.py", ast.parse(text), {"Walker", "build"}, REFUSED)


@pytest.mark.parametrize(
    "text",
    [
        "build(continue_on_failure=True)",
        "flows.build(continue_on_failure=True)",
        "from flows import build as make\nmake(continue_on_failure=True)",
        "make = flows.build\nmake(continue_on_failure=True)",
        "partial(build, continue_on_failure=True)",
        "pool.submit(build, continue_on_failure=True)",
        "build().execute(flow, continue_on_failure=True)",
        "build(**{'continue_on_failure': True})",
        "OPTIONS = {'continue_on_failure': True}\nbuild(**OPTIONS)",
        "OPTIONS = dict(continue_on_failure=True)\nbuild(**OPTIONS)",
        "build(continue_on_failure=flag)",
    ],
)
def test_a_use(text: str) -> None:
    assert [found.partition(": ")[2].partition("=")[0] for found in uses(text)] == ["continue_on_failure"]


@pytest.mark.parametrize(
    "text",
    [
        "build(continue_on_failure=False, node_cache=None)",
        "build(timeout=3)",
        "other(continue_on_failure=True)",
        "build()\nother(node_cache={})",
        "run(continue_on_failure=True)",
        "OPTIONS = {'continue_on_failure': False}",
    ],
)
def test_no_use(text: str) -> None:
    assert uses(text) == []


def test_each_place_once_and_in_order() -> None:
    assert uses("build(node_cache={})\nbuild(\n  continue_on_failure=1,\n  node_cache=x)\n") == [
        "a.py:1: node_cache={}", "a.py:3: continue_on_failure=1", "a.py:4: node_cache=x",
    ]  # fmt: skip

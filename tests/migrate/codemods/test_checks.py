"""What counts as bound by a module: only what an import of it would find."""

from __future__ import annotations

import ast

import pytest

from graphlift.migrate.codemods.checks import binds


@pytest.mark.parametrize(
    "code",
    [
        "def build(): ...\n",
        "class build: ...\n",
        "build = 1\n",
        "from flows import make as build\n",
        "from flows import *\n",
        "def __getattr__(name): ...\n",
        "try:\n    from flows import build\nexcept ImportError:\n    build = None\n",
        "if True:\n    with open('x') as build: ...\n",
        "def start():\n    global build\n    build = 1\n",
    ],
)
def test_a_name_of_the_module_is_bound(code: str) -> None:
    assert binds(ast.parse(code), "build")


@pytest.mark.parametrize(
    "code",
    [
        "class Engine:\n    def build(self): ...\n",
        "class Engine:\n    build = 1\n",
        "def start():\n    build = 1\n",
        "def start():\n    from flows import build\n",
        "def start():\n    def build(): ...\n",
        "class Engine:\n    def __getattr__(self, name): ...\n",
        "builder = 1\n",
    ],
)
def test_a_name_of_a_function_or_class_is_not(code: str) -> None:
    assert not binds(ast.parse(code), "build")

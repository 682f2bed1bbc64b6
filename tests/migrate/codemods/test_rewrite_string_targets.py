"""Strings that name a binding follow what became of it."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "type": "flows.engine.GraphRunner",
    "arguments": {"add": {"strict": "False"}},
}
OLD = "from legacy.walker import BFSWalker\n"
JOBS = (
    OLD + "def go(n): return BFSWalker(n)\n",
    "from flows.engine import build_graph\ndef go(n): return build_graph(n, strict=False)\n",
)
PATCH = "from unittest.mock import patch\n"


def test_patch_targets_follow_the_rewritten_binding() -> None:
    check_transformed(
        PATCH
        + 'M = "app.jobs"\na = patch("app.jobs.BFSWalker")\nb = patch("legacy.walker.BFSWalker.run")\nc = patch(f"{M}.BFSWalker")\n',
        PATCH
        + 'M = "app.jobs"\na = patch("app.jobs.build_graph")\nb = patch("legacy.walker.BFSWalker.run")\nc = patch(f"{M}.BFSWalker")\n',
        symbols=[SYMBOL],
        flags=["string-target-member", "string-target-dynamic"],
        extra={"app/jobs.py": JOBS},
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('@patch("app.jobs.BFSWalker")\ndef f(m): ...\n', '@patch("app.jobs.build_graph")\ndef f(m): ...\n'),
        (
            "with patch('app.jobs.BFSWalker', autospec=True) as m: ...\n",
            "with patch('app.jobs.build_graph', autospec=True) as m: ...\n",
        ),
        (
            'def f(monkeypatch): monkeypatch.setattr("app.jobs.BFSWalker", 1)\n',
            'def f(monkeypatch): monkeypatch.setattr("app.jobs.build_graph", 1)\n',
        ),
    ],
)
def test_every_form_of_patching(before: str, after: str) -> None:
    check_transformed(PATCH + before, PATCH + after, symbols=[SYMBOL], flags=[], extra={"app/jobs.py": JOBS})


def test_an_object_and_a_name() -> None:
    check_transformed(
        PATCH + 'import app.jobs\na = patch.object(app.jobs, "BFSWalker")\n',
        PATCH + 'import app.jobs\na = patch.object(app.jobs, "build_graph")\n',
        symbols=[SYMBOL],
        flags=None,
        extra={"app/__init__.py": "", "app/jobs.py": JOBS},
    )


def test_a_binding_that_is_reached_through_its_module_now_is_patched_there() -> None:
    check_transformed(
        PATCH + 'a = patch("app.jobs.BFSWalker")\n',
        PATCH + 'a = patch("flows.engine.build_graph")\n',
        symbols=[SYMBOL],
        flags=["name-collision"],
        extra={
            "app/jobs.py": (
                OLD + "build_graph = 1\nw = BFSWalker(n)\n",
                "import flows.engine\nbuild_graph = 1\nw = flows.engine.build_graph(n, strict=False)\n",
            )
        },
    )


@pytest.mark.parametrize(
    ("jobs", "kinds"),
    [
        (OLD + "class A(BFSWalker): ...\n", ["subclass"]),
        (OLD + "w = BFSWalker(**o)\n", ["dynamic-kwargs"]),
    ],
)
def test_a_binding_that_stays_is_patched_as_before(jobs: str, kinds: list[str]) -> None:
    check_noop(PATCH + 'a = patch("app.jobs.BFSWalker")\n', symbols=[SYMBOL], flags=kinds, extra={"app/jobs.py": jobs})


def test_a_binding_that_is_half_rewritten_is_left_to_a_person() -> None:
    check_transformed(
        PATCH + 'a = patch("app.jobs.BFSWalker")\n',
        PATCH + 'a = patch("app.jobs.BFSWalker")\n',
        symbols=[SYMBOL],
        flags=["dynamic-kwargs", "string-target-partial"],
        extra={
            "app/jobs.py": (
                OLD + "w = BFSWalker(**o)\nv = BFSWalker(1)\n",
                "from flows.engine import build_graph\n"
                + OLD
                + "w = BFSWalker(**o)\nv = build_graph(1, strict=False)\n",
            )
        },
    )


def test_patching_the_definition_is_left_to_a_person() -> None:
    check_noop(PATCH + 'a = patch("legacy.walker.BFSWalker")\n', symbols=[SYMBOL], flags=["string-target-definition"])


@pytest.mark.parametrize(
    "source",
    [
        'a = patch("other.BFSWalker")\n',
        'a = patch("app.jobs.Other")\n',
        'a = patch("app.jobs.go")\n',
        "a = 'BFSWalker'\n",
    ],
)
def test_other_strings_stay(source: str) -> None:
    check_noop(
        PATCH + source, symbols=[SYMBOL], extra={"app/jobs.py": "def go(): ...\n", "other.py": "BFSWalker = 1\n"}
    )


LAZY = "def __getattr__(name):\n    return load(_LAZY[name])\n"


def test_a_lazy_export_becomes_the_type_under_its_old_name() -> None:
    check_transformed(
        '_LAZY = {"BFSWalker": "legacy.walker:BFSWalker", "helper": "legacy.walker:helper"}\n' + LAZY,
        '_LAZY = {"BFSWalker": "flows.engine:GraphRunner", "helper": "legacy.walker:helper"}\n' + LAZY,
        symbols=[SYMBOL],
        flags=["public-export"],
        path="pkg/__init__.py",
    )


CALLED = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "type": "flows.engine.Runner"}
MOVED = {"legacy": "legacy.walker.W", "to": "flows.engine.Runner"}


def test_a_string_that_is_handed_to_a_function_is_called() -> None:
    check_transformed(
        "x = import_string('legacy.walker.W')\n",
        "x = import_string('flows.engine.build')\n",
        symbols=[CALLED],
        flags=[],
    )


@pytest.mark.parametrize(
    "source", ["R = {'a': 'legacy.walker.W'}\n", "x == 'legacy.walker.W'\n", "['legacy.walker.W']\n"]
)
def test_other_strings_follow_a_move_only(source: str) -> None:
    check_noop(source, symbols=[CALLED], flags=["string-target"])
    check_transformed(source, source.replace("legacy.walker.W", "flows.engine.Runner"), symbols=[MOVED], flags=[])


GETATTR = "def __getattr__(name):\n    return getattr(importlib.import_module(MAP[name][0]), MAP[name][1])\n"
BASE = {"legacy/walker.py": "class BFSWalker: ...\n", "app/__init__.py": ""}


@pytest.mark.parametrize(
    ("before", "after", "flags"),
    [
        ("('legacy.walker', 'BFSWalker')", "('flows.engine', 'GraphRunner')", ["public-export"]),
        ("('legacy.walker', 'BFSWalker', 1)", "('flows.engine', 'GraphRunner', 1)", ["public-export"]),
        ("'legacy.walker'", "'legacy.walker'", ["lazy-export"]),
        ("'legacy.walker.BFSWalker'", "'flows.engine.GraphRunner'", ["public-export"]),
    ],
)
def test_an_entry_of_a_lazy_map_moves(before: str, after: str, flags: list[str]) -> None:
    check_transformed(
        "MAP = {'BFSWalker': " + before + ", 'helper': 'legacy.walker'}\n" + GETATTR,
        "MAP = {'BFSWalker': " + after + ", 'helper': 'legacy.walker'}\n" + GETATTR,
        symbols=[SYMBOL],
        flags=flags,
        path="pkg/__init__.py",
        extra=BASE,
    )


def test_an_entry_that_names_only_the_module_moves_where_the_name_stays_the_same() -> None:
    check_transformed(
        "MAP = {'BFSWalker': 'legacy.walker'}\n" + GETATTR,
        "MAP = {'BFSWalker': 'flows.engine'}\n" + GETATTR,
        symbols=[{"legacy": "legacy.walker.BFSWalker", "to": "flows.engine.BFSWalker"}],
        flags=["public-export"],
        path="pkg/__init__.py",
        extra=BASE,
    )


def test_an_entry_that_something_still_goes_through_stays() -> None:
    check_noop(
        "MAP = {'BFSWalker': ('legacy.walker', 'BFSWalker')}\n" + GETATTR,
        symbols=[SYMBOL],
        flags=["public-export", "subclass"],
        path="pkg/__init__.py",
        extra={**BASE, "app/user.py": "import pkg\nclass A(pkg.BFSWalker): ...\n"},
    )


def test_an_entry_that_asks_a_module_that_passes_the_name_on_stays() -> None:
    check_noop(
        "MAP = {'BFSWalker': ('.sub', 'BFSWalker')}\n" + GETATTR,
        symbols=[SYMBOL],
        path="legacy/__init__.py",
        extra={"legacy/walker.py": "class BFSWalker: ...\n", "legacy/sub.py": "from .walker import BFSWalker\n"},
    )


@pytest.mark.parametrize(
    "code", ["T = TypedDict('T', {'w': 'lw.BFSWalker'})\n", "operator.attrgetter('walker.BFSWalker')(legacy)\n"]
)
def test_a_string_that_only_may_be_the_path_stays(code: str) -> None:
    text = f"import operator\nfrom typing import TypedDict\nimport legacy\nimport legacy.walker as lw\n{code}"
    moved = {"legacy": "legacy.walker.BFSWalker", "to": "flows.engine.Runner"}
    check_noop(text, symbols=[moved], flags=["string-target"])

"""Dotted paths in configuration files."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

MOVED = {"legacy": "legacy.walker.W", "to": "flows.engine.Runner"}
CHANGED = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "arguments": {"add": {"strict": "False"}}}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("di.yaml", "a:\n  class: legacy.walker.W  # keep\n", "a:\n  class: flows.engine.Runner  # keep\n"),
        ("di.yml", "- 'legacy.walker.W'\r\n", "- 'flows.engine.Runner'\r\n"),
        (
            "pyproject.toml",
            '[project.entry-points.x]\nbfs = "legacy.walker:W"  # main\n',
            '[project.entry-points.x]\nbfs = "flows.engine:Runner"  # main\n',
        ),
        (
            "setup.cfg",
            "[options.entry_points]\nx =\n    bfs = legacy.walker:W\n",
            "[options.entry_points]\nx =\n    bfs = flows.engine:Runner\n",
        ),
        ("a.ini", "[a]\nk = legacy.walker.W", "[a]\nk = flows.engine.Runner"),
        ("a.json", '{"k": "legacy.walker.W"}', '{"k": "flows.engine.Runner"}'),
    ],
)
def test_a_dotted_path_is_rewritten(path: str, before: str, after: str) -> None:
    check_transformed(before, after, symbols=[MOVED], flags=[], path=path)


@pytest.mark.parametrize("source", ["k: legacy.walker.W.run\n", "k: legacy.walker.Wx\n", "k: other.legacy.walker.W\n"])
def test_other_paths_stay(source: str) -> None:
    check_noop(source, symbols=[MOVED], path="di.yaml", flags=None)


def test_where_arguments_change_too_it_is_left_to_a_person() -> None:
    check_noop("k: legacy.walker.W\n", symbols=[CHANGED], path="di.yaml", flags=["config"])


@pytest.mark.parametrize("name", ["app.core.W", "app.core:W"])
@pytest.mark.parametrize("form", [".env", "flows.json5", "flows.yaml"])
def test_an_aliass_path_is_rewritten_and_a_second_run_is_empty(sandbox: Any, form: str, name: str) -> None:
    sandbox.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "app.walker.Walker"\nto = "app.engine.Runner"\n',
            "app/__init__.py": "",
            "app/walker.py": "class Walker:\n    def run(self): return 1\n",
            "app/engine.py": "class Runner:\n    def run(self): return 1\n",
            "app/core.py": "from app.walker import Walker as W\n\n\ndef go():\n    return W().run()\n",
            form: f"engine = {name}\n",
        }
    )
    assert sandbox.run("codemod", "--apply").code == 0
    new = "app.engine:Runner" if ":" in name else "app.engine.Runner"
    assert (sandbox.root / form).read_text(encoding="utf-8") == f"engine = {new}\n"
    assert "Walker" not in (sandbox.root / "app/core.py").read_text(encoding="utf-8")
    again = sandbox.run("codemod", "--allow-dirty")
    assert (again.code, again.out) == (0, "0 files to change, 0 places flagged\n")

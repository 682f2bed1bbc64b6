"""The command line as a whole: help, exit codes, and what is not imported."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from graphlift.migrate.commands import NAMES

HEAVY = (
    "langgraph",
    "langchain_core",
    "libcst",
    "networkx",
    "deepdiff",
    "hypothesis",
    "jinja2",
    "yaml",
    "rich.progress",
)


def test_importing_the_command_line_imports_nothing_heavy() -> None:
    code = f"import sys, graphlift.migrate.cli; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_lists_every_command_and_the_exit_codes(sandbox) -> None:
    ran = sandbox.run("--help")
    assert ran.code == 0
    assert all(f"\n  {name} " in ran.out for name in NAMES)
    assert "Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 the" in ran.out


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(sandbox, name: str) -> None:
    ran = sandbox.run(name, "--help")
    assert ran.code == 0
    assert f"graphlift {name}" in ran.out


def test_the_version_is_that_of_the_distribution(sandbox) -> None:
    assert sandbox.run("--version").out == f"graphlift {version('graphlift')}\n"


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("plugins", "--nonsense"), ("plugins", "--format", "xml"), ("-C", "nowhere", "plugins")],
)
def test_wrong_usage_is_exit_code_2_without_a_trace(sandbox, arguments: tuple[str, ...]) -> None:
    ran = sandbox.run(*arguments)
    assert ran.code == 2
    assert ran.err
    assert "Traceback" not in ran.err


def test_directory_works_as_if_started_there(sandbox, tmp_path) -> None:
    sandbox.files({"graphlift.toml": "nonsense = 1\n"})
    assert (
        "graphlift.toml:1: nonsense: unknown key" in sandbox.run("-C", str(sandbox.root), "plugins", cwd=tmp_path).err
    )


def test_any_command_ends_a_change_that_was_cut_short_and_says_which_way(sandbox) -> None:
    from graphlift.migrate.edits import Edit, FileChange
    from graphlift.migrate.edits.journal import Journal

    sandbox.files({"a.py": "old = 1\n"})
    journal = Journal(sandbox.root)
    with journal.locked():
        journal.begin((FileChange.edited("a.py", b"old = 1\n", [Edit(0, 3, b"new")]),), "")
    ran = sandbox.run("plugins")
    assert ran.code == 0
    assert "completed" in ran.err
    assert (sandbox.root / "a.py").read_text(encoding="utf-8") == "new = 1\n"
    assert sandbox.run("plugins").err == ""


WRONG = """
from graphlift.plugins import hookimpl

class Wrong:
    id = "wrong"
    summary = "raises"
    suffixes = (".py",)

    def find(self, *args, **kwargs):
        raise LookupError("no such table")

@hookimpl
def graphlift_reference_finders():
    return [Wrong()]
"""


def test_a_plugins_object_that_raises_is_named_and_is_exit_code_3(sandbox) -> None:
    symbol = '[[symbol]]\nlegacy = "app.Walker"\nto = "app.Other"\n'
    sandbox.files(
        {
            "graphlift.toml": 'plugins = ["wrong"]\n' + symbol,
            "wrong.py": WRONG,
            "app.py": "class Walker: ...\nclass Other: ...\n",
        }
    )
    ran = sandbox.run("inventory")
    assert ran.code == 3
    assert "wrong.py:10: plugin 'wrong' failed: LookupError: no such table" in ran.err
    assert "Traceback" not in ran.err
    assert sandbox.run("--no-plugin", "wrong", "inventory").code == 0


def test_a_bug_keeps_its_traceback_and_has_an_exit_code_of_its_own() -> None:
    code = "import graphlift.migrate.cli as c; c.application = lambda _: 1 / 0; c.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
    assert "this is a bug in graphlift" in done.stderr

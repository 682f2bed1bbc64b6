"""`graphlift inventory`: its views, its exit codes, and that it never imports what it reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphlift.adapters.errors import ConfigurationError, UsageError
from graphlift.migrate.cli import app

CONFIG = """
[[symbol]]
legacy = "legacy.walker.BFSWalker"
called = "flows.engine.build_graph"
type = "flows.engine.GraphRunner"
"""
FILES = {
    "graphlift.toml": CONFIG,
    "legacy/__init__.py": "from .walker import BFSWalker\nraise SystemExit('imported')\n",
    "legacy/walker.py": "class BFSWalker: ...\n",
    "app/jobs.py": "from legacy import BFSWalker\n\ndef go(n: BFSWalker):\n    return BFSWalker(n)\n",
    "tests/test_jobs.py": "patch('app.jobs.BFSWalker')\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def run(project: Path, *arguments: str):
    return CliRunner().invoke(app, ["-C", str(project), "inventory", *arguments])


def test_the_table_counts_by_role_and_context(project):
    result = run(project)
    assert result.exit_code == 0
    rows = [line.split() for line in result.output.splitlines()]
    assert rows[:7] == [
        ["role", "live", "shim", "type-only", "test", "all"],
        ["import", "1", "1"],
        ["re-export", "1", "1"],
        ["call", "1", "1"],
        ["annotation", "1", "1"],
        ["string-target", "1", "1"],
        ["definition", "1", "1"],
    ]
    assert "call              1                           1" in result.output.splitlines()
    assert result.output.splitlines()[-1] == "6 references in 4 files, 2 live, 0 not explained, 1 lookalike"


def test_json_has_the_references_the_unexplained_and_a_summary(project):
    result = run(project, "--format", "json")
    data = json.loads(result.output)
    assert set(data) == {"references", "unexplained", "unreadable", "left_out", "lookalikes", "summary"}
    assert data["summary"]["references"] == len(data["references"]) == 6
    call = next(each for each in data["references"] if each["role"] == "call")
    assert {key: call[key] for key in ("file", "line", "column", "symbol", "context", "fate", "reason")} == {
        "file": "app/jobs.py", "line": 4, "column": 12, "symbol": "legacy.walker.BFSWalker", "context": "live",
        "fate": "rewrite", "reason": "becomes flows.engine.build_graph",
    }  # fmt: skip


def test_live_is_the_blast_radius(project):
    result = run(project, "--live")
    assert result.output.splitlines()[-1] == "2 live references in 1 file"
    assert [line.split()[0] for line in result.output.splitlines()[:2]] == ["app/jobs.py:1:20", "app/jobs.py:4:12"]
    assert len(json.loads(run(project, "--live", "--format", "json").output)["references"]) == 2


def test_why_shows_the_chain(project):
    result = run(project, "--why", "app/jobs.py:4")
    assert 'n0["app.jobs.BFSWalker"]' in result.output
    assert 'n1["legacy.BFSWalker"]' in result.output
    assert 'n2["legacy.walker.BFSWalker"]' in result.output
    assert "n1 --> n2" in result.output
    told = json.loads(run(project, "--why", "app/jobs.py:4", "--format", "json").output)
    assert told == {"place": "app/jobs.py:4", "text": result.output.rstrip("\n")}


@pytest.mark.parametrize("place", ["app/jobs.py:99", "app/jobs.py", "x:y"])
def test_why_refuses_a_place_without_a_name(project, place):
    assert isinstance(run(project, "--why", place).exception, UsageError)


def test_sarif_has_a_result_for_each_place(project):
    (project / "app/lost.py").write_text("BFSWalker()\n")
    result = run(project, "--format", "sarif")
    (sarif,) = json.loads(result.output)["runs"]
    levels = {each["ruleId"]: each["level"] for each in sarif["results"]}
    assert levels["inventory/unexplained"] == "error"
    assert levels["inventory/call"] == "note"
    assert {rule["id"] for rule in sarif["tool"]["driver"]["rules"]} == set(levels)


def test_markdown_names_what_is_live(project):
    lines = run(project, "--format", "markdown").output.splitlines()
    assert "| call | 1 |  |  |  | 1 |" in lines
    assert "- `app/jobs.py:4:12` `BFSWalker` (call): becomes flows.engine.build_graph" in lines


def test_an_unexplained_place_fails(project):
    (project / "app/lost.py").write_text("x = 1\nBFSWalker()\n")
    result = run(project)
    assert result.exit_code == 1
    assert "  app/lost.py:2:1  BFSWalker  the name is not bound in this file" in result.output.splitlines()


def test_a_file_that_cannot_be_read_fails(project):
    (project / "app/broken.py").write_text("def f(:  # BFSWalker\n")
    result = run(project)
    assert result.exit_code == 1
    assert "  app/broken.py:1  is not Python: invalid syntax" in result.output.splitlines()


def test_neither_the_code_nor_a_heavy_library_is_imported(project):
    code = (
        "import sys\nfrom graphlift.migrate.cli import app\n"
        f"app(['-C', {str(project)!r}, 'inventory'], standalone_mode=False)\n"
        "assert not {'legacy', 'app', 'langgraph', 'libcst', 'networkx', 'rich'} & set(sys.modules), 'imported'\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_output_does_not_depend_on_the_order_of_files(project):
    first = run(project, "--format", "json").output
    for name in sorted(FILES, reverse=True):
        (project / name).write_text(FILES[name])
    assert run(project, "--format", "json").output == first


def test_the_last_line_says_that_a_file_was_not_read(project: Path) -> None:
    (project / "app" / "broken.py").write_text("BFSWalker(\n")
    result = run(project)
    assert result.exit_code == 1
    assert result.output.splitlines()[-1].endswith("0 not explained, 1 lookalike, 1 file not read")
    assert run(project, "--live").output.splitlines()[-1].endswith("; 0 places not explained, 1 file not read")


def test_where_nothing_is_left_to_look_at_that_is_an_error(project: Path) -> None:
    (project / "graphlift.toml").write_text('exclude = ["**"]\n' + CONFIG)
    result = run(project)
    assert isinstance(result.exception, ConfigurationError)
    assert "leave no Python file to look at" in str(result.exception)


@pytest.mark.parametrize("arguments", [(), ("--format", "json"), ("--format", "sarif"), ("--live",)])
def test_the_cache_changes_no_byte_of_what_is_said(project, arguments):
    (project / "app" / "more.py").write_text("x = walker.BFSWalkers, BFSWalker, 'legacy.walker.BFSWalker'\n")
    plain = run(project, *arguments, "--no-cache")
    assert not (project / ".graphlift").exists()
    for _ in range(3):
        cached = run(project, *arguments)
        assert (cached.output, cached.exit_code) == (plain.output, plain.exit_code)
    assert len(list(project.glob(".graphlift/cache/*.cache"))) == 1


def test_what_is_left_out_is_told_in_every_format(sandbox) -> None:
    sandbox.files(FILES)
    (sandbox.root / "app/out").symlink_to(sandbox.root.parent)
    data = json.loads(sandbox.run("inventory", "--format", "json").out)
    assert data["left_out"] == [{"path": "app/out", "reason": "a link that leads out of the project"}]
    assert data["summary"]["left_out"] == 1
    for options in ((), ("--live",), ("--format", "markdown")):
        ran = sandbox.run("inventory", *options)
        assert (ran.code, "app/out  a link that leads out of the project" in ran.out) == (0, True)

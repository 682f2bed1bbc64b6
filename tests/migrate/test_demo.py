"""`graphlift demo`: the whole migration on a code base that the commands do not know."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.walkthrough.copying import RENAMED, SUFFIXES, copy_tree
from graphlift.migrate.walkthrough.shell import Shell, StageError, clean_environment, condensed, shown_command

CLI = [sys.executable, "-m", "graphlift.migrate.cli"]


def graphlift(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CLI, *arguments],
        cwd=cwd,
        env=env,
        capture_output=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def in_folder(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    env = clean_environment(os.environ)
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    ran = graphlift("demo", "taken", cwd=tmp_path)
    assert ran.returncode == 2
    assert "taken" in ran.stderr
    assert "mend:" in ran.stderr
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graphlift-demo").write_text("")
    ran = graphlift("demo", cwd=tmp_path)
    assert (ran.returncode, "graphlift-demo" in ran.stderr) == (2, True)


def test_without_git_the_stage_and_the_mend_are_named(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path / "nothing")}
    ran = graphlift("demo", "shop", cwd=tmp_path, env=env)
    assert ran.returncode == 1
    assert "stage begin failed" in ran.stderr
    assert "install git" in ran.stderr
    assert "Traceback" not in ran.stderr


# --- the shell -------------------------------------------------------------------------------------------------------


def test_a_command_that_ends_otherwise_than_expected_fails_with_its_output(tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"`git log` ended with exit code 128, expected 0:\n.*not a git repository"):
        Shell(tmp_path, lambda line: None).git("log")


def test_commands_are_shown_as_a_user_types_them() -> None:
    assert shown_command("git", ("commit", "-m", "two words\nbody")) == "git commit -m 'two words'"
    assert shown_command("graphlift", ("ratchet", "check")) == "graphlift ratchet check"


def test_settings_of_the_caller_take_no_part() -> None:
    before = {"GIT_DIR": "/x", "PYTEST_ADDOPTS": "-x", "FORCE_COLOR": "1", "HOME": "/h", "PYTHONPATH": "rel"}
    after = clean_environment(before)
    assert not {"GIT_DIR", "PYTEST_ADDOPTS", "FORCE_COLOR"} & set(after)
    assert after["HOME"] == "/h"
    assert after["GIT_CONFIG_GLOBAL"] == os.devnull
    assert Path(after["PYTHONPATH"]).is_absolute()


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (0, []),
        (1, ["6"]),
        (3, ["1", "… 4 more lines", "6"]),
        (5, ["1", "2", "3", "… 2 more lines", "6"]),
        (6, ["1", "2", "3", "4", "5", "6"]),
    ],
)
def test_long_output_is_condensed_and_the_gap_is_counted(lines: int, shown: list[str]) -> None:
    assert condensed("1\n2\n\n3\n4\n5\n6\n", lines) == shown


@given(st.lists(st.text(alphabet="abc", min_size=1)), st.integers(0, 30))
def test_condensed_output_never_exceeds_its_lines_and_ends_as_the_output_did(texts: list[str], lines: int) -> None:
    shown = condensed("\n".join(texts), lines)
    assert len(shown) == min(lines, len(texts))
    assert not shown or shown[-1] == texts[-1]


# --- the package data ------------------------------------------------------------------------------------------------


def test_every_file_of_the_package_data_is_copied(tmp_path: Path) -> None:
    root = Path(str(files("graphlift.migrate").joinpath("demo")))
    stored = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    left_out = [path.name for path in stored if path.suffix not in SUFFIXES and path.name not in RENAMED]
    assert stored
    assert left_out == []


def test_caches_and_leftovers_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "package" / "demo" / "project"
    for name in ("a.py", "gitignore", "a.pyc", "a.py.orig", "__pycache__/a.py", ".hidden/a.py", "deep/b.yaml"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    monkeypatch.setattr("graphlift.migrate.walkthrough.copying.files", lambda package: tmp_path / "package")
    assert sorted(copy_tree("project", tmp_path / "out")) == [".gitignore", "a.py", "deep/b.yaml"]
    assert (tmp_path / "out" / "deep" / "b.yaml").read_text() == "deep/b.yaml"


def test_the_shop_is_not_known_to_the_tool() -> None:
    root = Path(str(files("graphlift.migrate").joinpath("demo"))).parent.parent
    told = re.compile(r"WorkflowWalker|CompiledWorkflowExecutor|ShopExecutor|shop\.workflows")
    knowing = [
        path.relative_to(root).as_posix()
        for layer in ("adapters", "parity", "plugins", "migrate")
        for path in (root / layer).rglob("*.py")
        if told.search(path.read_text(encoding="utf-8"))
    ]
    assert [path for path in knowing if not path.startswith(("migrate/demo/", "migrate/walkthrough/"))] == []


# --- the journey -----------------------------------------------------------------------------------------------------

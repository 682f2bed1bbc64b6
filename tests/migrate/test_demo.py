"""`graphlift demo`: the whole migration on a code base that the commands do not know."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters.errors import UsageError
from graphlift.migrate.walkthrough.account import account
from graphlift.migrate.walkthrough.copying import RENAMED, SUFFIXES, copy_tree
from graphlift.migrate.walkthrough.journey import Figures, Settled
from graphlift.migrate.walkthrough.shell import Shell, StageError, clean_environment, condensed, shown_command
from graphlift.migrate.walkthrough.stages import STAGES
from graphlift.migrate.walkthrough.stages.names import WALKER
from graphlift.migrate.walkthrough.walk import prepare

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


def test_without_git_nothing_is_written_and_the_mend_is_named(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path / "nothing")}
    ran = graphlift("demo", "shop", cwd=tmp_path, env=env)
    assert ran.returncode == 3
    assert "install git" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("demo", "file/sub"), ("demo", "dangling"), ("-C", "absent", "demo")])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "elsewhere")
    ran = graphlift(*arguments, cwd=tmp_path)
    assert ran.returncode == 2
    assert "mend:" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file"]


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(UsageError, match="shop cannot be made: Permission denied"):
        prepare(tmp_path / "shop")


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


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """The demo, carried out once, as on a machine without any git configuration: its folder, its figures, its story."""
    place = tmp_path_factory.mktemp("demo")
    env = {**clean_environment(os.environ), "HOME": str(place / "home")}
    ran = graphlift("demo", "tried", "--format", "json", cwd=place, env=env)
    assert ran.returncode == 0, ran.stderr
    assert [path.name for path in place.iterdir()] == ["tried"]
    return place / "tried", json.loads(ran.stdout), ran.stderr


@pytest.mark.slow
def test_the_account_has_the_figures(migrated: tuple[Path, dict[str, Any], str]) -> None:
    folder, figures, _ = migrated
    assert (figures["tests_before"], figures["tests_after"]) == (52, 46)
    assert figures["walker_lines_before"] == 310
    assert figures["walker_lines_after"] == len((folder / WALKER).read_text().splitlines()) < 100
    assert figures["unexplained"] == 0
    assert figures["codemods"]["rewrite-calls"] == 9
    assert figures["lines_removed"] > 300
    assert figures["rules_proved"] == ["legacy-files", "legacy-references", "no-WorkflowWalker"]


@pytest.mark.slow
def test_real_divergences_are_found_and_each_is_settled(migrated: tuple[Path, dict[str, Any], str]) -> None:
    settled = [(item["rule"], len(item["cases"]), item["how"].partition(",")[0]) for item in migrated[1]["divergences"]]
    assert settled == [
        ("GL101", 5, "mended in the seam"),
        ("GL200", 3, "mended in the definition"),
        ("GL152", 1, "listed as a bug of the walker"),
    ]
    assert migrated[1]["cases"] == 15


@pytest.mark.slow
def test_every_stage_is_told_and_leaves_a_commit(migrated: tuple[Path, dict[str, Any], str]) -> None:
    folder, figures, story = migrated
    assert re.findall(r"(?m)^\d (\w+):", story) == [stage.name for stage in STAGES]
    log = in_folder(folder, "git", "log", "--format=%s", "--reverse").stdout.splitlines()
    assert log == figures["commits"]
    assert len(log) == len(STAGES)
    assert in_folder(folder, "git", "status", "--porcelain").stdout == ""
    assert in_folder(folder, "git", "branch", "--format=%(refname:short)").stdout.split() == ["main"]


@pytest.mark.slow
def test_the_walker_is_gone_and_its_names_are_the_adapter(migrated: tuple[Path, dict[str, Any], str]) -> None:
    folder = migrated[0]
    assert not [path for path in folder.rglob("*.py") if "class WorkflowWalker" in path.read_text()]
    code = """
import shop, shop.workflows, shop.workflows.compiled_executor as shim, shop.workflows.walker as old
from shop.workflows.engine import ShopExecutor as new
names = [shop.WorkflowExecutor, shop.workflows.WorkflowExecutor, old.WorkflowWalker, old.WorkflowExecutor,
         shim.CompiledWorkflowExecutor, shim.WorkflowExecutor, shim.WorkflowWalker]
print(all(name is new for name in names), old.WorkflowResult is shim.WorkflowResult)
"""
    ran = in_folder(folder, sys.executable, "-c", code)
    assert (ran.stdout, ran.stderr) == ("True True\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", ["shop.workflows.engine", "shop.workflows.walker", "shop.workflows.compiled_executor"]
)
def test_modules_can_be_imported_in_any_order(migrated: tuple[Path, dict[str, Any], str], first: str) -> None:
    ran = in_folder(migrated[0], sys.executable, "-c", f"import {first}, shop.streaming, shop.batch")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.slow
def test_the_ratchet_refuses_a_walker_that_comes_back(migrated: tuple[Path, dict[str, Any], str]) -> None:
    walker = migrated[0] / WALKER
    kept = walker.read_bytes()
    assert graphlift("ratchet", "--absolute", cwd=migrated[0]).returncode == 0
    try:
        walker.write_bytes(kept + b"\n\nclass WorkflowWalker: ...\n")
        ran = graphlift("ratchet", "--absolute", cwd=migrated[0])
    finally:
        walker.write_bytes(kept)
    assert ran.returncode == 1
    assert WALKER in ran.stdout


def test_the_account_is_told_in_figures() -> None:
    figures = Figures(
        tests_before=3,
        tests_after=2,
        walker_lines_before=300,
        walker_lines_after=80,
        codemods={"rewrite-calls": 9},
        cases=15,
        divergences=[Settled("GL101", ("a", "b"), "mended"), Settled("GL152", ("c",), "listed")],
        rules_proved=["r"],
        commits=["one"],
    )
    told = account(figures, "there")
    assert "300 lines before, 80 after" in told
    assert "15 cases on both engines, 3 of them differed at first" in told
    assert "- GL101 in 2 cases: mended" in told
    assert "- GL152 in c: listed" in told
    assert "git -C there log" in told

"""Which commit a check compares with, and that it says so where there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

RULES = '[[rule]]\nid = "a"\nmetric = "lines"\npaths = ["a.py"]\n'


@pytest.fixture
def origin(repo: Any) -> Any:
    """A repository with one file of three lines, capped."""
    repo.files({"a.py": "1\n2\n3\n", "ratchet.toml": RULES})
    repo.run("ratchet", "init")
    repo.commit("first")
    return repo


def clone(origin: Any, to: Path, *options: str) -> Any:
    subprocess.run(["git", "clone", "--quiet", *options, f"file://{origin.root}", str(to)], check=True)
    found = type(origin)(to)
    found.git("config", "user.name", "Tess Ter")
    found.git("config", "user.email", "tess@example.org")
    return found


def grow(repo: Any) -> None:
    repo.files({"a.py": "1\n2\n3\n4\n"})
    repo.commit("grow")


def test_without_a_base_the_check_fails_closed(origin: Any) -> None:
    said = origin.run("ratchet")
    assert said.code == 3
    assert said.error == (
        "no merge base: nothing says which branch this one goes into\n"
        "  mend: name it with --base REF, or check without history with --absolute"
    )


@pytest.mark.parametrize("name", ["ratchet.lock", "ratchet.toml"])
def test_caps_that_git_cannot_read_are_not_taken_for_none(origin: Any, name: str) -> None:
    """A clone that lacks an object, as a partial one without its remote does: the caps are there, and not known."""
    origin.git("switch", "--quiet", "--create", "topic")
    listed = subprocess.run(
        ["git", "rev-parse", f"HEAD:{name}"], cwd=origin.root, check=True, capture_output=True, text=True
    )
    blob = listed.stdout.strip()
    origin.files({"ratchet.lock": "9 lines:a.py\n", "ratchet.toml": RULES + "# edited\n"})
    grow(origin)
    (origin.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    said = origin.run("ratchet", "--base", "main")
    assert said.code == 3
    assert said.error.startswith(f"{name}: git cannot read it at the merge base ")


def test_outside_of_a_repository_only_absolute_works(tmp_path: Path, repo: Any) -> None:
    bare = type(repo)(tmp_path / "bare")
    bare.root.mkdir()
    bare.files({"a.py": "1\n", "ratchet.toml": RULES, "ratchet.lock": "1 lines:a.py\n"})
    assert bare.run("ratchet").code == 3
    assert bare.run("ratchet", "--absolute").code == 0
    bare.files({"a.py": "1\n2\n"})
    assert bare.run("ratchet", "--absolute").code == 1


def test_the_remotes_default_branch(origin: Any, tmp_path: Path) -> None:
    work = clone(origin, tmp_path / "work")
    work.git("switch", "--quiet", "--create", "topic")
    grow(work)
    assert work.run("ratchet").code == 1


def test_a_pushed_branch_is_not_its_own_base(origin: Any, tmp_path: Path) -> None:
    work = clone(origin, tmp_path / "work")
    work.git("switch", "--quiet", "--create", "topic")
    grow(work)
    work.git("push", "--quiet", "--set-upstream", "origin", "topic")
    assert work.run("ratchet").code == 1


def test_an_upstream_of_another_name_is_the_base(origin: Any, tmp_path: Path) -> None:
    origin.git("switch", "--quiet", "--create", "release")
    grow(origin)
    origin.run("ratchet", "raise", "lines:a.py", "--to", "4", "--reason", "r", "--owner", "o")
    origin.commit("raised")
    origin.git("switch", "--quiet", "main")
    work = clone(origin, tmp_path / "work")
    work.git("switch", "--quiet", "--create", "topic", "--track", "origin/release")
    assert work.run("ratchet").code == 0


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GITHUB_BASE_REF", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
    ],
)
def test_the_variables_of_ci(origin: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    first = origin.git("rev-parse", "HEAD")
    origin.git("switch", "--quiet", "--create", "topic")
    grow(origin)
    origin.git("branch", "--quiet", "--move", "main", "renamed")
    assert origin.run("ratchet").code == 3
    origin.git("branch", "--quiet", "--move", "renamed", "main")
    monkeypatch.setenv(variable, value or first)
    assert origin.run("ratchet").code == 1


def test_a_shallow_clone_says_how_to_deepen_it(origin: Any, tmp_path: Path) -> None:
    origin.git("switch", "--quiet", "--create", "topic")
    grow(origin)
    work = clone(origin, tmp_path / "work", "--depth=1", "--branch=topic")
    said = work.run("ratchet", "--base", "origin/main")
    assert said.code == 3
    assert "`git fetch --unshallow` (GitHub: `fetch-depth: 0`; GitLab: `GIT_DEPTH: 0`)" in said.error
    work.git("fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    said = work.run("ratchet", "--base", "origin/main")
    assert (said.code, said.error.splitlines()[0]) == (
        3,
        "no merge base of HEAD and origin/main: this clone is shallow",
    )


def test_a_base_that_does_not_exist(origin: Any) -> None:
    said = origin.run("ratchet", "--base", "nowhere")
    assert (said.code, said.error.splitlines()[0]) == (3, "there is no revision 'nowhere'")


def test_absolute_and_base_exclude_each_other(origin: Any) -> None:
    assert origin.run("ratchet", "--base", "main", "--absolute").code == 2


def test_a_project_in_a_folder_of_a_repository(repo: Any) -> None:
    inner = type(repo)(repo.root / "services" / "flows")
    inner.files({"graphlift.toml": "", "a.py": "1\n", "ratchet.toml": RULES})
    inner.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "topic")
    assert inner.check().code == 0
    inner.files({"a.py": "1\n2\n"})
    assert inner.check().codes == ["grown"]

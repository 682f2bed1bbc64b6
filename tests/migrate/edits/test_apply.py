"""Applying a plan: what is written, what is refused, and how it is taken back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphlift.adapters.errors import EnvironmentProblem, UsageError
from graphlift.migrate.edits import FileChange, Flag, Plan, apply_plan, recover, undo
from graphlift.migrate.edits.journal import FOLDER, Journal
from graphlift.plugins.project import Project


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".graphlift" not in path.parts and ".git" not in path.parts
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "root"
    (root / "pkg").mkdir(parents=True)
    (root / "a.py").write_bytes(b"a = 1\r\n")
    (root / "pkg" / "b.py").write_bytes(b"b = 1")
    (root / "gone.py").write_bytes(b"gone\n")
    return Project(root)


PLAN = Plan.of(
    [
        FileChange("a.py", b"a = 1\r\n", b"a = 2\r\n"),
        FileChange("pkg/b.py", b"b = 1", b"b = 2"),
        FileChange("pkg/deep/new.py", None, b"new\n"),
        FileChange("gone.py", b"gone\n", None),
    ]
)
BEFORE = {"a.py": b"a = 1\r\n", "gone.py": b"gone\n", "pkg/b.py": b"b = 1"}
AFTER = {"a.py": b"a = 2\r\n", "pkg/b.py": b"b = 2", "pkg/deep/new.py": b"new\n"}


def test_a_plan_is_written_and_taken_back(project: Project) -> None:
    applied = apply_plan(project, PLAN)
    assert applied.written == ("a.py", "gone.py", "pkg/b.py", "pkg/deep/new.py")
    assert applied.refused == ()
    assert tree(project.root) == AFTER
    assert undo(project).written == applied.written
    assert tree(project.root) == BEFORE
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(project)


def test_plans_are_undone_newest_first(project: Project) -> None:
    apply_plan(project, Plan.of([FileChange("a.py", b"a = 1\r\n", b"2")]))
    apply_plan(project, Plan.of([FileChange("a.py", b"2", b"3")]))
    undo(project)
    assert tree(project.root)["a.py"] == b"2"
    undo(project)
    assert tree(project.root) == BEFORE


def test_permissions_stay(project: Project) -> None:
    (project.root / "a.py").chmod(0o751)
    apply_plan(project, PLAN)
    assert (project.root / "a.py").stat().st_mode & 0o7777 == 0o751


def test_files_that_are_not_in_the_plan_keep_their_times(project: Project) -> None:
    other = project.root / "other.py"
    other.write_bytes(b"x")
    os.utime(other, ns=(1_000_000_000, 2_000_000_000))
    apply_plan(project, PLAN)
    assert other.stat().st_mtime_ns == 2_000_000_000


def test_a_file_that_changed_since_is_left_and_reported(project: Project) -> None:
    (project.root / "a.py").write_bytes(b"edited")
    applied = apply_plan(project, PLAN)
    assert [(flag.file, flag.kind) for flag in applied.refused] == [("a.py", "changed-since")]
    assert tree(project.root) == {**AFTER, "a.py": b"edited"}


def test_a_file_that_exists_already_is_not_created_over(project: Project) -> None:
    (project.root / "pkg" / "deep").mkdir()
    (project.root / "pkg" / "deep" / "new.py").write_bytes(b"mine")
    applied = apply_plan(project, PLAN)
    assert [flag.file for flag in applied.refused] == ["pkg/deep/new.py"]
    assert tree(project.root)["pkg/deep/new.py"] == b"mine"


def test_all_or_nothing_writes_none_where_one_is_refused(project: Project) -> None:
    (project.root / "a.py").write_bytes(b"edited")
    applied = apply_plan(project, PLAN, all_or_nothing=True)
    assert applied.written == ()
    assert [flag.file for flag in applied.refused] == ["a.py"]
    assert tree(project.root) == {**BEFORE, "a.py": b"edited"}


def test_a_read_only_file_is_left_and_reported(project: Project) -> None:
    (project.root / "a.py").chmod(0o444)
    applied = apply_plan(project, PLAN)
    assert [(flag.file, flag.reason) for flag in applied.refused] == [("a.py", "is read-only")]
    assert tree(project.root)["a.py"] == b"a = 1\r\n"


def test_nothing_is_written_through_links_or_outside_of_the_root(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.py").write_bytes(b"1")
    (project.root / "folder").symlink_to(outside, target_is_directory=True)
    (project.root / "file.py").symlink_to(outside / "f.py")
    paths = ["folder/f.py", "file.py", "../outside/f.py", str(outside / "f.py"), "", "pkg", "a.py/x.py", "x\\y"]
    plan = Plan.of([FileChange(path, b"1", b"2") for path in paths])
    applied = apply_plan(project, plan)
    assert sorted(flag.file for flag in applied.refused) == sorted(paths)
    assert {flag.kind for flag in applied.refused} == {"not-writable"}
    assert (outside / "f.py").read_bytes() == b"1"
    assert tree(project.root)["a.py"] == b"a = 1\r\n"


def test_a_journal_behind_a_link_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.root / ".graphlift").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(EnvironmentProblem, match="symbolic link"):
        apply_plan(project, PLAN)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_verification_refuses_is_put_back_and_the_rest_can_be_undone(project: Project) -> None:
    seen: dict[str, bytes | None] = {}

    def verify(written: Mapping[str, bytes | None]) -> list[Flag]:
        seen.update(written)
        return [Flag("a.py", 1, "unverified", "no")]

    applied = apply_plan(project, PLAN, verify=verify)
    assert seen == {"a.py": b"a = 2\r\n", "gone.py": None, "pkg/b.py": b"b = 2", "pkg/deep/new.py": b"new\n"}
    assert [flag.file for flag in applied.refused] == ["a.py"]
    assert tree(project.root) == {**AFTER, "a.py": b"a = 1\r\n"}
    undo(project)
    assert tree(project.root) == BEFORE


def test_undo_leaves_what_was_edited_since_and_takes_it_back_later(project: Project) -> None:
    apply_plan(project, PLAN)
    (project.root / "a.py").write_bytes(b"edited")
    undone = undo(project)
    assert [flag.file for flag in undone.refused] == ["a.py"]
    assert tree(project.root) == {**BEFORE, "a.py": b"edited"}
    (project.root / "a.py").write_bytes(b"a = 2\r\n")
    assert undo(project).written == ("a.py",)
    assert tree(project.root) == BEFORE


def test_a_disk_that_refuses_in_the_middle_puts_everything_back(project: Project, monkeypatch) -> None:
    real, calls = Path.replace, []

    def failing(self: Path, target: Path) -> Path:
        if target.suffix == ".py" and (calls.append(target) or len(calls)) == 2:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(EnvironmentProblem, match="No space left on device; every file was put back"):
        apply_plan(project, PLAN)
    assert tree(project.root) == BEFORE
    assert recover(project) is None


def test_two_at_once_are_refused(project: Project) -> None:
    with Journal(project.root).locked(), pytest.raises(EnvironmentProblem, match="another graphlift"):
        apply_plan(project, PLAN)
    assert tree(project.root) == BEFORE


def test_an_empty_plan_writes_nothing_at_all(project: Project) -> None:
    assert apply_plan(project, Plan()).written == ()
    assert not (project.root / ".graphlift").exists()


def test_a_damaged_journal_is_an_error_that_names_it(project: Project) -> None:
    apply_plan(project, PLAN)
    (project.root / FOLDER / "done" / "0001" / "content").write_bytes(b"")
    with pytest.raises(EnvironmentProblem, match="0001: the journal cannot be read"):
        undo(project)
    assert tree(project.root) == AFTER


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(project: Project) -> Project:
    git(project.root, "init", "-q")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "all")
    return project


def test_a_clean_work_tree_is_changed_and_the_journal_is_not_seen_by_git(repository: Project) -> None:
    apply_plan(repository, PLAN)
    assert tree(repository.root) == AFTER
    status = subprocess.run(["git", "status", "--porcelain"], cwd=repository.root, capture_output=True, text=True)
    assert ".graphlift" not in status.stdout


@pytest.mark.parametrize("staged", [False, True])
def test_a_dirty_work_tree_is_refused_unless_allowed(repository: Project, staged: bool) -> None:
    (repository.root / "gone.py").write_bytes(b"edited\n")
    if staged:
        git(repository.root, "add", "gone.py")
    with pytest.raises(UsageError, match=r"uncommitted changes: gone.py\n  mend: .*--allow-dirty"):
        apply_plan(repository, PLAN)
    assert tree(repository.root)["a.py"] == b"a = 1\r\n"
    assert apply_plan(repository, PLAN, allow_dirty=True).written == ("a.py", "pkg/b.py", "pkg/deep/new.py")


def test_an_untracked_file_counts_only_where_the_plan_touches_it(repository: Project) -> None:
    (repository.root / "notes.py").write_bytes(b"1")
    with pytest.raises(UsageError, match=r"notes\.py"):
        apply_plan(repository, Plan.of([FileChange("notes.py", b"1", b"2")]))
    assert apply_plan(repository, PLAN).refused == ()


@pytest.mark.parametrize("error", [UsageError("what would be left does not compile"), KeyboardInterrupt()])
def test_what_could_not_be_verified_does_not_stay(project: Project, error: BaseException) -> None:
    def verify(written: Mapping[str, bytes | None]) -> list[Flag]:
        assert tree(project.root) == AFTER
        raise error

    with pytest.raises(type(error)):
        apply_plan(project, PLAN, verify=verify)
    assert tree(project.root) == BEFORE
    assert recover(project) is None
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(project)

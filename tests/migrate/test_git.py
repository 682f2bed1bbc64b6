"""The questions that graphlift asks git, on real repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters.errors import EnvironmentProblem
from graphlift.migrate.git import Entry, Git

NAMES = ("a.py", "é ü.py", "tab\there.py", "deep/er/b.py")


@pytest.fixture
def git(repo: Any) -> Git:
    repo.files(dict.fromkeys(NAMES, "one\ntwo\n"))
    repo.commit("first")
    return Git.open(repo.root)


def test_names_come_as_they_are(git: Git) -> None:
    assert git.files() == tuple(sorted(NAMES))
    assert tuple(entry.path for entry in git.tree("HEAD")) == tuple(sorted(NAMES))
    assert git.show("HEAD", "é ü.py") == b"one\ntwo\n"


def test_many_blobs_in_one_go(git: Git, repo: Any) -> None:
    repo.files({"a.py": "", "b.bin": "\0\n\n"})
    repo.commit()
    contents = git.blobs(entry.blob for entry in git.tree("HEAD"))
    assert sorted(contents.values()) == [b"", b"\0\n\n", b"one\ntwo\n"]
    assert git.blobs(()) == {}


def test_paths_are_relative_to_the_folder_that_asks(git: Git, repo: Any) -> None:
    inner = Git.open(repo.root / "deep")
    assert inner.files() == ("er/b.py",)
    assert inner.show("HEAD", "er/b.py") == b"one\ntwo\n"
    repo.files({"deep/er/b.py": "changed\n", "a.py": "changed\n"})
    assert inner.changed("HEAD") == {"er/b.py"}
    assert inner.is_dirty()


def test_what_does_not_exist(git: Git) -> None:
    assert git.show("HEAD", "none.py") is None
    assert git.revision("nowhere") is None
    assert git.revision("--help") is None
    with pytest.raises(EnvironmentProblem, match="ls-tree"):
        git.tree("nowhere")


def test_links_and_ignored_files_are_no_entries(git: Git, repo: Any) -> None:
    repo.files({".gitignore": "hidden.py\n", "hidden.py": "x\n"})
    (repo.root / "link.py").symlink_to("a.py")
    repo.commit()
    assert "hidden.py" not in git.files()
    assert [entry.path for entry in git.tree("HEAD")] == sorted([".gitignore", *NAMES])


def test_the_index_is_not_the_work_tree(git: Git, repo: Any) -> None:
    assert git.is_like_index()
    repo.files({"a.py": "staged\n"})
    repo.git("add", "a.py")
    repo.files({"a.py": "later\n"})
    assert not git.is_like_index()
    (entry,) = [entry for entry in git.staged() if entry.path == "a.py"]
    assert isinstance(entry, Entry)
    assert git.blobs([entry.blob])[entry.blob] == b"staged\n"
    assert git.show("", "a.py") == b"staged\n"


def test_renames_by_content(git: Git, repo: Any) -> None:
    repo.files({"a.py": "".join(f"line {n}\n" for n in range(30))})
    first = repo.commit()
    repo.git("mv", "a.py", "moved.py")
    assert git.renames(first) == {"moved.py": "a.py"}
    assert git.renames(first, staged=True) == {"moved.py": "a.py"}


def test_a_repository_without_a_commit(repo: Any) -> None:
    git = Git.open(repo.root)
    assert (git.revision("HEAD"), git.branch, git.upstream, git.log()) == (None, "main", None, ())


def test_outside_of_a_repository(tmp_path: Path, clean_git: None) -> None:
    assert Git.find(tmp_path) is None
    with pytest.raises(EnvironmentProblem) as caught:
        Git.open(tmp_path)
    assert caught.value.exit_code == 3
    assert caught.value.mend


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="git was not found"):
        Git.open(tmp_path)


def test_several_revisions_are_asked_for_at_once(repo: Any) -> None:
    repo.files({"a.py": "1\n"})
    first = repo.commit()
    found = Git(repo.root).revisions(["main", "nowhere", "HEAD", "main^", "odd name", "HEAD:a.py"])
    assert found == {"main": first, "HEAD": first}


def test_what_is_not_staged(repo: Any) -> None:
    repo.files({"a.py": "1\n", "b.py": "1\n", "c.py": "1\n"})
    repo.commit()
    repo.files({"a.py": "2\n", "b.py": "2\n", "new.py": "1\n"})
    repo.git("add", "b.py")
    assert Git(repo.root).unstaged() == frozenset({"a.py"})
    assert (Git(repo.root).differs("HEAD"), Git(repo.root).default_branch) == (True, "main")

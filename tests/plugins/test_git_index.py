"""What git's index says, read without git, and what of a project is left out because of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphlift.plugins.configuration import Settings
from graphlift.plugins.git_index import index_of, index_paths, read_index
from graphlift.plugins.project import Project

FILES = ("a.py", "build/lib.py", "pkg/__init__.py", "pkg/deep/x.py", "pkg/deep/y.py", "pkg/deepest.py", "ü/ö.py")


def git(root: Path, *arguments: str) -> bytes:
    identity = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout


def repository(root: Path, *options: str, files: tuple[str, ...] = FILES) -> Path:
    root.mkdir()
    git(root, "init", "-q", *options)
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "x")
    return root


def opened(root: Path, *source: str) -> Project:
    return Project(root.resolve(), None, Settings.model_validate({"source": source or (".",)}))


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
def test_every_version_is_read(tmp_path: Path, version: str, options: tuple[str, ...]) -> None:
    root = repository(tmp_path / "r", *options)
    git(root, "update-index", "--index-version", version)
    assert sorted(index_paths(root / ".git" / "index")) == sorted(FILES)
    assert "build/lib.py" in opened(root).files()


def test_a_linked_work_tree_has_an_index_of_its_own(tmp_path: Path) -> None:
    git(repository(tmp_path / "r"), "worktree", "add", "-q", "../linked")
    assert (tmp_path / "linked" / ".git").is_file()
    assert "build/lib.py" in opened(tmp_path / "linked").files()


@pytest.mark.parametrize("content", [b"", b"DIRC\0\0\0\5\0\0\0\1", b"DIRC\0\0\0\2\0\0\0\7short", b"no index"])
def test_what_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)
    assert read_index(tmp_path / "index") is None
    assert index_of(tmp_path) is None


def test_a_split_index_is_not_half_read(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "update-index", "--split-index")
    (root / "b.py").touch()
    git(root, "add", "b.py")
    assert read_index(root / ".git" / "index") is None


def test_a_sparse_checkout_says_what_it_leaves_out(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    assert opened(root).left_out() == ()
    git(root, "sparse-checkout", "set", "--no-cone", "/a.py", "/pkg/deepest.py")
    told = {"build": 1, "pkg": 1, "pkg/deep": 2, "ü": 1}
    expected = [
        (name, f"{count} file{'s' * (count > 1)} not checked out (sparse checkout)") for name, count in told.items()
    ]
    assert list(opened(root).left_out()) == expected
    assert [path for path, _ in opened(root, "pkg").left_out()] == ["pkg", "pkg/deep"]


def test_a_submodule_that_is_not_checked_out_is_told(tmp_path: Path) -> None:
    repository(tmp_path / "inner", files=("x.py",))
    root = repository(tmp_path / "r")
    git(root, "submodule", "add", "-q", "../inner", "vendor/inner")
    git(root, "commit", "-qm", "y")
    assert opened(root).left_out() == ()
    git(tmp_path, "clone", "-q", "r", "clone")
    assert opened(tmp_path / "clone").left_out() == (("vendor/inner", "a submodule that is not checked out"),)


def test_links_that_are_not_followed_are_told(tmp_path: Path) -> None:
    root, outside = tmp_path / "r", tmp_path / "outside"
    for folder in (root / "app", root / "other", outside):
        folder.mkdir(parents=True)
    (root / "app/a.py").touch()
    links = {
        "out": outside,
        "gone.py": root / "none.py",
        "other": root / "other",
        "same.py": root / "app/a.py",
        "venv": outside,
    }
    for name, target in links.items():
        (root / "app" / name).symlink_to(target)
    (root / "app/circle").symlink_to("circle")
    here = opened(root, "app")
    assert here.files() == ("app/a.py", "app/same.py")
    assert dict(here.left_out()) == {
        "app/out": "a link that leads out of the project",
        "app/gone.py": "a link that leads nowhere",
        "app/other": "a link to a folder that is not among `source`",
        "app/circle": "a link in a circle",
    }

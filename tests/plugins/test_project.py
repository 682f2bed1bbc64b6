"""Which files belong to a project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphlift.adapters.errors import ConfigurationError, UsageError
from graphlift.plugins.configuration import Settings
from graphlift.plugins.git_index import index_paths
from graphlift.plugins.project import Project


def project(root: Path, *names: str, **settings: object) -> Project:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    return Project(root.resolve(), None, Settings.model_validate(settings))


def test_files_are_sorted_relative_and_under_source(tmp_path: Path) -> None:
    here = project(tmp_path, "src/b.py", "src/a.py", "src/a.txt", "docs/c.py", source=["src"])
    assert here.files(".py") == ("src/a.py", "src/b.py")
    assert here.files() == ("src/a.py", "src/a.txt", "src/b.py")


def test_overlapping_sources_give_a_file_once(tmp_path: Path) -> None:
    here = project(tmp_path, "src/a.py", "b.py", source=["src", ".", "src/a.py"])
    assert here.files() == ("b.py", "src/a.py")


@pytest.mark.parametrize(
    "folder", [".git", ".venv", "node_modules", "__pycache__", "build", ".graphlift", "x.egg-info"]
)
def test_folders_that_hold_no_source_are_skipped(tmp_path: Path, folder: str) -> None:
    assert project(tmp_path, f"{folder}/a.py", "a.py").files() == ("a.py",)


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("*_pb2.py", ("a.py", "gen/c.py", "gen/deep/d.py")),
        ("gen", ("a.py", "b_pb2.py")),
        ("gen/", ("a.py", "b_pb2.py")),
        ("gen/*.py", ("a.py", "b_pb2.py", "gen/deep/d.py")),
        ("**/deep", ("a.py", "b_pb2.py", "gen/c.py")),
        ("/a.py", ("b_pb2.py", "gen/c.py", "gen/deep/d.py")),
    ],
)
def test_exclude_reads_as_a_gitignore(tmp_path: Path, pattern: str, kept: tuple[str, ...]) -> None:
    names = ("a.py", "b_pb2.py", "gen/c.py", "gen/deep/d.py")
    assert project(tmp_path, *names, exclude=[pattern]).files() == kept


def test_a_link_out_of_the_root_is_not_followed_and_one_inside_is(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("", encoding="utf-8")
    root = tmp_path / "root"
    here = project(root, "a.py")
    (root / "out.py").symlink_to(outside)
    (root / "in.py").symlink_to(root / "a.py")
    (root / "loop").symlink_to(root)
    assert here.files() == ("a.py", "in.py")


def test_a_source_that_does_not_exist_is_an_error_since_nothing_in_it_would_be_seen(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'lib' does not exist"):
        project(tmp_path, source=["lib"]).files()


def test_source_roots_are_folders_that_modules_are_imported_from(tmp_path: Path) -> None:
    here = project(tmp_path, "src/shop/__init__.py", "pkg/__init__.py", source=["src", "pkg"])
    assert here.source_roots == (here.root / "src", here.root)


def test_open_finds_the_configuration_of_a_folder_above_but_never_past_the_repository(tmp_path: Path) -> None:
    (tmp_path / "graphlift.toml").write_text("", encoding="utf-8")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert Project.open(deep).root == tmp_path.resolve()
    (tmp_path / "a" / ".git").mkdir()
    assert Project.open(deep).config_file is None


def test_open_refuses_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'nowhere' is not a folder"):
        Project.open(tmp_path / "nowhere")


def test_a_symbol_whose_module_does_not_have_it_is_an_error_and_no_finished_migration(tmp_path: Path) -> None:
    here = project(tmp_path, "app/walker.py", symbol=[{"legacy": "app.walker.Wolker", "to": "x.Y"}])
    (tmp_path / "graphlift.toml").touch()
    here = Project(here.root, here.root / "graphlift.toml", here.settings)
    (tmp_path / "app" / "walker.py").write_text("class Walker: ...\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"app/walker\.py has no 'Wolker'\n  mend: did you mean 'Walker'\?"):
        here.require_names()
    (tmp_path / "app" / "walker.py").write_text("from x import Y as Wolker\n", encoding="utf-8")
    assert here.require_names() is None
    (tmp_path / "app" / "walker.py").unlink()
    with pytest.raises(ConfigurationError, match=r"there is no module 'app.walker' in this code base"):
        here.require_names()
    (tmp_path / "ratchet.toml").write_text('[[retired]]\nsymbol = "app.walker.Wolker"\nforced = "by hand"\n')
    assert Project(here.root, here.config_file, here.settings).require_names() is None


@pytest.mark.parametrize(
    ("legacy", "told"),
    [
        ("app.wlaker.Walker", r"app/__init__\.py has no 'wlaker'\n  mend: did you mean 'walker'\?"),
        ("ap.walker.Walker", r"there is no package 'ap' in this code base\n  mend: did you mean 'app'\?"),
        ("Walker", r"there is no module 'Walker' in this code base"),
        ("lib.wlaker.Walker", r"there is no module 'lib.wlaker' in this code base"),
        (
            "acme.walker.Walker",
            r"no folder of `source` gives the module acme.walker\n  mend: Add 'packages/one/src' to",
        ),
        ("app.walker.Walker", None),
        ("app.walker", None),
        ("app.walker.Outer.Walker", None),
        ("otherpackage.walker.Walker", None),
    ],
)
def test_a_symbol_whose_module_is_not_there(tmp_path: Path, legacy: str, told: str | None) -> None:
    files = ("app/__init__.py", "app/walker.py", "lib/walker.py", "packages/one/src/acme/walker.py")
    here = project(tmp_path, *files, symbol=[{"legacy": legacy, "to": "x.Y"}])
    (tmp_path / "app" / "walker.py").write_text("class Outer:\n    class Walker: ...\n", encoding="utf-8")
    (tmp_path / "graphlift.toml").touch()
    here = Project(here.root, here.root / "graphlift.toml", here.settings)
    if told is None:
        assert here.require_names() is None
    else:
        with pytest.raises(ConfigurationError, match=told):
            here.require_names()


def test_what_git_tracks_is_source_whatever_its_folder_is_called(tmp_path: Path) -> None:
    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True).stdout

    files = (
        "app/build/__init__.py",
        "app/build/steps.py",
        "build/lib/app.py",
        "venv/x.py",
        "dist/deep/er/y.py",
        "a.py",
    )
    here = project(tmp_path, *files, "app/__pycache__/z.py", "node_modules/n.py", *(f"many/{n}.py" for n in range(40)))
    many = {f"many/{n}.py" for n in range(40)}
    assert set(here.files(".py")) == {"a.py", *many}
    git("init", "-q")
    git("add", "-f", "app/build", "dist", "app/__pycache__", "many", "a.py")
    here = Project(here.root, here.config_file, here.settings)
    assert sorted(index_paths(tmp_path / ".git" / "index")) == sorted(git("ls-files").decode().split())
    assert set(here.files(".py")) == {"a.py", "app/build/__init__.py", "app/build/steps.py", "dist/deep/er/y.py", *many}
    below = Project(here.root / "app", None, here.settings)
    assert below.files(".py") == ("build/__init__.py", "build/steps.py")

"""The distribution: what it lists is what is there."""

from __future__ import annotations

import ast
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = ("adapters", "parity", "plugins", "migrate")


def test_the_listed_packages_are_those_of_the_tree() -> None:
    found = {
        f"graphlift.{path.parent.relative_to(ROOT).as_posix().replace('/', '.')}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
        if not path.is_relative_to(ROOT / "migrate" / "demo")
    }
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(found)


def test_every_folder_with_modules_is_a_package() -> None:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if not path.is_relative_to(ROOT / "migrate" / "demo"):
                assert (path.parent / "__init__.py").exists(), path.relative_to(ROOT)


def test_the_root_module_holds_nothing_but_its_docstring() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    assert len(tree.body) == 1
    assert ast.get_docstring(tree)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_is_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").read_bytes() == b""


def test_every_entry_point_can_be_loaded() -> None:
    groups = PROJECT["project"]["entry-points"]
    for group, entries in groups.items():
        mine = {
            point.name: point for point in entry_points(group=group) if point.dist and point.dist.name == "graphlift"
        }
        assert sorted(mine) == sorted(entries)
        assert all(point.load() for point in mine.values())


def test_every_dependency_has_a_lower_bound() -> None:
    groups = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    names = [name for group in groups for name in group if not name.startswith("graphlift[")]
    assert [name for name in names if ">=" not in name] == []


def test_every_module_opens_with_a_docstring() -> None:
    modules = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "demo/project" not in path.as_posix()
    ]
    bare = [path for path in modules if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert [
        path.relative_to(ROOT).as_posix() for path in bare if not path.is_relative_to(ROOT / "migrate" / "demo")
    ] == []


def test_every_file_that_a_package_reads_is_shipped() -> None:
    listed = PROJECT["tool"]["setuptools"]["package-data"]
    for folder in FOLDERS:
        shipped = {path for pattern in listed[f"graphlift.{folder}"] for path in (ROOT / folder).glob(pattern)}
        there = {path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        missing = {path for path in there - shipped if path.suffix not in (".py", ".pyc")}
        assert [path.relative_to(ROOT).as_posix() for path in sorted(missing)] == []

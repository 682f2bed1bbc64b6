"""What a pipeline is tuned by: the Python, the requirements, the gates that there are."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.migrate.ci.pythons import lowest, pinned
from graphlift.migrate.ci.tuning import Tuning, tune
from graphlift.plugins.project import Project

TOML = '[[symbol]]\nlegacy = "old.Walker"\nto = "new.Runner"\n'


@pytest.mark.parametrize(
    ("requirement", "version"),
    [
        ("", "3.11"),
        (">=3.8", "3.11"),
        (">=3.12", "3.12"),
        (">=3.12.4", "3.12"),
        (">3.11.4", "3.11"),
        (">=3.11,!=3.11.*", "3.12"),
        (">=3.10,<3.13", "3.11"),
        ("~=3.12", "3.12"),
        ("~=3.13.1", "3.13"),
        ("==3.12.*", "3.12"),
        ("^3.12", "3.12"),
        ("~3.13", "3.13"),
        (">=3", "3.11"),
        (">=3.11, <4", "3.11"),
        ("<3.9", "3.11"),
    ],
)
def test_the_lowest_python_that_both_support(requirement: str, version: str) -> None:
    assert lowest(requirement) == version


@pytest.mark.parametrize(
    ("text", "version"), [("3.12.1\n", "3.12"), ("# ours\n3.13\n", "3.13"), ("cpython-3.12\n", "3.12"), ("pypy3.10\n", None)]
)  # fmt: skip
def test_a_pinned_python(text: str, version: str | None) -> None:
    assert pinned(text) == version


def tuned(repo: Any, files: dict[str, str]) -> Tuning:
    repo.files({"graphlift.toml": TOML, **files})
    return tune(Project.open(repo.root))


def test_a_project_that_says_nothing(repo: Any) -> None:
    found = tuned(repo, {})
    assert (found.python, found.install, found.caches) == ("3.11", (f'"{found.tool}"',), ())
    assert (found.branch, found.gate, found.ratchet, found.symbols) == ("main", False, False, True)
    assert found.tool.startswith("graphlift~=")


def test_a_project_with_an_extra_for_its_tests_and_a_dependency_group(repo: Any) -> None:
    pyproject = (
        '[project]\nname = "shop"\nrequires-python = ">=3.12"\n[project.optional-dependencies]\ntest = ["pytest"]\n'
    )
    found = tuned(repo, {"pyproject.toml": pyproject + '[dependency-groups]\ndev = ["ruff"]\n'})
    assert (found.python, found.install[:2], found.caches) == (
        "3.12",
        ('-e ".[test]"', "--group dev"),
        ("pyproject.toml",),
    )


def test_a_pyproject_that_only_configures_tools_installs_nothing(repo: Any) -> None:
    assert tuned(repo, {"pyproject.toml": "[tool.ruff]\n"}).install[0].startswith('"graphlift')


def test_requirement_files(repo: Any) -> None:
    found = tuned(repo, {"requirements.txt": "flask\n", "requirements/dev.txt": "pytest\n"})
    assert found.install[:2] == ("-r requirements.txt", "-r requirements/dev.txt")
    assert found.caches == ("requirements.txt", "requirements/dev.txt")


@pytest.mark.parametrize(
    ("line", "tool"),
    [
        ("graphlift==0.1.3", "graphlift==0.1.3"),
        ("graphlift[sqlite] >= 0.1, < 0.3  # ours", "graphlift[sqlite]>=0.1,<0.3"),
        ("graphlift; python_version > '3'", "graphlift"),
    ],
)
def test_a_project_that_requires_graphlift_itself_decides_its_version(repo: Any, line: str, tool: str) -> None:
    found = tuned(repo, {"requirements.txt": f"graphlift-other\n{line}\n"})
    assert (found.tool, found.install) == (tool, ("-r requirements.txt",))


def test_the_extras_that_the_code_needs(repo: Any) -> None:
    found = tuned(repo, {"app.py": "from langgraph.checkpoint.sqlite import SqliteSaver\n"})
    assert found.install[-1].startswith('"graphlift[sqlite]~=')
    found = tuned(repo, {"app.py": "", "cases.py": "from dask.distributed import Client\n"})
    assert found.install[-1].startswith('"graphlift[dask]~=')


def test_the_remotes_default_branch(repo: Any, tmp_path: Any) -> None:
    repo.files({"graphlift.toml": TOML})
    repo.commit()
    repo.git("branch", "--move", "release")
    repo.git("clone", "--quiet", str(repo.root), str(tmp_path / "clone"))
    clone = type(repo)(tmp_path / "clone")
    clone.git("switch", "--quiet", "--create", "topic")
    assert tuned(clone, {}).branch == "release"

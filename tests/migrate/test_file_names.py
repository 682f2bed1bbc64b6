"""File names that are no text: POSIX allows any bytes in them, and a repository may hold them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")

CONFIGURATION = """
[[symbol]]
legacy = "legacy.walker.BFSWalker"
called = "flows.engine.build_graph"
type = "flows.engine.GraphRunner"
"""
USE = b"from legacy.walker import BFSWalker\n\nBFSWalker()\n"
DONE = b"from flows.engine import build_graph\n\nbuild_graph()\n"


@pytest.fixture
def strange(repo: Repository) -> tuple[Repository, Path]:
    """A repository with a user of the symbol in a file whose name is no UTF-8."""
    repo.files(
        {
            "graphlift.toml": CONFIGURATION,
            "legacy/__init__.py": "",
            "legacy/walker.py": "class BFSWalker: ...\n",
            "flows/__init__.py": "",
            "flows/engine.py": "def build_graph(): ...\n\n\nclass GraphRunner: ...\n",
        }
    )
    path = repo.root / os.fsdecode(b"bad \xff.py")
    path.write_bytes(USE)
    repo.commit()
    return repo, path


def graphlift(repository: Repository, *arguments: str) -> tuple[int, bytes]:
    """The command in a process of its own, with the output that a terminal gets."""
    command = [sys.executable, "-m", "graphlift.migrate", "-C", str(repository.root), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout


def test_it_is_told_in_every_form(strange: tuple[Repository, Path]) -> None:
    repository, _ = strange
    code, out = graphlift(repository, "inventory", "--format", "markdown")
    assert (code, b"bad " in out) == (0, True)
    code, out = graphlift(repository, "inventory", "--format", "sarif")
    assert code == 0
    (result, *_) = [each for each in json.loads(out)["runs"][0]["results"] if "bad" in str(each)]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad%20%FF.py"


def test_it_is_rewritten_and_put_back(strange: tuple[Repository, Path]) -> None:
    repository, path = strange
    assert graphlift(repository, "codemod", "--diff")[0] == 1
    assert graphlift(repository, "codemod", "--apply")[0] == 0
    assert path.read_bytes() == DONE
    assert graphlift(repository, "codemod", "--undo")[0] == 0
    assert path.read_bytes() == USE


@pytest.mark.parametrize("style", ["text", "json", "sarif", "github"])
def test_it_is_linted(strange: tuple[Repository, Path], style: str) -> None:
    repository, _ = strange
    assert repository.run("lint", ".", "--format", style).code == 0

"""A real git repository with a small code base, and the command line on it in this process."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphlift.adapters.errors import GraphliftError
from graphlift.migrate.cli import app


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    error: str = ""

    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        """The codes of the errors of a check with `--format json`, in order."""
        return [finding["code"] for finding in self.json()["findings"] if finding["level"] == "error"]


@dataclass(frozen=True)
class Repository:
    root: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def files(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def commit(self, message: str = "work") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments: str) -> Said:
        """graphlift in this process; an error that a user can mend becomes its exit code, as in the console script."""
        result = CliRunner().invoke(app, ["-C", str(self.root), *arguments])
        if isinstance(result.exception, GraphliftError):
            return Said(result.exception.exit_code, result.stdout, str(result.exception))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    def check(self, *arguments: str) -> Said:
        """A check with JSON output, against main unless told otherwise."""
        base = () if {"--absolute", "--base", "--staged"} & set(arguments) else ("--base", "main")
        return self.run("ratchet", "check", *base, "--format", "json", *arguments)


@pytest.fixture
def clean_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """No git configuration and no CI variables of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "GITHUB_", "CI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def init(root: Path) -> Repository:
    root.mkdir(parents=True, exist_ok=True)
    repository = Repository(root)
    repository.git("-c", "init.defaultBranch=main", "init", "--quiet")
    repository.git("config", "user.name", "Tess Ter")
    repository.git("config", "user.email", "tess@example.org")
    repository.git("config", "commit.gpgsign", "false")
    return repository


@pytest.fixture
def repo(tmp_path: Path, clean_git: None) -> Repository:
    return init(tmp_path / "repo")

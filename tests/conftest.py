"""Fixtures that every folder of tests shares: a small project in a folder of its own with the command line, and a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No test depends on how fast the machine is, nor on what else it does.
settings.register_profile("graphlift", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("graphlift")

# Tests of pages share the browser; import-mode=importlib adds no folder.
sys.path.insert(0, str(Path(__file__).parent / "browser"))


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Sandbox:
    """A folder that tests write files into and run graphlift on, as a user would: in a process of its own."""

    root: Path

    def files(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")

    def run(self, *arguments: str, cwd: Path | None = None, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "graphlift.migrate", *arguments],
            cwd=cwd or self.root,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    root = tmp_path / "project"
    root.mkdir()
    # A repository's root ends the search for a configuration, so nothing above the folder is ever seen.
    (root / ".git").mkdir()
    return Sandbox(root)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium with a fresh profile; the test is skipped where none is installed."""
    from chromium import browser

    with browser(tmp_path_factory.mktemp("chromium")) as pipe:
        yield pipe


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A new tab of the browser."""
    from chromium import page_of

    with page_of(chromium) as opened:
        yield opened


@pytest.fixture
def page_without_scripts(chromium: Any) -> Iterator[Any]:
    """A new tab in which JavaScript is off."""
    from chromium import page_of

    with page_of(chromium, scripts=False) as opened:
        yield opened

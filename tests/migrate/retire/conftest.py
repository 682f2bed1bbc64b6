"""A small code base whose walker may be retired, with a green report of the parity gate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

FILES = {
    "graphlift.toml": """\
[[symbol]]
legacy = "flows.walker.Walker"
called = "flows.engine.build"
type = "flows.engine.Runner"
""",
    "flows/__init__.py": "",
    "flows/walker.py": '''\
"""Types, and the walker."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass

log = logging.getLogger(__name__)

__all__ = ["Result", "Walker", "helper"]


@dataclass
class Result:
    """What comes out."""

    names: list[str]


def helper(names: list[str]) -> list[str]:
    return sorted(names)


# The old engine.
# It walks.
class Walker:
    """Walks breadth first."""

    def run(self, start: str) -> Result:
        queue = deque([start])
        log.info("start")
        return Result(helper([queue.popleft()]))
''',
    "flows/engine.py": """\
class Runner:
    def run(self, start):
        return [start]


def build():
    return Runner()
""",
    "app.py": """\
from flows.engine import Runner, build
from flows.walker import Result


def main() -> Runner:
    print(Result)
    return build()
""",
}


@pytest.fixture
def base(repo: Any) -> Any:
    """The code base, committed; without a report of the gate."""
    repo.files({**FILES, ".gitignore": ".graphlift/\n"})
    repo.commit()
    return repo


@pytest.fixture
def report() -> Callable[..., None]:
    """Write a report of the gate about the files as they are now."""

    def write(repo: Any, **changes: Any) -> None:
        names = ("flows/walker.py", "flows/engine.py")
        files = {name: hashlib.sha256((repo.root / name).read_bytes()).hexdigest() for name in names}
        evidence = {"definitions": "0", "engines": {"legacy": "0", "candidate": "0"}, "files": files}
        data = {"schema": 1, "verdict": "green", "cases": 4, "partial": False, "families": {}, "divergences": []}
        repo.files({".graphlift/parity.json": json.dumps({**data, "evidence": evidence, **changes})})

    return write


@pytest.fixture
def ready(base: Any, report: Callable[..., None]) -> Any:
    """The code base with a green report."""
    report(base)
    return base

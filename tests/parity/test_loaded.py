"""The project's modules that a run loads are evidence: a report is stale when one of them changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GATE = """
from graphlift.parity import Case
from graphlift.parity.engines import OutcomeEngine
from graphlift.plugins import hookimpl

def legacy(case, handlers):
    return {"success": True, "data": {**handlers["a"](dict(case.inputs)), "x": 1}}

def candidate(case, handlers):
    from app.engine import run
    return {"success": True, "data": {**handlers["a"](dict(case.inputs)), "x": run()}}

@hookimpl
def graphlift_engines(project):
    return [
        OutcomeEngine("walker", "legacy", legacy, sources=("app/walker.py",)),
        OutcomeEngine("graph", "candidate", candidate, sources=("app/engine.py",)),
    ]

@hookimpl
def graphlift_cases(project):
    from app.handlers import HANDLERS
    return [Case("k", "w", {}, {}, HANDLERS, edges={"a": []})]
"""
FILES = {
    "graphlift.toml": 'exclude = ["/gate.py"]\nplugins = ["gate"]\n[[symbol]]\nlegacy = "app.walker.Walker"\nto = "app.engine.run"\n',
    "gate.py": GATE,
    "app/__init__.py": "",
    "app/walker.py": "class Walker:\n    pass\n",
    "app/engine.py": "from lib.helper import X\n\n\ndef run():\n    return X\n",
    "app/handlers.py": 'HANDLERS = {"a": lambda data: {"y": 1}}\n',
    "app/unused.py": "",
    "lib/__init__.py": "",
    "lib/helper.py": "X = 1\n",
}


def graphlift(root: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "graphlift.migrate", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert "green: 1 case" in graphlift(tmp_path, "parity")
    return tmp_path


def test_a_change_of_what_was_loaded_makes_the_evidence_stale(root: Path) -> None:
    assert "[x] engines agree" in graphlift(root, "status")
    for name in ("lib/helper.py", "app/handlers.py", "gate.py"):
        before = (root / name).read_text()
        (root / name).write_text(before + "# changed\n")
        told = graphlift(root, "status")
        assert "[ ] engines agree" in told
        assert name in told
        (root / name).write_text(before)
    (root / "app/unused.py").write_text("changed = True\n")
    assert "[x] engines agree" in graphlift(root, "status")

"""Run the shell of a pipeline as the service would: its shell, its variables, and stand-ins for what reaches the network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

STAND_IN = """\
#!/bin/sh
{ printf '%s' "$0" | sed 's,.*/,,'; for word in "$@"; do printf ' [%s]' "$word"; done; echo; } >> "$CALLS"
for word in "$@"; do case "$word" in *body[@]*|body@*) cat "${word#*@}" >> "$CALLS.body";; esac; done
"""
GH = STAND_IN + 'case "$*" in *--paginate*) cat "$KNOWN" 2> /dev/null || true;; esac\n'
CURL = STAND_IN + (
    'out=; while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done\n'
    'case "$out" in *.notes) cat "$KNOWN" > "$out";; esac\n'
)
PYTHON = f'if [ "$1 $2" = "-m pip" ]; then\n{STAND_IN.partition(chr(10))[2]}exit 0\nfi\nexec "{sys.executable}" "$@"\n'


@dataclass
class Runner:
    """A machine of a CI service, in a folder."""

    root: Path
    project: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A script in bash, with the options that both services give it."""
        path = os.pathsep.join([str(self.root / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}
        mine = {
            "PATH": path,
            "CALLS": str(self.root / "calls"),
            "KNOWN": str(self.root / "known"),
            "RUNNER_TEMP": str(self.root / "temp"),
            "GITHUB_STEP_SUMMARY": str(self.root / "summary.md"),
            "GITHUB_OUTPUT": str(self.root / "output"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.project,
            env={**inherited, **mine, **self.environment, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    def step(self, step: dict[str, Any], **values: str) -> subprocess.CompletedProcess[str]:
        """One step of a workflow or an action: its `run` with its `env`, expressions filled in from `values`."""
        assert "${{" not in step["run"], "an expression in a script is an injection"
        return self.run(step["run"], **{key: self.fill(text, values) for key, text in step.get("env", {}).items()})

    def fill(self, text: str, values: dict[str, str]) -> str:
        known = {"runner.temp": str(self.root / "temp"), "github.token": "secret", **values}
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    @property
    def calls(self) -> list[str]:
        file = self.root / "calls"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def summary(self) -> str:
        return (self.root / "summary.md").read_text(encoding="utf-8")

    def knows(self, text: str | list[Any]) -> None:
        """What the service answers when it is asked for the comments."""
        (self.root / "known").write_text(text if isinstance(text, str) else json.dumps(text))


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    root = tmp_path / "runner"
    (root / "temp").mkdir(parents=True)
    (root / "bin").mkdir()
    for name, text in (("gh", GH), ("curl", CURL), ("python", f"#!/bin/sh\n{PYTHON}")):
        (root / "bin" / name).write_text(text)
        (root / "bin" / name).chmod(0o755)
    return Runner(root, root)

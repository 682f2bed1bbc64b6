"""What the README shows is run: its files are written, its commands are executed, and what they print is compared.

A ``python``, ``toml`` or ``yaml`` block whose first line is a comment with a path is a file. A ``console`` block holds
commands after ``$`` and what each prints; a line of three dots stands for any lines. The blocks of the section are run in
order, in one folder. The two set-up commands (after ``<!-- command: NAME -->``) are run by CI and by `nox -s package`;
here it is checked that they are there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^# (?P<path>[\w./-]+\.\w+)\n")


@dataclass(frozen=True)
class Command:
    line: str
    expected: list[str]


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no section {title!r}"
    return found.group(1)


def commands(body: str) -> list[Command]:
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            found[-1].expected.append(line)
    return found


def matches(expected: list[str], actual: list[str]) -> bool:
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(matches(expected[1:], actual[start:]) for start in range(len(actual) + 1))
    return bool(actual) and expected[0].rstrip() == actual[0].rstrip() and matches(expected[1:], actual[1:])


def run(line: str, cwd: Path) -> list[str]:
    # `graphlift`, `git` and `python` as a user would find them on the path of an activated environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {
        **os.environ,
        "PATH": path,
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
    }
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("title", ["A real project in five minutes"])
def test_the_walkthrough_prints_what_the_readme_shows(title: str, tmp_path: Path) -> None:
    ran = 0
    for block in BLOCK.finditer(section(title)):
        body = block["body"]
        if block["language"] == "console":
            for command in commands(body):
                actual = run(command.line, tmp_path)
                assert matches(command.expected, actual), (
                    f"$ {command.line}\nshown:\n" + "\n".join(command.expected) + "\n\nprinted:\n" + "\n".join(actual)
                )
                ran += 1
        elif path := FILE.match(body):
            file = tmp_path / path["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body, encoding="utf-8")
    assert ran >= 8


def test_the_two_setup_commands_need_only_python_and_git() -> None:
    for name in ("demo", "tests"):
        found = re.search(rf"^<!-- command: {name} -->\n```bash\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)
        assert found, name
        assert found.group(1).startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_ci_takes_the_test_command_from_the_readme() -> None:
    assert "<!-- command: tests -->" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a", "a\nb", False),
        ("a\n...", "a\nb\nc", True),
        ("...\nc", "a\nb\nc", True),
        ("a\n...\nc", "a\nc", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_the_comparison_itself(expected: str, actual: str, same: bool) -> None:
    assert matches(expected.splitlines(), actual.splitlines()) is same

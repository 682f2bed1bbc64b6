"""Run commands in the demo's folder as a user would, and show each with the gist of what it said.

The environment is cleaned, not the user's: no global or system git configuration, no `GIT_*` or `PYTEST_*` of a caller
takes part, and nothing is written outside the folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...adapters.errors import GraphliftError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SHOWN_LINES = 24
WIDTH = 150
INDENT = "    "


class StageError(GraphliftError):
    """A command of the demo ended otherwise than the stage needs, or its output is not what the stage relies on."""

    exit_code: ClassVar[int] = 1


@dataclass(frozen=True)
class Ran:
    """A command that has ended: what a user would type, its exit code, and what it wrote."""

    shown: str
    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Standard output, then standard error."""
        return "\n".join(part.rstrip() for part in (self.out, self.err) if part.strip())


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what would let a user's settings change the demo."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("GIT_", "PYTEST_", "COV_CORE")) and name not in {"FORCE_COLOR", "PYTHONPATH"}
    }
    own_path = _import_path(environment.get("PYTHONPATH", ""))
    return {
        **kept,
        **({"PYTHONPATH": own_path} if own_path else {}),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
        # Two edits within one second and of equal size would leave a stale .pyc valid.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "TERM": "dumb",
    }


def _import_path(value: str) -> str:
    """A relative PYTHONPATH would mean something else inside the demo's folder."""
    return os.pathsep.join(os.path.abspath(part) for part in value.split(os.pathsep) if part)  # noqa: PTH100


class Shell:
    """Runs commands in `folder`; `say` receives what is shown, line by line."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.say = say
        self._environment = clean_environment(os.environ)

    def graphlift(self, *arguments: str, expect: int = 0, lines: int = SHOWN_LINES, quiet: bool = False) -> Ran:
        """Run `graphlift …` from the command line that a user has, and show its gist in `lines` lines."""
        # -P: like the installed `graphlift`, the work tree is not on the import path by itself.
        argv = [sys.executable, "-P", "-m", "graphlift.migrate.cli", *arguments]
        return self._run(argv, shown_command("graphlift", arguments), expect, None if quiet else lines)

    def tests(self) -> int:
        """Run the code base's own tests, all of which must pass; returns how many there are."""
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        ran = self._run(argv, "python -m pytest -q", 0, 1)
        found = re.search(r"(\d+) passed", ran.out)
        if not found:
            raise StageError(f"`{ran.shown}` did not say how many tests passed:\n{ran.text}")
        return int(found[1])

    def git(self, *arguments: str, shown: bool = False) -> str:
        """Run git; returns its standard output without the final newline."""
        ran = self._run(["git", *arguments], shown_command("git", arguments), 0, SHOWN_LINES if shown else None)
        return ran.out.rstrip("\n")

    def _run(self, argv: list[str], shown: str, expect: int, lines: int | None) -> Ran:
        try:
            done = subprocess.run(
                argv,
                cwd=self.folder,
                env=self._environment,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                encoding="utf-8",
                errors="backslashreplace",
                check=False,
            )
        except FileNotFoundError:
            raise StageError(f"`{argv[0]}` was not found", mend=f"install {argv[0]}") from None
        ran = Ran(shown, done.returncode, done.stdout, done.stderr)
        if lines is not None:
            self.say(f"  $ {shown}")
        if ran.code != expect:
            raise StageError(f"`{shown}` ended with exit code {ran.code}, expected {expect}:\n{ran.text}")
        for line in condensed(ran.text, lines or 0):
            self.say(INDENT + (line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"))
        return ran


def shown_command(program: str, arguments: tuple[str, ...]) -> str:
    """The command as a user would type it; a long argument (a commit's body) ends at its first line."""
    return " ".join([program, *(_quoted(argument.partition("\n")[0]) for argument in arguments)])


def _quoted(argument: str) -> str:
    return argument if re.fullmatch(r"[\w@%+=:,./~-]+", argument) else f"'{argument}'"


def condensed(text: str, lines: int) -> list[str]:
    """At most `lines` lines of `text`: its beginning and its end, the gap counted. Of one line, it is the last."""
    everything = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(everything) <= lines or lines == 0:
        return everything[:lines]
    tail = max(1, lines // 3)
    head = lines - tail - 1
    if head <= 0:
        return everything[-lines:]
    gap = f"… {len(everything) - head - tail} more lines"
    return [*everything[:head], gap, *everything[-tail:]]

"""What the stages share: the shell, the figures that they collect, and how a stage's work is written and committed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .copying import copy_tree
from .shell import Shell, StageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Settled:
    """Cases that differed for one reason: the rule that found it, the cases, and how it was settled."""

    rule: str
    cases: tuple[str, ...]
    how: str


@dataclass
class Figures:
    """What the account at the end tells; each stage fills in its own."""

    tests_before: int = 0
    tests_after: int = 0
    walker_lines_before: int = 0
    walker_lines_after: int = 0
    references: dict[str, int] = field(default_factory=dict)
    unexplained: int = 0
    codemods: dict[str, int] = field(default_factory=dict)
    divergences: list[Settled] = field(default_factory=list)
    cases: int = 0
    rules_proved: list[str] = field(default_factory=list)
    lines_added: int = 0
    lines_removed: int = 0
    commits: list[str] = field(default_factory=list)


@dataclass
class Journey:
    """One run of the demo in `folder`."""

    folder: Path
    say: Callable[[str], None]
    figures: Figures = field(default_factory=Figures)

    def __post_init__(self) -> None:
        self.shell = Shell(self.folder, self.say)
        self._messages: list[str] = []

    def write(self, tree: str, why: str) -> None:
        """Put a person's work of this stage (`demo/<tree>`) into the folder, and say what it is."""
        for path in copy_tree(tree, self.folder):
            self.say(f"  + {path}")
        self.say(f"    {why}")

    def edit(self, path: str, old: str, new: str, why: str) -> None:
        """Replace one piece of a file's text, as a person would; `StageError` unless it is there exactly once."""
        file = self.folder / path
        text = file.read_bytes().decode("utf-8")
        if text.count(old) != 1:
            raise StageError(f"{path}: {old!r} is there {text.count(old)} times, expected once")
        file.write_bytes(text.replace(old, new).encode("utf-8"))
        line = text[: text.index(old)].count("\n") + 1
        self.say(f"  ~ {path}:{line}: {_line(old)}  ->  {_line(new)}")
        self.say(f"    {why}")

    def remove(self, *paths: str, why: str) -> None:
        """Delete files that a person would delete in this stage."""
        for path in paths:
            (self.folder / path).unlink()
            self.say(f"  - {path}")
        self.say(f"    {why}")

    def begin(self) -> None:
        """A new stage: what it commits from here on is one commit."""
        self._messages = []

    def commit(self, message: str) -> None:
        """Commit everything, as the one commit of this stage; what a stage commits later joins it, told in its message.

        A stage that only looked leaves an empty commit whose message holds what it saw.
        """
        self._messages.append(message)
        amend = ("--amend",) if len(self._messages) > 1 else ()
        self.shell.git("add", "--all")
        self.shell.git("commit", "--quiet", "--allow-empty", *amend, "--message", "\n\n".join(self._messages))
        if not amend:
            self.figures.commits.append(message.partition("\n")[0])

    def data(self, *arguments: str, expect: int = 0) -> Any:
        """What a command says with `--format json`; it is not shown, since its text form was."""
        ran = self.shell.graphlift(*arguments, "--format", "json", expect=expect, quiet=True)
        try:
            return json.loads(ran.out)
        except ValueError as problem:
            raise StageError(f"`{ran.shown}` did not print JSON ({problem}):\n{ran.text}") from None

    def line_count(self, path: str) -> int:
        """The number of lines of a file of the folder."""
        return len((self.folder / path).read_text(encoding="utf-8").splitlines())


def _line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return f"{first} …" if rest else first

"""Cost of a check: the ratchet on 4,000 files and 1.5 million lines, against the floor that the machine sets."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .tree import write_tree

FILES, PADDING = 4_000, 132
ROUNDS = 7
RULES = {
    "lines": '[[rule]]\nid = "lines"\nmetric = "lines"\npaths = ["src/**/*.py"]\ncap = 100\n\n',
    "references": '[[rule]]\nid = "references"\nmetric = "references"\n\n',
}


@dataclass
class Cell:
    """CPU seconds (own and of children) of every run of one command."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median, in seconds."""
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Bench:
    """A repository with its ratchet, and what commands see of the machine."""

    root: Path
    environment: dict[str, str]

    def run(self, *command: str, expect: tuple[int, ...] = (0,)) -> float:
        """Run a command to its end; the CPU seconds that it and its children took."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in expect:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def graphlift(self, *arguments: str) -> float:
        """Run a command of graphlift; its CPU seconds."""
        return self.run(sys.executable, "-m", "graphlift.migrate", *arguments)

    def forget(self) -> None:
        """Throw away what the inventory remembers."""
        shutil.rmtree(self.root / ".graphlift" / "cache", ignore_errors=True)

    def rules(self, *names: str) -> None:
        """Commit a ratchet with these rules, and every number recorded."""
        (self.root / "ratchet.toml").write_text("".join(RULES[name] for name in names))
        self.graphlift("ratchet", "init")
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", "rules")
        self.run("git", "switch", "--quiet", "--force-create", "topic")
        self.run("git", "branch", "--quiet", "--force", "main", "topic")


def opened(folder: Path, files: int) -> tuple[Bench, int]:
    """A committed code base, and its lines."""
    root = folder / "code"
    root.mkdir()
    write_tree(root, files)
    padding = "".join(f"x_{number} = {number}\n" for number in range(PADDING))
    lines = 0
    for path in sorted(root.rglob("*.py")):
        text = path.read_text()
        if text:
            path.write_text(text + padding)
            lines += text.count("\n") + PADDING
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPYCACHEPREFIX": str(folder / "pyc")}
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    who = {f"GIT_{role}_{part}": "bench@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    bench = Bench(root, {**kept, **settings, **who})
    bench.run("git", "-c", "init.defaultBranch=main", "init", "--quiet")
    (root / ".gitignore").write_text(".graphlift/\n")
    bench.run("git", "add", "--all")
    bench.run("git", "commit", "--quiet", "--message", "code")
    return bench, lines


def measure(bench: Bench, rounds: int) -> dict[str, Cell]:
    """Every case and its floor, in turns, so that whatever else the machine does hits them alike."""
    cells: dict[str, Cell] = {}
    for rules, cases in _phases(bench):
        bench.rules(*rules)
        for number in range(rounds + 1):
            for name, run in cases.items():
                seconds = run()
                if number:  # the first round fills the caches of the machine and of Python
                    cells.setdefault(name, Cell()).seconds.append(seconds)
        print(f"{', '.join(rules)}: done", file=sys.stderr, flush=True)
    return cells


def _phases(bench: Bench) -> Iterator[tuple[tuple[str, ...], dict[str, Callable[[], float]]]]:
    def cold() -> float:
        bench.forget()
        return bench.graphlift("ratchet", "--base", "main")

    check = ("ratchet", "--base", "main")
    starts: dict[str, Callable[[], float]] = {
        "python": lambda: bench.run(sys.executable, "-c", "pass"),
        "start": lambda: bench.graphlift("--version"),
    }
    count = "git ls-files -z '*.py' | xargs -0 cat | wc -l"
    yield (
        ("lines",),
        {
            "lines": lambda: bench.graphlift(*check),
            "wc": lambda: bench.run("sh", "-c", count),
        },
    )
    yield ("references",), {"references": cold, "remembered": lambda: bench.graphlift(*check)}

    staged, other = [
        path for path in sorted(bench.root.rglob("*.py")) if "pkg0000" in path.parts and path.stat().st_size
    ][:2]

    def stage() -> float:
        # As people work: one file staged, another one edited and not staged, a third one that nobody tracks.
        (bench.root / "scratch.py").write_text("x = 1\n")
        other.write_text(other.read_text() + "y = 1\n")
        text, one, two = staged.read_text(), "x_1 = 1\n", "x_1 = 2\n"
        staged.write_text(text.replace(one, two) if one in text else text.replace(two, one))
        bench.run("git", "add", str(staged))
        return bench.graphlift("ratchet", "--staged")

    yield ("lines", "references"), {"staged": stage, **starts}


def section(quick: bool) -> str:
    """The table, and the bars with what was measured against each."""
    with tempfile.TemporaryDirectory() as name:
        bench, lines = opened(Path(name), 200 if quick else FILES)
        cells = measure(bench, 2 if quick else ROUNDS)
    files = 200 if quick else FILES
    rows = [f"| {told} | {cells[key].median:.2f} |" for key, told in CASES.items()]
    start = cells["python"].median
    return "\n".join(
        [
            f"## ratchet: CPU seconds of a check of {files:,} files, {lines / 1e6:.2f} M lines",
            "",
            "CPU time of the process and its children (git), from the start of Python; the median of runs in turns. Every file",
            "has a row in the lock, thirty files use the symbol.",
            "",
            "| case | seconds |",
            "| --- | ---: |",
            *rows,
            "",
            "Bars:",
            "",
            f"- lines in under 1 s: {cells['lines'].median:.2f} s",
            f"- references in under 2 s: {cells['references'].median:.2f} s, {cells['remembered'].median:.2f} s when remembered",
            f"- `--staged` in under 0.3 s and Python's start: {cells['staged'].median - start:.2f} s and {start:.2f} s",
        ]
    )


CASES = {
    "lines": "lines, against the merge base",
    "wc": "the floor for lines: `cat` and `wc -l` of the same files",
    "references": "references, against the merge base, nothing remembered",
    "remembered": "references, as the inventory remembers them",
    "staged": "both, `--staged`: one file staged, another edited, a third untracked",
    "start": "`graphlift --version`",
    "python": "`python -c pass`",
}

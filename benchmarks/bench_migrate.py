"""What the inventory and a plan of the codemods cost on 4,000 files and 1.5 million lines, beside ast-grep and LibCST."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .tree import SYMBOL, write_tree

FILES, PADDING, ROUNDS = 4_000, 132, 7
TIMES_MORE = 10
SAMPLE = 60
"""Files that LibCST's own codemod is measured on; its time on all is extrapolated by their bytes."""


@dataclass
class Cell:
    """Seconds of every run of one command, by the clock and of CPU (its children's too), and its largest process."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    megabytes: float = 0.0

    def told(self) -> str:
        """A row's figures: the medians."""
        memory = f"{self.megabytes:.0f}" if self.megabytes else ""
        return f"{statistics.median(self.wall):.2f} | {statistics.median(self.cpu):.2f} | {memory}"


@dataclass(frozen=True)
class Code:
    """A generated code base."""

    root: Path
    size: int
    lines: int

    @classmethod
    def written(cls, root: Path, files: int) -> Code:
        """The tree of so many files, each padded to the length of real ones."""
        root.mkdir()
        write_tree(root, files)
        padding = "".join(f"x_{number} = {number}\n" for number in range(PADDING))
        size = lines = 0
        for path in sorted(root.rglob("*.py")):
            text = path.read_text()
            if text:
                path.write_text(text + padding)
                size, lines = size + len(text) + len(padding), lines + text.count("\n") + PADDING
        return cls(root, size, lines)

    def run(self, cell: Cell, *command: str, expect: tuple[int, ...] = (0,)) -> None:
        """Run a command to its end and note what it took."""
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(self.root.parent / "pyc")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            command, cwd=self.root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in expect:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
        cell.wall.append(wall)
        cell.cpu.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    def graphlift(self, cell: Cell, *arguments: str, expect: tuple[int, ...] = (0,), cold: bool = False) -> None:
        """Run a command of graphlift; `cold`: without what the inventory remembers."""
        if cold:
            shutil.rmtree(self.root / ".graphlift", ignore_errors=True)
        self.run(cell, sys.executable, "-m", "graphlift.migrate", *arguments, expect=expect)

    def peak(self, *arguments: str) -> float:
        """Megabytes of the largest process of a command of graphlift."""
        shutil.rmtree(self.root / ".graphlift", ignore_errors=True)
        code = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [sys.executable, "-c", code, sys.executable, "-m", "graphlift.migrate", *arguments]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True)
        return int(done.stdout) / 1024


def measure(code: Code, rounds: int) -> dict[str, Cell]:
    """Every command in turns, so that whatever else the machine does hits them alike."""
    cells = {name: Cell() for name in TOLD}
    commands: dict[str, Callable[[Cell], None]] = {
        "cold": lambda cell: code.graphlift(cell, "inventory", "--format", "json", cold=True),
        "cached": lambda cell: code.graphlift(cell, "inventory", "--format", "json"),
        "plan": lambda cell: code.graphlift(cell, "codemod", expect=(1,), cold=True),
        "ast-grep": lambda cell: code.run(cell, "ast-grep", "run", "-p", SYMBOL.rpartition(".")[2], "-l", "py", "src"),
    }
    for number in range(rounds + 1):
        for name, run in commands.items():
            run(cells[name] if number else Cell())  # the first round fills the caches of the machine and of Python
    for name, arguments in (("cold", ("inventory",)), ("plan", ("codemod",))):
        cells[name].megabytes = code.peak(*arguments)
    return cells


def libcst(code: Code, sample: int) -> Cell:
    """LibCST's own rename over some files, and how long it would take over all."""
    files = sorted(path for path in (code.root / "src").rglob("*.py") if path.stat().st_size)[:: FILES // sample][
        :sample
    ]
    share = code.size / sum(path.stat().st_size for path in files)
    copies = code.root.parent / "sample"
    for number, path in enumerate(files):
        (copies / str(number)).mkdir(parents=True)
        shutil.copy(path, copies / str(number) / path.name)
    cell, one = Cell(), Code(copies, 0, 0)
    names = ("--old_name", SYMBOL, "--new_name", "flows.engine.GraphRunner")
    command = ("libcst.tool", "codemod", "rename.RenameCommand", "-j", "2", "--no-format", *names, ".")
    one.run(cell, sys.executable, "-m", *command)
    return Cell([cell.wall[0] * share], [cell.cpu[0] * share])


def section(quick: bool) -> str:
    """The table, and the bars with what was measured against each."""
    files, rounds = (200, 2) if quick else (FILES, ROUNDS)
    with tempfile.TemporaryDirectory() as name:
        code = Code.written(Path(name) / "code", files)
        cells = measure(code, rounds)
        cells["libcst"] = libcst(code, SAMPLE // 6 if quick else SAMPLE)
        more = Code.written(Path(name) / "more", files * TIMES_MORE)
        for _ in range(3):
            more.graphlift(cells["more"], "inventory", "--format", "json", cold=True)
    head = [
        f"## migrate: seconds on {files:,} files, {code.lines / 1e6:.2f} M lines, {code.size / 1e6:.0f} MB",
        "",
        "Whole processes on a warm disk, medians of runs in turns. Thirty files name the symbol. `ast-grep run` looks for the bare",
        f"name and resolves nothing; LibCST's rename ran on {SAMPLE} of the files, extrapolated by bytes.",
        "",
        "| command | by the clock | CPU | largest process, MB |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {told} | {cells[name].told()} |" for name, told in TOLD.items()),
    ]
    return "\n".join([*head, "", "Bars:", "", *_bars(cells)])


def _bars(cells: dict[str, Cell]) -> list[str]:
    wall = {name: statistics.median(cell.wall) for name, cell in cells.items()}
    pairs = zip(cells["cold"].wall, cells["ast-grep"].wall, strict=True)
    grown = statistics.median(cells["more"].cpu) / statistics.median(cells["cold"].cpu)
    return [
        f"- cold inventory at most 0.15x `ast-grep run`: {statistics.median(one / other for one, other in pairs):.3f}x",
        f"- cached at most 0.25 s: {wall['cached']:.2f} s",
        f"- plan at most 1.5 s: {wall['plan']:.2f} s",
        f"- plan at least 300x faster than LibCST's rename with two processes: {wall['libcst'] / wall['plan']:.0f}x",
        f"- memory at most 300 MB: inventory {cells['cold'].megabytes:.0f}, plan {cells['plan'].megabytes:.0f}",
        f"- {TIMES_MORE} times the files in at most 11x the time: {grown:.1f}x (CPU)",
    ]


TOLD = {
    "cold": "`graphlift inventory`, nothing remembered",
    "cached": "`graphlift inventory`, again",
    "plan": "`graphlift codemod` (a plan), nothing remembered",
    "ast-grep": "`ast-grep run`",
    "libcst": "`libcst.tool codemod rename.RenameCommand -j 2 --no-format`",
    "more": f"`graphlift inventory` on {TIMES_MORE} times the files",
}

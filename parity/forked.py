"""What happens in a forked child: one run, or several of which none may leave anything behind for the next.

A child with one run writes its journal as it goes, so that a run that breaks is seen up to there. One with several writes
each journal when its run has ended, and says at the end whether the process is as it was: only then does any of them count.
"""

from __future__ import annotations

import contextvars
import functools
import gc
import json
import math
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from .case import Case
from .engine import Engine
from .observation import Side
from .observing import write_journal
from .processstate import Resets, process_state, what_lives_on
from .residue import UnverifiableError, fingerprint
from .running import Task

LIBRARIES = frozenset({"graphlift", "langchain_core", "langgraph"})
COLLECT = (20_000, 20, 50)
"""How rarely garbage is collected: a child does not live long, and a collection touches pages that it shares."""
GRACE = 5
"""Seconds after a run's limit at which a child ends by itself, whatever has become of its parent."""


def in_child(
    engines: Mapping[Side, Engine], cases: Mapping[str, Case], tasks: Sequence[Task], limits: Sequence[float], pipe: int
) -> NoReturn:
    """Carry out tasks and end. Never returns: not even an exception may reach the code that runs in the parent."""
    code = 70
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _silence()
        gc.set_threshold(*COLLECT)
        child = _Child(engines, cases, limits, pipe)
        if len(tasks) == 1:
            child.run(tasks[0], limits[0], functools.partial(_write, pipe, os.getpid()))
        else:
            child.run_all(tasks)
        code = 0
    finally:
        os._exit(code)


class _Child:
    def __init__(
        self, engines: Mapping[Side, Engine], cases: Mapping[str, Case], limits: Sequence[float], pipe: int
    ) -> None:
        self._engines, self._cases, self._limits, self._pipe = engines, cases, limits, pipe
        self._modules, self._owner = set(sys.modules), os.getpid()

    def run(self, task: Task, limit: float, tell: Any) -> None:
        # Whatever becomes of the parent, this process does not outlive its run.
        signal.alarm(math.ceil(limit) + GRACE)
        engine, case = self._engines[task.side], self._cases[task.case]
        write_journal(engine, case, lambda line: tell(line | self._libraries(line)), task.schedule, task.tape)

    def run_all(self, tasks: Sequence[Task]) -> None:
        """Stops as soon as something was left behind; the parent then runs each of the tasks by itself."""
        roots = [*self._engines.values(), *(self._cases[name] for name in dict.fromkeys(task.case for task in tasks))]
        spoiled: str | None = None
        try:
            watch = _Watch(roots)
            for number, (task, limit) in enumerate(zip(tasks, self._limits, strict=True), start=1):
                watch.resets.apply()
                lines: list[dict[str, Any]] = []
                contextvars.copy_context().run(self.run, task, limit, lines.append)
                spoiled = what_lives_on() or watch.look(number, last=number == len(tasks))
                _write(self._pipe, self._owner, *lines)
                if spoiled:
                    break
        except UnverifiableError as error:
            spoiled = str(error)
        _write(self._pipe, self._owner, {"on": "together", "spoiled": spoiled})

    def _libraries(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """With a journal's last line: the libraries of graphlift's own that the run imported.

        The parent imports them too, so that the children after this one need not. Nothing of the user's is among them: what
        its import does belongs to the run.
        """
        if line["on"] != "seen":
            return {}
        new = set(sys.modules) - self._modules
        self._modules |= new
        return {"libraries": sorted(name for name in new if name.split(".")[0] in LIBRARIES)}


class _Watch:
    """Compares the process with what it was before the first run."""

    def __init__(self, roots: Sequence[object]) -> None:
        self._roots = roots
        self.resets = Resets.taken()
        self._before = process_state()
        self._print = fingerprint(roots)

    def look(self, number: int, *, last: bool) -> str | None:
        """What was left behind, looked for after runs 1, 3, 7, 15 …: odd, so that what flips with each run is seen."""
        if not last and number & (number + 1):
            return None
        now = process_state()
        changed = next((name for name, state in self._before.items() if now[name] != state), None)
        if changed is None and fingerprint(self._roots) != self._print:
            return "an object of the user's"
        return changed


def _silence() -> None:
    """What user code prints must not mix with the report; nothing can be read from the terminal."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    # Whoever runs this process (pytest, say) may have put streams of its own in their place.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(n, "w", errors="replace", closefd=False) for n in (1, 2))  # noqa: SIM115


def _write(pipe: int, owner: int, *lines: dict[str, Any]) -> None:
    """Nothing in a process that user code forked off: its answer must not stand for that of the run's own process."""
    if os.getpid() != owner:
        return
    data = memoryview(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    while data:
        data = data[os.write(pipe, data) :]

"""A pool that runs every task in a child process of its own, forked from this one.

So every run starts from the same state, whatever ran before it, beside it, or under how many jobs. A hang, a crash, a fork
bomb or `os._exit` costs one run, and what had been seen until then is kept: the child writes its journal as it goes. POSIX
only; this process must have no other threads of its own (a lock that another thread holds would never be released).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import math
import os
import selectors
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from .case import Case
from .engine import Engine
from .observation import JournalReader, Observation, Side
from .observing import write_journal
from .running import Task

READ = 1 << 16
LIBRARIES = frozenset({"graphlift", "langchain_core", "langgraph"})


@dataclass
class _Child:
    task: Task
    pid: int
    pipe: int
    ends_at: float
    limit: float
    pending: bytearray = field(default_factory=bytearray)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def take(self, data: bytes) -> None:
        self.pending += data
        *whole, rest = self.pending.split(b"\n")
        self.pending = bytearray(rest)
        self.lines.extend(json.loads(line) for line in whole if line)

    @property
    def told_all(self) -> bool:
        return bool(self.lines) and self.lines[-1]["on"] == "seen"


class Forking:
    """Runs tasks in forked children, at most `jobs` at once; each has `timeout` seconds, or the case's own limit."""

    def __init__(
        self, engines: Mapping[Side, Engine], cases: Mapping[str, Case], *, jobs: int = 1, timeout: float = 30.0
    ) -> None:
        self._engines, self._cases = engines, cases
        self._jobs, self._timeout = max(1, jobs), timeout
        self._tasks: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Add a task."""
        self._tasks.append(task)

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Give each task when its child has told all, or was killed. Closing the iterator kills what still runs."""
        # Objects that exist now are shared with every child; a collection in a child would copy their pages.
        gc.collect()
        gc.freeze()
        running: dict[int, _Child] = {}
        with selectors.DefaultSelector() as selector:
            try:
                while self._tasks or running:
                    while self._tasks and len(running) < self._jobs:
                        child = self._start(self._tasks.popleft(), running)
                        running[child.pipe] = child
                        selector.register(child.pipe, selectors.EVENT_READ)
                    for child in _ready(selector, running):
                        selector.unregister(child.pipe)
                        del running[child.pipe]
                        yield child.task, self._ended(child)
            finally:
                for child in running.values():
                    _end(child)
                gc.unfreeze()

    def _start(self, task: Task, others: Mapping[int, _Child]) -> _Child:
        ours, theirs = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns where a thread exists, idle or not
            pid = os.fork()
        if pid == 0:
            for pipe in (ours, *others):
                os.close(pipe)
            self._in_child(task, theirs)
        os.close(theirs)
        limit = self._cases[task.case].timeout or self._timeout
        return _Child(task, pid, ours, time.monotonic() + limit, limit)

    def _in_child(self, task: Task, pipe: int) -> NoReturn:
        """Never returns: not even an exception may reach the code that runs in the parent."""
        code = 70
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # Whatever becomes of the parent, this process does not outlive its run.
            signal.alarm(math.ceil(self._cases[task.case].timeout or self._timeout) + 5)
            _silence()
            engine, case = self._engines[task.side], self._cases[task.case]
            before = set(sys.modules)
            tell = functools.partial(_write, pipe)
            write_journal(engine, case, lambda line: tell(line | _libraries(line, before)), task.schedule, task.tape)
            code = 0
        finally:
            os._exit(code)

    def _ended(self, child: _Child) -> Observation:
        late = time.monotonic() >= child.ends_at
        status, was_running = _end(child)
        reader = JournalReader(child.task.side, self._engines[child.task.side].name).read(child.lines)
        for name in reader.seen.get("libraries", ()):
            importlib.import_module(name)
        if not child.told_all:
            hung = late and was_running
            error = f"did not end within {child.limit:g} s" if hung else _told(status)
            reader.read([{"on": "broken", "kind": "timeout" if hung else "crashed", "error": error}])
        return reader.observation()


def _ready(selector: selectors.BaseSelector, running: Mapping[int, _Child]) -> list[_Child]:
    """Wait for something to happen; the children that have told all, have died, or are out of time."""
    now = time.monotonic()
    wait = max(0.0, min(child.ends_at for child in running.values()) - now)
    done = []
    for key, _ in selector.select(wait):
        child = running[key.fd]
        data = os.read(child.pipe, READ)
        child.take(data)
        if not data or child.told_all:
            done.append(child)
    late = (child for child in running.values() if time.monotonic() >= child.ends_at and child not in done)
    return [*done, *late]


def _end(child: _Child) -> tuple[int, bool]:
    """Kill the child with everything that it started; its wait status, and whether it was still running."""
    reaped, status = os.waitpid(child.pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if not reaped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        _, status = os.waitpid(child.pid, 0)
    os.close(child.pipe)
    return status, not reaped


def _told(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"its process was killed by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"


def _libraries(line: Mapping[str, Any], before: set[str]) -> dict[str, Any]:
    """With a journal's last line: the libraries of graphlift's own that the run imported.

    This process imports them too, so that the children after this one need not. Nothing of the user's is among them: what
    its import does belongs to the run.
    """
    if line["on"] != "seen":
        return {}
    return {"libraries": sorted(name for name in set(sys.modules) - before if name.split(".")[0] in LIBRARIES)}


def _silence() -> None:
    """What user code prints must not mix with the report; nothing can be read from the terminal."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    # Whoever runs this process (pytest, say) may have put streams of its own in their place.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(n, "w", errors="replace", closefd=False) for n in (1, 2))  # noqa: SIM115


def _write(pipe: int, line: dict[str, Any]) -> None:
    data = memoryview(json.dumps(line).encode() + b"\n")
    while data:
        data = data[os.write(pipe, data) :]

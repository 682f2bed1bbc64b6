"""A pool of one worker process, started afresh: for systems without `fork`, and for a process that has threads.

The worker loads the engines and cases itself (`Load`, which must be picklable) and answers runs one at a time over a pipe,
as JSON lines. It is replaced when it dies or when a run takes too long; what had been seen until then is kept.
"""

from __future__ import annotations

import contextlib
import functools
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Literal

from ..adapters.errors import EnvironmentProblem
from .case import Case, expand_cases
from .cassette import Tape
from .engine import Engine
from .forking import TOGETHER, Forking
from .observation import JournalReader, Observation, Side
from .plain import error_text
from .running import Pool, Task

Load = Callable[[], tuple[Sequence[Engine], Sequence[Case]]]
START_SECONDS = 60.0
LOOK_SECONDS = 0.25
READY = "ready"


Isolate = Literal["batch", "run"]
"""Whether runs may share a process on trial (see `forking`), or each has its own. Results are the same."""


def isolated(
    load: Load, *, jobs: int = 1, timeout: float = 30.0, keep: bool = False, isolate: Isolate = "run"
) -> Callable[..., Pool]:
    """What makes the pool for `run_gate`: forked children where that is safe, else one fresh worker process.

    `keep` lets the worker live on for the next tasks; whoever asks for it calls the pool's `close`, where it has one.
    """
    together = TOGETHER if isolate == "batch" else 1

    def make(engines: Mapping[Side, Engine], cases: Mapping[str, Case]) -> Pool:
        if hasattr(os, "fork") and threading.active_count() == 1:
            return Forking(engines, cases, jobs=jobs, timeout=timeout, together=together)
        return Spawned(engines, cases, load, timeout=timeout, keep=keep)

    return make


class Spawned:
    """Runs tasks in one worker process; each has `timeout` seconds, or the case's own limit."""

    def __init__(
        self,
        engines: Mapping[Side, Engine],
        cases: Mapping[str, Case],
        load: Load,
        *,
        timeout: float = 30.0,
        keep: bool = False,
    ) -> None:
        self._keep = keep
        self._engines, self._cases, self._load, self._timeout = engines, cases, load, timeout
        self._tasks: deque[Task] = deque()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._number = 0

    def submit(self, task: Task) -> None:
        """Add a task."""
        self._tasks.append(task)

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Run and give the tasks in order. Closing the iterator ends the worker, unless it is kept."""
        try:
            while self._tasks:
                task = self._tasks.popleft()
                yield task, self._run(task)
        finally:
            if not self._keep:
                self.close()

    def close(self) -> None:
        """End the worker."""
        self._stop()

    def _run(self, task: Task) -> Observation:
        reader = JournalReader(task.side, self._engines[task.side].name)
        pipe = self._ready()
        limit = self._cases[task.case].timeout or self._timeout
        self._number += 1
        try:
            pipe.send_bytes(
                json.dumps([self._number, task.side, task.case, task.schedule, task.tape.to_json()]).encode()
            )
            self._collect(pipe, reader, time.monotonic() + limit)
        except (EOFError, OSError):
            return _broken(reader, "crashed", _told(self._stop()))
        if not reader.seen:
            self._stop()
            return _broken(reader, "timeout", f"did not end within {limit:g} s")
        return reader.observation()

    def _collect(self, pipe: Connection, reader: JournalReader, deadline: float) -> None:
        """Read the journal until its last line has come, or time is over."""
        while not reader.seen and (left := deadline - time.monotonic()) > 0:
            if not pipe.poll(min(left, LOOK_SECONDS)):
                # A child of user code may hold the pipe open after the worker itself has gone.
                if not self._process.is_alive() and not pipe.poll():
                    raise EOFError
                continue
            number, line = json.loads(pipe.recv_bytes())
            if number == self._number:  # else a thread that outlived its run
                reader.read([line])

    def _ready(self) -> Connection:
        if self._pipe is not None:
            return self._pipe
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._load), daemon=False)
        self._process.start()
        theirs.close()
        self._pipe = ours
        said = _first_word(ours)
        if said != READY:
            code = self._stop()
            raise EnvironmentProblem(
                f"a worker process could not load the engines and cases: {said or _told(code)}",
                mend="run with --in-process to see where",
            )
        return ours

    def _stop(self) -> int | None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is None:
            return None
        # One that crashed is about to end by itself, with the exit code that the report needs.
        self._process.join(0.5)
        if self._process.is_alive():
            _kill_all(self._process)
            self._process.join()
        code: int | None = self._process.exitcode
        self._process = None
        return code


def _first_word(pipe: Connection) -> str:
    try:
        return pipe.recv_bytes().decode() if pipe.poll(START_SECONDS) else f"not ready within {START_SECONDS:g} s"
    except (EOFError, OSError):
        return ""


def _broken(reader: JournalReader, kind: str, error: str) -> Observation:
    return reader.read([{"on": "broken", "kind": kind, "error": error}]).observation()


def _told(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its process was killed by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"


def _kill_all(process: Any) -> None:
    """Kill the worker and whatever it started; it leads a process group of its own where the system has them."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _serve(pipe: Connection, load: Load) -> None:
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if hasattr(os, "setpgid"):
        # Ctrl-C is for the parent, which then ends this process; and children of user code end with it.
        os.setpgid(0, 0)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    from .observing import write_journal

    try:
        engines, cases = load()
        by_side = {engine.side: engine for engine in engines}
        by_id = {case.id: case for case in expand_cases(cases)}
    except Exception as error:
        pipe.send_bytes(error_text(error).encode("utf-8", "backslashreplace"))
        return
    pipe.send_bytes(READY.encode())
    lock = threading.Lock()

    def send(number: int, line: dict[str, Any]) -> None:
        data = json.dumps([number, line]).encode()
        with lock:
            pipe.send_bytes(data)

    while True:
        try:
            number, side, name, schedule, tape = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        tell = functools.partial(send, number)
        write_journal(by_side[side], by_id[name], tell, schedule, Tape.from_json(tape))


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

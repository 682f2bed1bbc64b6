"""Observing in a worker process: a hang, a crash or `os._exit` costs the run it happens in, and is reported as such.

A worker loads the engines and cases itself (`Load`, which must be picklable) and answers runs one at a time over a pipe,
as JSON bytes. Every activation is told when it begins and when it ends, so that a run which is killed has a trace up to
then. What user code prints goes to standard error, so that a report on standard output stays whole.
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
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from ..adapters.errors import EnvironmentProblem
from .model import Activation, Case, Engine, Observation

Load = Callable[[], tuple[Sequence[Engine], Sequence[Case]]]
START_SECONDS = 60.0
LOOK_SECONDS = 0.25
READY = "ready"


class Isolated:
    """An observer that runs in one worker process, replaced when it dies or a run takes longer than its limit.

    `timeout` is seconds for one run; a case's own limit goes before it. Raises `EnvironmentProblem` where a worker cannot
    load what it must run. Not for use by several threads at once.
    """

    def __init__(self, load: Load, timeout: float) -> None:
        self._load, self._timeout = load, timeout
        self._process: Any = None
        self._pipe: Connection | None = None
        self._run = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def pid(self) -> int | None:
        """The worker's process, if one is running."""
        found: int | None = self._process.pid if self._process else None
        return found

    def __call__(self, engine: Engine, case: Case, seed: int) -> Observation:
        """Run one engine on one case under a seed."""
        pipe = self._ready()
        limit = case.timeout or self._timeout
        trace: dict[int, Activation] = {}
        self._run += 1
        try:
            pipe.send_bytes(json.dumps([self._run, engine.side, case.id, seed]).encode())
            answer = self._collect(pipe, trace, time.monotonic() + limit)
        except (EOFError, OSError):
            code = self._stop()
            return Observation(engine.name, engine.side, "crashed", trace=_ordered(trace), error=_told(code))
        if answer is None:
            self._stop()
            text = f"no result within {limit:g} s"
            return Observation(engine.name, engine.side, "timeout", trace=_ordered(trace), error=text)
        return Observation.from_json({**answer, "trace": [item.to_json() for item in _ordered(trace)]})

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

    def _collect(self, pipe: Connection, trace: dict[int, Activation], deadline: float) -> dict[str, Any] | None:
        """Read activations into `trace` until the result comes; None when it does not come in time."""
        while (left := deadline - time.monotonic()) > 0:
            if not pipe.poll(min(left, LOOK_SECONDS)):
                # A child of user code may hold the pipe open after the worker itself has gone.
                if not self._process.is_alive() and not pipe.poll():
                    raise EOFError
                continue
            run, kind, data = json.loads(pipe.recv_bytes())
            if run != self._run:
                # A thread that outlived its run.
                continue
            if kind == "result":
                found: dict[str, Any] = data
                return found
            if kind == "end":
                data = {**trace[data["begin"]].to_json(), **data}
            trace[data["begin"]] = Activation.from_json(data)
        return None

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


def _ordered(trace: dict[int, Activation]) -> tuple[Activation, ...]:
    return tuple(trace[begin] for begin in sorted(trace))


def _told(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by signal {-code}"
    return f"exit code {code}"


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
    from .observing import observe

    try:
        engines, cases = load()
        by_side = {engine.side: engine for engine in engines}
        by_id = {case.id: case for case in cases}
    except Exception as error:
        pipe.send_bytes(f"{type(error).__name__}: {error}".encode("utf-8", "surrogatepass"))
        return
    pipe.send_bytes(READY.encode())
    lock = threading.Lock()

    def send(run: int, kind: str, data: dict[str, Any]) -> None:
        text = json.dumps([run, kind, data])
        with lock:
            pipe.send_bytes(text.encode("utf-8", "surrogatepass"))

    while True:
        try:
            run, side, name, seed = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        observation = observe(by_side[side], by_id[name], seed, functools.partial(_tell, functools.partial(send, run)))
        send(run, "result", {**observation.to_json(), "trace": []})


def _tell(send: Callable[[str, dict[str, Any]], None], activation: Activation) -> None:
    data = activation.to_json()
    if activation.end is None:
        send("begin", data)
    else:
        # The parent has what it saw from its beginning.
        del data["saw"]
        send("end", data)


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

"""Observing in a worker process: a hang, a crash or `os._exit` costs the run it happens in, and is reported as such.

A worker loads the engines and cases itself (`Load`, which must be picklable) and answers runs one at a time over a pipe,
as JSON bytes. What user code prints goes to standard error, so that a report on standard output stays whole.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

from .model import Case, Engine, Observation

Load = Callable[[], tuple[Sequence[Engine], Sequence[Case]]]
START_SECONDS = 60.0


class Isolated:
    """An observer that runs in one worker process, replaced when it dies or takes longer than `timeout` seconds a run."""

    def __init__(self, load: Load, timeout: float) -> None:
        self._load, self._timeout = load, timeout
        self._process: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __call__(self, engine: Engine, case: Case, seed: int) -> Observation:
        """Run one engine on one case under a seed."""
        pipe = self._ready()
        try:
            pipe.send_bytes(json.dumps([engine.side, case.id, seed]).encode())
            if not pipe.poll(self._timeout):
                self._stop()
                return Observation(engine.name, engine.side, "timeout", error=f"no result within {self._timeout:g} s")
            return Observation.from_json(json.loads(pipe.recv_bytes()))
        except (EOFError, OSError):
            code = self._stop()
            return Observation(engine.name, engine.side, "crashed", error=_told(code))

    def _ready(self) -> Connection:
        if self._pipe is not None:
            return self._pipe
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._load), daemon=False)
        self._process.start()
        theirs.close()
        if not ours.poll(START_SECONDS) or ours.recv_bytes() != b"ready":
            self._stop()
            raise RuntimeError("the worker process did not start")
        self._pipe = ours
        return ours

    def _stop(self) -> int | None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is None:
            return None
        self._process.join(0.5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code: int | None = self._process.exitcode
        self._process = None
        return code


def _told(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by signal {-code}"
    return f"exit code {code}"


def _serve(pipe: Connection, load: Load) -> None:
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from .observing import observe

    engines, cases = load()
    by_side = {engine.side: engine for engine in engines}
    by_id = {case.id: case for case in cases}
    pipe.send_bytes(b"ready")
    while True:
        try:
            side, name, seed = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        observation = observe(by_side[side], by_id[name], seed)
        pipe.send_bytes(json.dumps(observation.to_json()).encode("utf-8", "surrogatepass"))

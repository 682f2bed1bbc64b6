"""What a run can change in the interpreter and the process around it, other than objects that user code holds (`residue`).

What a new process has anew (random numbers, the counters that name threads) a run gets anew; the rest is compared.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import concurrent.futures.thread
import gc
import itertools
import locale
import logging
import os
import random
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .libraries import is_library

PATIENCE = 0.2
"""Seconds that a thread whose run has ended may take to end too."""


def process_state() -> dict[str, object]:
    """Everything that is compared, by what it is called in a report."""
    return {
        "the working directory": _working_directory(),
        "the environment": (dict(os.environ), time.tzname, _locale()),
        "signal handlers": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
        "open files": _open_files(),
        "the import system": (list(sys.path), list(map(id, sys.meta_path)), list(map(id, sys.path_hooks))),
        "imported modules": sorted(name for name in list(sys.modules) if not is_library(name)),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold(), gc.isenabled()),
        "a trace": (sys.gettrace(), sys.getprofile()),
        "standard streams": tuple(map(id, (sys.stdin, sys.stdout, sys.stderr))),
        "hooks": (id(sys.excepthook), id(threading.excepthook), id(sys.unraisablehook), id(sys.displayhook)),
        "builtins": {name: id(value) for name, value in vars(builtins).items() if name != "_"},
        "warnings": [(item[0], str(item[1]), item[2], str(item[3]), item[4]) for item in warnings.filters],
        "logging": (logging.root.level, logging.root.disabled, [id(item) for item in logging.root.handlers]),
        "functions to call at exit": atexit._ncallbacks(),
        "the event loop policy": _policy(),
        "the timeout of sockets": socket.getdefaulttimeout(),
    }


def what_lives_on() -> str | None:
    """A thread or a child process that a run has left running; None when it has ended, or ends within a moment."""
    give_up = time.monotonic() + PATIENCE
    while _threads() > 1:
        if time.monotonic() > give_up:
            return "a thread"
        time.sleep(0.001)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return "a child process"


@dataclass(frozen=True)
class Resets:
    """What is set back before each run. `taken` notes it as it is now."""

    each: tuple[Callable[[], object], ...]

    @classmethod
    def taken(cls) -> Resets:
        """What there is to set back."""
        return cls(tuple(_resets()))

    def apply(self) -> None:
        """Set it back."""
        for one in self.each:
            one()


def _resets() -> Iterator[Callable[[], object]]:
    yield random.seed  # as Python itself does in every process that is forked
    for owner, name in _COUNTERS:
        if (reset := _counter(owner, name)) is not None:
            yield reset
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        numbers = numpy.get_state()
        yield lambda: numpy.set_state(numbers)


_COUNTERS: tuple[tuple[Any, str], ...] = (
    (threading, "_counter"),
    (concurrent.futures.thread.ThreadPoolExecutor, "_counter"),
)
"""Where the standard library counts what it names, `Thread-1` and `ThreadPoolExecutor-0_0`; that of tasks is out of reach."""


def _counter(owner: Any, name: str) -> Callable[[], None] | None:
    counter = getattr(getattr(owner, name, None), "__self__", None)
    if not isinstance(counter, itertools.count):
        return None
    at = int(repr(counter)[len("count(") : -1])
    return lambda: setattr(owner, name, itertools.count(at).__next__)


def _threads() -> int:
    """Native ones too, where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError:
        return threading.active_count()


def _open_files() -> list[tuple[int, int, int]]:
    found = []
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        try:
            status = os.fstat(int(name))
        except OSError:  # the one that the listing itself had open
            continue
        found.append((int(name), status.st_dev, status.st_ino))
    return sorted(found)


def _working_directory() -> tuple[str, int]:
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        return str(Path.cwd()), mask
    except FileNotFoundError:
        return "", mask


def _policy() -> int | None:
    policy = getattr(asyncio.events, "_event_loop_policy", None)
    # The default one is made when it is first asked for.
    return None if policy is None or type(policy).__module__.startswith("asyncio.") else id(policy)


def _locale() -> str:
    return locale.setlocale(locale.LC_ALL)

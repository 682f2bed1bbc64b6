"""What a worker of a cluster does: hands portions to a helper process of its own, and keeps it for the next ones."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..isolation import Load

HELPER = f"{__package__}.helper"
_IDLE: dict[str, list[Helper]] = {}
_GUARD = threading.Lock()


class LostHelperError(Exception):
    """The helper process went away in the middle of a portion."""


class Helper:
    """A helper process. Thread-safe only in that two threads never get the same one from `carried_out`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-m", HELPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Its answer. Raises `LostHelperError`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(data).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            self.close()
            raise LostHelperError("the helper process of a worker went away")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        self._process.kill()
        self._process.wait()


def carried_out(gate: str, load: Load, root: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The journals of a portion, or `{"problem": text}`. `gate` is one gate's name: its helpers are kept until `close`."""
    with _GUARD:
        idle = _IDLE.setdefault(gate, [])
        helper = idle.pop() if idle else None
    if helper is None:
        helper = Helper()
        loaded = helper.ask({"load": base64.b64encode(pickle.dumps(load)).decode(), "root": root})
        if "problem" in loaded:
            helper.close()
            return {**loaded, "worker": _here()}
    answer = helper.ask(data)
    with _GUARD:
        _IDLE.setdefault(gate, []).append(helper)
    return {**answer, "worker": _here()}


def close(gate: str) -> None:
    """End the idle helpers of one gate."""
    with _GUARD:
        helpers = _IDLE.pop(gate, [])
    for helper in helpers:
        helper.close()


def looks(root: str) -> str | None:
    """What keeps this host from carrying runs out, as far as that shows without loading anything; None if nothing does."""
    import os

    if not hasattr(os, "fork"):
        return "its system cannot fork processes"
    return None if Path(root).is_dir() else f"there is no folder {root}"


def _here() -> str:
    """The address of the worker that this process is."""
    from distributed import get_worker

    address: str = get_worker().address
    return address

"""A process that loads a project's engines and cases, and carries out portions in forked children: `python -m` this module.

A worker of a cluster has threads, so it must not fork; this process has none. Portions come in and journals go out as JSON
lines, on the standard streams that it was given; user code gets others.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...adapters.errors import GraphliftError
from ..case import expand_cases
from ..forking import Forking
from ..plain import error_text
from .portion import Portion, difference, evidence_of


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = _streams()
    pools: dict[tuple[float, int], Forking] = {}
    engines: Any = None
    cases: Any = {}
    root = Path()
    for line in requests:
        data = json.loads(line)
        try:
            if "load" in data:
                root = Path(data["root"])
                given = pickle.loads(base64.b64decode(data["load"]))()  # noqa: S301  # from the process that started this one
                engines = {engine.side: engine for engine in given[0]}
                cases = {case.id: case for case in expand_cases(given[1])}
                answer: dict[str, Any] = {"ready": True}
            else:
                answer = _carried_out(Portion.from_json(data), engines, cases, root, pools)
        except GraphliftError as error:
            answer = {"problem": str(error)}
        except (Exception, SystemExit) as error:
            answer = {"problem": error_text(error)}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _carried_out(
    portion: Portion, engines: Any, cases: Any, root: Path, pools: dict[tuple[float, int], Forking]
) -> dict[str, Any]:
    other = difference(portion.evidence, evidence_of(portion.tasks, engines, cases, root))
    if other is not None:
        return {"problem": f"it has {other}"}
    how = (portion.timeout, portion.together)
    pool = pools.setdefault(how, Forking(engines, cases, timeout=how[0], together=how[1]))
    for task in portion.tasks:
        pool.submit(task)
    return {"journals": list(_numbered(pool, portion))}


def _numbered(pool: Forking, portion: Portion) -> Iterator[list[Any]]:
    numbers = {task: number for number, task in enumerate(portion.tasks)}
    for task, journal in pool.journals():
        yield [numbers[task], journal]


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes of whoever started this process, out of the reach of what user code prints and reads."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Were a child to hold them open, nobody would see that this process has gone.
    for pipe in (requests, answers):
        os.register_at_fork(after_in_child=functools.partial(os.close, pipe.fileno()))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    return requests, answers


if __name__ == "__main__":
    main()

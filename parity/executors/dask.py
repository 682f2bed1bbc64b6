"""A dask cluster: `dask://HOST:PORT`, or `dask://local` for one of this host's own, for as long as the gate runs.

Workers must have graphlift installed and the project's folder at the same path, with the same content: each portion of
tasks carries the evidence of what it is about, and a worker that has anything else is named in an error. What a run does to its
process stays in forked children there as here. A worker that is lost costs a retry of what it had, each task by itself; a
task that loses its worker twice is a crash of its case.
"""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...adapters.errors import EnvironmentProblem, UsageError
from ..case import Case
from ..engine import Engine
from ..forking import TOGETHER
from ..gate import MakePool
from ..observation import JournalReader, Observation, Side
from ..running import Pool, Task
from . import remote
from .executor import Plan
from .portion import Portion

WAIT_SECONDS = 15.0
"""For the scheduler to answer, and for a first worker to be there."""
LOSSES = 2
"""How often a task may lose its worker: once is retried."""


@dataclass(frozen=True)
class DaskExecutor:
    """Needs the extra `dask`."""

    id: str = "dask"
    summary: str = "the workers of a dask cluster, dask://HOST:PORT; dask://local starts one here"

    def pool(self, address: str, plan: Plan) -> MakePool:
        """The pool. It connects when its first result is asked for."""
        if address != "local" and not re.fullmatch(r"(?:(?:tcp|tls)://)?[^/\s]+:\d+", address):
            raise UsageError(
                f"--executor: dask://{address} is no address of a scheduler",
                mend="write dask://HOST:PORT, or dask://local",
            )
        try:
            import distributed
        except ImportError:
            raise EnvironmentProblem(
                "--executor dask://… needs the package distributed", mend="pip install 'graphlift[dask]'"
            ) from None

        def make(engines: Mapping[Side, Engine], cases: Mapping[str, Case]) -> Pool:
            return _DaskPool(distributed, address, plan, engines, cases)

        return make


class _DaskPool:
    def __init__(
        self,
        distributed: Any,
        address: str,
        plan: Plan,
        engines: Mapping[Side, Engine],
        cases: Mapping[str, Case],
    ) -> None:
        self._dask, self._address, self._plan = distributed, address, plan
        self._engines, self._cases = engines, cases
        self._together = TOGETHER if plan.isolate == "batch" else 1
        self._gate = uuid.uuid4().hex
        self._tasks: deque[Task] = deque()
        self._lost: deque[Task] = deque()
        self._losses: Counter[Task] = Counter()

    @property
    def shares(self) -> bool:
        """Whether runs may share a process."""
        return self._together > 1

    def submit(self, task: Task) -> None:
        """Add a task."""
        self._tasks.append(task)

    def finished(self) -> Iterator[tuple[Task, Observation]]:
        """Give each task when its worker has told. Closing the iterator gives up what still runs."""
        if not self._tasks:
            return
        with self._connected() as client:
            threads = _threads(client, str(self._plan.root))
            sent: dict[Any, tuple[Task, ...]] = {}
            done = self._dask.as_completed(loop=client.loop)
            try:
                while self._tasks or self._lost or sent:
                    # One more than there are threads, so that none waits for this process.
                    while (self._tasks or self._lost) and len(sent) <= threads:
                        tasks = self._portion(threads)
                        future = self._send(client, tasks)
                        sent[future] = tasks
                        done.add(future)
                    future = next(done)
                    yield from self._told(sent.pop(future), future)
                    future.release()
            finally:
                client.cancel(list(sent))

    def _portion(self, threads: int) -> tuple[Task, ...]:
        if self._lost:
            return (self._lost.popleft(),)
        size = max(1, min(TOGETHER, -(-len(self._tasks) // threads)))
        return tuple(self._tasks.popleft() for _ in range(size))

    def _send(self, client: Any, tasks: Sequence[Task]) -> Any:
        how = {"timeout": self._plan.timeout, "together": self._together}
        root = self._plan.root
        portion = Portion.of(tasks, self._engines, self._cases, root, **how)
        return client.submit(remote.carried_out, self._gate, self._plan.load, str(root), portion.to_json(), pure=False)

    def _told(self, tasks: tuple[Task, ...], future: Any) -> Iterator[tuple[Task, Observation]]:
        if future.status == "finished":
            answer = future.result()
            if "problem" in answer:
                raise _unfit(answer["worker"], answer["problem"])
            for number, journal in answer["journals"]:
                yield tasks[number], self._read(tasks[number], journal)
            return
        if future.status != "error":
            raise EnvironmentProblem(
                f"the dask scheduler at {self._address} went away", mend="look at its log, and run the gate again"
            )
        error = future.exception()
        if not isinstance(error, (self._dask.KilledWorker, remote.LostHelperError)):
            raise EnvironmentProblem(
                f"a dask worker failed: {type(error).__name__}: {error}",
                mend="install the same graphlift on every worker, with the project's folder at the same path",
            ) from error
        for task in tasks:
            self._losses[task] += 1
            if self._losses[task] < LOSSES:
                self._lost.append(task)
            else:
                broken = {
                    "on": "broken",
                    "kind": "crashed",
                    "error": "its worker was lost, and lost again when retried",
                }
                yield task, self._read(task, [broken])

    def _read(self, task: Task, journal: list[dict[str, Any]]) -> Observation:
        return JournalReader(task.side, self._engines[task.side].name).read(journal).observation()

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Any]:
        with contextlib.ExitStack() as stack:
            target: Any = f"tcp://{self._address}" if "://" not in self._address else self._address
            if self._address == "local":
                jobs = self._plan.jobs or os.cpu_count() or 1
                target = stack.enter_context(
                    self._dask.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0")
                )
            try:
                client = self._dask.Client(target, timeout=WAIT_SECONDS, set_as_default=False)
            except (OSError, TimeoutError) as error:
                raise EnvironmentProblem(
                    f"no dask scheduler answers at {self._address}: {error}",
                    mend="start one with `dask scheduler`, and workers with `dask worker`",
                ) from error
            stack.enter_context(client)
            try:
                yield client
            finally:
                with contextlib.suppress(Exception):
                    client.run(remote.close, self._gate, on_error="ignore")


def _threads(client: Any, root: str) -> int:
    """How many runs the workers carry out at once. Raises `EnvironmentProblem` for none, and for one that is not fit."""
    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
    except TimeoutError:
        raise EnvironmentProblem("the dask cluster has no worker", mend="start some with `dask worker`") from None
    for worker, said in sorted(client.run(remote.looks, root, on_error="return").items()):
        if said is not None:
            raise _unfit(worker, f"{type(said).__name__}: {said}" if isinstance(said, Exception) else said)
    threads: int = sum(client.nthreads().values())
    return max(1, threads)


def _unfit(worker: str, problem: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"the dask worker {worker} cannot run the cases: {problem}",
        mend="every worker needs the project's folder at the same path, as it is here, and the same packages",
    )

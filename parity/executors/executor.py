"""What an executor is, and which one an address means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ...adapters.errors import UsageError
from ..gate import MakePool
from ..isolation import Isolate, Load


@dataclass(frozen=True)
class Plan:
    """How runs are carried out.

    `load` gives the engines and cases in another process (picklable), `root` is the project's root, `jobs` how many runs at
    once on one host (0: one for each processor), `timeout` seconds for each run, `isolate` whether runs may share a process.
    """

    load: Load
    root: Path
    jobs: int = 0
    timeout: float = 30.0
    isolate: Isolate = "batch"


@runtime_checkable
class Executor(Protocol):
    """Makes pools. Its `id` is the scheme of the addresses that mean it: `dask` for `dask://host:8786`."""

    @property
    def id(self) -> str:
        """The scheme."""
        ...

    @property
    def summary(self) -> str:
        """One line that says where runs are carried out."""
        ...

    def pool(self, address: str, plan: Plan) -> MakePool:
        """What makes the pool. `address` is what follows `://`, often nothing. Raises `UsageError`, `EnvironmentProblem`."""
        ...


def make_pool(executors: Iterable[Executor], text: str, plan: Plan) -> MakePool:
    """The pool that an address such as `local` or `dask://host:8786` means. Raises `UsageError` for one that means none."""
    scheme, _, address = text.partition("://")
    known = {executor.id: executor for executor in executors}
    if scheme not in known:
        told = ", ".join(sorted(known)) or "none"
        raise UsageError(f"--executor: there is no executor {scheme!r}", mend=f"the executors are {told}")
    return known[scheme].pool(address, plan)

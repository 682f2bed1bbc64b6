"""Executors: where the gate's runs are carried out, by the scheme of an address. Registered through `graphlift_executors`.

An executor never decides what is run or what it means: whichever carries a run out, what is seen of it is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...adapters.markers import hookimpl

if TYPE_CHECKING:
    from .executor import Executor


def builtin_executors() -> tuple[Executor, ...]:
    """Every executor that graphlift ships, sorted by id."""
    from .dask import DaskExecutor
    from .local import LocalExecutor

    return (DaskExecutor(), LocalExecutor())


@hookimpl
def graphlift_executors() -> list[Executor]:
    """The built-in executors."""
    return list(builtin_executors())

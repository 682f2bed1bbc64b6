"""What an engine's run gives back, in one form for every engine. `reading.outcome_of` makes it from an engine's own result.

An engine that cannot show a part leaves it None: the gate then says that it was not seen, instead of comparing nothing with
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..adapters.results import NodeResult, WorkflowResult


class _Unseen:
    def __repr__(self) -> str:
        return "UNSEEN"


UNSEEN = _Unseen()
"""An output that the engine does not show, as opposed to one that is None."""


@dataclass(frozen=True)
class NodeEnd:
    """How one node ended.

    `runs` counts its activations, `reason` says why it was skipped; None (for `output` UNSEEN): the engine does not say.
    """

    status: str
    output: Any = UNSEEN
    error: str | None = None
    runs: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Pause:
    """Where a run waits for a person, and what the person is asked."""

    node: str
    payload: Any = None


@dataclass(frozen=True)
class Event:
    """One event of an engine's stream. Events are compared for each node by itself."""

    kind: str
    node: str = ""
    data: Any = None


class Waiting(Protocol):
    """A waiting edge that holds arrivals after the end, as `adapters.scheduler.stalled_edges` tells it."""

    @property
    def target(self) -> str:
        """The join that never ran."""
        ...

    @property
    def arrived(self) -> Sequence[str]:
        """The nodes that had written to it."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """The nodes that never came."""
        ...


@dataclass(frozen=True)
class Outcome:
    """The result of one run. `data` is the final state; `checkpoints` are the saved states, oldest first.

    `waiting` are the waiting edges that still hold arrivals, as `adapters.scheduler.stalled_edges(graph, config)` gives them.
    """

    success: bool | None = None
    data: Mapping[str, Any] | None = None
    nodes: Mapping[str, NodeEnd] | None = None
    error: str | None = None
    interrupt: Pause | None = None
    events: Sequence[Event] | None = None
    checkpoints: Sequence[Any] | None = None
    waiting: Sequence[Waiting] | None = None

    @classmethod
    def of(cls, result: WorkflowResult, **more: Any) -> Outcome:
        """The outcome that a neutral `WorkflowResult` tells; `more` adds events or checkpoints."""
        ends = dict(_ends(result.context.node_results.values()))
        pause = Pause(result.interrupt.node_id, result.interrupt.payload) if result.interrupt else None
        return cls(result.success, result.context.data, ends, result.error, pause, **more)


def _ends(results: Iterable[NodeResult]) -> Iterable[tuple[str, NodeEnd]]:
    for result in results:
        yield from _ends(result.children)
        reason = result.metadata.get("reason")
        yield result.node_id, NodeEnd(result.status.value, result.output, result.error, result.runs, reason)

"""The traces that a report shows of a diverging case: both runs, with the graph, in a form that is small and plain.

Every text is short and safe to show on a terminal or a page; digests say what is equal where the text does not. There is no
clock in it: activations that ran at once are sorted by name, so that one state of the code always gives the same traces.
`tracing` makes them. Nothing here runs, compares or judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..adapters.errors import UsageError
from .observation import Side

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MOST_CASES = 50
"""Diverging cases of which a report keeps the traces."""


@dataclass(frozen=True)
class Shown:
    """A value as text of some lines, cut where it is long, and the digest of the whole."""

    text: str
    digest: str


@dataclass(frozen=True)
class Step:
    """One activation. `wave` counts from 0 what had to end before it: steps of one wave ran at once, or could have.

    `after` are the node's sources that had ended since its activation before this one.
    """

    node: str
    activation: int
    wave: int
    saw: Shown
    returned: Shown | None = None
    raised: str | None = None
    ended: bool = True
    superstep: int | None = None
    after: tuple[str, ...] = ()
    mutated: tuple[str, ...] = ()


@dataclass(frozen=True)
class End:
    """How one node ended, as the engine says."""

    status: str
    output: Shown | None = None
    error: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class RunTrace:
    """One engine's run. `steps` are those from number `first` on of `total`; `counts` are of all of them.

    `broken` is the kind of a run that gave no outcome. `succeeded` None: the engine does not say.
    """

    engine: str
    traced: bool
    steps: tuple[Step, ...] = ()
    first: int = 0
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, End] = field(default_factory=dict)
    data: Shown | None = None
    succeeded: bool | None = None
    error: str | None = None
    broken: str | None = None
    interrupt: str | None = None


@dataclass(frozen=True)
class Graph:
    """The workflow, or its part around the first divergence; `left_out` are the other nodes' number.

    `sources` are each node's in-edges, `optional` the edges that a run may leave untaken, `loops` nodes that repeat, `groups`
    the parallel group of each branch.
    """

    sources: Mapping[str, tuple[str, ...]]
    optional: tuple[tuple[str, str], ...] = ()
    loops: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0


@dataclass(frozen=True)
class ValueDifference:
    """Where one value differs: a row (path, legacy, candidate) a place; `more` are the places left out.

    `what` is "saw", "returned", "raised", "status", "output" or "final data"; a run as a whole has no node.
    """

    what: str
    rows: tuple[tuple[str, str, str], ...]
    node: str | None = None
    activation: int | None = None
    more: int = 0


@dataclass(frozen=True)
class CaseTrace:
    """Both runs of one case. `first` is where they first diverge: a node and an activation. `graph` None: nothing tells it."""

    case: str
    legacy: RunTrace
    candidate: RunTrace
    graph: Graph | None = None
    first: tuple[str, int] | None = None
    schedule: str = ""
    differences: tuple[ValueDifference, ...] = ()

    def run(self, side: Side) -> RunTrace:
        """The run of one side."""
        return self.legacy if side == "legacy" else self.candidate

    def to_json(self) -> dict[str, Any]:
        """The file form."""
        return asdict(self)


def traces_from_json(data: Iterable[Any]) -> tuple[CaseTrace, ...]:
    """The traces of a report's file form. Raises UsageError for what is none."""
    from pydantic import ValidationError

    try:
        return tuple(_adapter().validate_python(item) for item in data)
    except (ValidationError, TypeError) as error:
        told = str(error).splitlines()[0]
        raise UsageError(
            f"a report's traces cannot be read: {told}", mend="run every shard with one version of graphlift"
        ) from None


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[CaseTrace]:
    from pydantic import TypeAdapter

    return TypeAdapter(CaseTrace)

"""The tap of a run that a caller waits for: it only copies; digests and journals are made later, on another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...adapters.views import NodeView, isolate
from ..cassette import Answer, answered
from ..observation import Activation, Broken, Observation
from ..observing import recorded_outcome
from ..outcome import NodeEnd, Outcome
from ..plain import error_text
from ..recorded import record
from ..seeing import view_content
from ..tap import Tap
from .budget import Room

Loss = Literal["activations", "memory", "waiting", "unattributed", "left", "no case", "switched off"]
"""Why a sampled run is not shadowed: too many activations, no room for its recording, too many runs waiting, an activation that
may be another run's, a stream that the caller left, a call that no case is made of, shadowing switched off."""

Tidy = Callable[[Any], Any]
"""A case's normaliser: what is compared and looked up is what it gives."""


@dataclass
class _Call:
    node: str
    ordinal: int
    begin: int
    seen: Any
    end: int | None = None
    returned: Any = None
    raised: BaseException | None = None


class CopyingTap(Tap):
    """A tap that keeps copies of what activations saw and returned, until there is no room, or as many as there may be.

    `lost` says why this run cannot be shadowed: it then holds nothing any more.
    """

    def __init__(self, most: int, room: Room) -> None:
        super().__init__(_nowhere)
        self._most, self._room = most, room
        self._calls: list[_Call] = []
        self._guard = threading.Lock()
        self._ticks = 0
        self._seen: dict[str, int] = {}
        self._bytes = 0
        self.lost: Loss | None = None

    def lose(self, why: Loss) -> None:
        """Give up this run, for the first reason there is."""
        with self._guard:
            self.lost = self.lost or why
            self._calls.clear()
        self.release()

    def release(self) -> None:
        """Give back the room; the recording itself may be used until it is let go of."""
        with self._guard:
            size, self._bytes = self._bytes, 0
        self._room.give(size)

    def copy(self, value: Any) -> Any:
        """A copy that is in this run's account, or None once the run is lost."""
        size = None if self.lost else self._room.take(value)
        if size is None:
            self.lose("memory")
            return None
        with self._guard:
            if not self.lost:
                self._bytes += size
                size = 0
        self._room.give(size)
        return isolate(value)

    def _arrive(self, node: str, seen: Any) -> Any:
        copy = self.copy(_dicts(seen))
        with self._guard:
            ordinal = self._seen[node] = self._seen.get(node, -1) + 1
            self._ticks += 1
            call = _Call(node, ordinal, self._ticks, copy)
            if len(self._calls) < self._most and not self.lost:
                self._calls.append(call)
                return call
        self.lose("activations")
        return call

    def _begin(self, opened: Any) -> Callable[[], Any] | None:
        del opened
        return None

    def _end(self, opened: Any, returned: Any, error: BaseException | None, *, answered: bool) -> None:
        del answered
        copy = self.copy(returned)
        with self._guard:
            self._ticks += 1
            opened.end, opened.returned, opened.raised = self._ticks, copy, error

    def activations(self, tidy: Tidy, give_way: Callable[[], None]) -> tuple[Activation, ...]:
        """What was seen so far, recorded now; `give_way` is called between them."""
        with self._guard:
            calls = [replace(call) for call in self._calls]
        return tuple(_activation(call, tidy, give_way) for call in calls)

    def answers(self, case: str, tidy: Tidy) -> Iterator[Answer]:
        """What each activation that ended answered, for the replay."""
        with self._guard:
            calls = [replace(call) for call in self._calls if call.end is not None]
        for call in calls:
            yield answered((case, call.node, call.ordinal), record(tidy(call.seen)), call.returned, call.raised)


class NoTap(Tap):
    """The tap of a run that is not sampled: nothing is wrapped."""

    def __init__(self) -> None:
        super().__init__(_nowhere)

    def wrap(self, node: Any, function: Callable[..., Any], *, sees: Any = None) -> Callable[..., Any]:
        """The function itself."""
        del node, sees
        return function

    def began(self, node: str, seen: Any) -> Any:
        """Nothing."""
        del node, seen

    def ended(self, opened: Any, returned: Any = None, error: BaseException | None = None) -> None:
        """Nothing."""
        del opened, returned, error


def _nowhere(line: dict[str, Any]) -> None:
    """Nothing is told while a caller waits."""


def _dicts(seen: Any) -> Any:
    """Mappings of other classes as dicts, two levels deep, so that a copy is one."""
    if isinstance(seen, NodeView):
        seen = view_content(seen)
    if not isinstance(seen, Mapping):
        return seen
    return {key: dict(value) if isinstance(value, Mapping) else value for key, value in seen.items()}


def _activation(call: _Call, tidy: Tidy, give_way: Callable[[], None]) -> Activation:
    give_way()
    ended = call.end is not None and call.raised is None
    return Activation(
        call.node,
        call.ordinal,
        call.begin,
        call.end,
        record(tidy(call.seen)),
        record(tidy(call.returned)) if ended else None,
        None if call.raised is None else error_text(call.raised),
    )


@dataclass(frozen=True)
class Served:
    """What the legacy engine did for a caller: the tap, and a copy of the outcome, or the error that the caller got."""

    tap: CopyingTap
    outcome: Outcome | None = None
    error: BaseException | None = None
    name: str = field(default="legacy")

    def observation(self, tidy: Tidy, give_way: Callable[[], None]) -> Observation:
        """As the gate sees a run."""
        activations = self.tap.activations(tidy, give_way)
        broken = None if self.error is None else Broken("raised" if activations else "refused", error_text(self.error))
        outcome = None if self.outcome is None else recorded_outcome(self.outcome, tidy)
        return Observation("legacy", self.name, activations, outcome, broken, traced=True)


def copied(outcome: Outcome, copy: Callable[[Any], Any]) -> Outcome:
    """The outcome apart from the caller's result, which the caller may change at once."""
    nodes: dict[str, NodeEnd] | None = None
    if outcome.nodes is not None:
        nodes = {name: replace(end, output=copy(end.output)) for name, end in outcome.nodes.items()}
    data = None if outcome.data is None else copy(dict(outcome.data))
    return replace(outcome, data=data, nodes=nodes)

"""An observation: all that was seen of one engine's run of one case. Frozen, JSON-able, built from a journal.

Nothing here runs or judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from .cassette import Answer
from .recorded import Value
from .shape import Shape

Side = Literal["legacy", "candidate"]
SIDES: tuple[Side, Side] = ("legacy", "candidate")

BreakKind = Literal["refused", "raised", "crashed", "timeout"]


@dataclass(frozen=True)
class Activation:
    """One execution of one node's body.

    `ordinal` counts the node's activations from 0. `begin` and `end` are on the run's clock; `end` None: it never ended.
    `mutated` are the dotted paths at which its body changed what it saw in place. `superstep` is known where the engine runs
    on LangGraph.
    """

    node: str
    ordinal: int
    begin: int
    end: int | None
    saw: Value
    returned: Value | None = None
    raised: str | None = None
    mutated: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()
    superstep: int | None = None

    @property
    def key(self) -> str:
        """How reports name it: `review#2` is the second activation of review."""
        return f"{self.node}#{self.ordinal + 1}"

    def before(self, other: Activation) -> bool:
        """Whether it had ended when `other` began."""
        return self.end is not None and self.end < other.begin


@dataclass(frozen=True)
class RecordedEnd:
    """How a node ended, with its output recorded; None: the engine does not show it."""

    status: str
    output: Value | None
    error: str | None = None
    runs: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class RecordedEvent:
    """One stream event, with its data recorded."""

    kind: str
    node: str
    data: Value


@dataclass(frozen=True)
class RecordedWait:
    """A waiting edge that holds arrivals after the end."""

    target: str
    arrived: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class RecordedOutcome:
    """What the engine gave back; a part that the engine does not show is None."""

    success: bool | None = None
    data: Mapping[str, Value] | None = None
    nodes: Mapping[str, RecordedEnd] | None = None
    error: str | None = None
    interrupt: tuple[str, Value] | None = None
    events: tuple[RecordedEvent, ...] | None = None
    checkpoints: tuple[Value, ...] | None = None
    waiting: tuple[RecordedWait, ...] | None = None


@dataclass(frozen=True)
class Broken:
    """Why there is no outcome: the engine refused the case before any node ran, raised, its process died, or it hung."""

    kind: BreakKind
    error: str


@dataclass(frozen=True)
class Observation:
    """What was seen of one run. `traced`: the engine wrapped at least one callable, so an empty trace means that none ran.

    `opaque` are the types in the outcome that could only be told by name, `loaded` the files of modules that the run loaded.
    """

    side: Side
    engine: str
    activations: tuple[Activation, ...] = ()
    outcome: RecordedOutcome | None = None
    broken: Broken | None = None
    traced: bool = False
    overlapped: bool = False
    misses: tuple[str, ...] = ()
    recordings: tuple[Answer, ...] = ()
    shape: Shape | None = None
    opaque: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()

    @cached_property
    def by_node(self) -> Mapping[str, tuple[Activation, ...]]:
        """The activations of each node, by ordinal."""
        found: dict[str, list[Activation]] = {}
        for activation in self.activations:
            found.setdefault(activation.node, []).append(activation)
        return {node: tuple(items) for node, items in found.items()}

    def runs(self, node: str) -> int | None:
        """How often the node ran: as the trace saw it, else as the engine says, else None."""
        if self.traced:
            traced = len(self.by_node.get(node, ()))
            if traced or node not in self.untapped:
                return traced
        end = self.ends.get(node)
        return end.runs if end else None

    @cached_property
    def untapped(self) -> frozenset[str]:
        """Nodes that the engine says completed although no tap saw them: conditions, groups, nodes without a tap."""
        return frozenset(
            name
            for name, end in self.ends.items()
            if name not in self.by_node and end.status in ("completed", "failed")
        )

    @property
    def ends(self) -> Mapping[str, RecordedEnd]:
        """How the nodes ended, as far as the engine shows it."""
        return (self.outcome.nodes if self.outcome else None) or {}

    @property
    def succeeded(self) -> bool | None:
        """Whether the run succeeded; a run that broke did not; None when the engine does not say."""
        return False if self.broken else self.outcome.success if self.outcome else None

    @property
    def error(self) -> str | None:
        """The run's error."""
        return self.broken.error if self.broken else self.outcome.error if self.outcome else None

    @property
    def unfinished(self) -> tuple[Activation, ...]:
        """Activations that had begun and never ended."""
        return tuple(item for item in self.activations if item.end is None)


@dataclass
class JournalReader:
    """Builds an observation from journal lines, in order."""

    side: Side
    engine: str
    activations: dict[tuple[str, int], Activation] = field(default_factory=dict)
    outcome: RecordedOutcome | None = None
    broken: Broken | None = None
    seen: dict[str, Any] = field(default_factory=dict)
    recordings: list[Answer] = field(default_factory=list)
    opaque: tuple[str, ...] = ()

    def read(self, lines: Iterable[Mapping[str, Any]]) -> JournalReader:
        """Take lines in."""
        for line in lines:
            getattr(self, f"_{line['on']}")(line)
        return self

    def _begin(self, line: Mapping[str, Any]) -> None:
        key = (line["node"], line["ordinal"])
        saw = Value.from_json(line["saw"])
        self.activations[key] = Activation(*key, line["at"], None, saw, superstep=line.get("superstep"))

    def _end(self, line: Mapping[str, Any]) -> None:
        key = (line["node"], line["ordinal"])
        begun = self.activations[key]
        returned = None if line["returned"] is None else Value.from_json(line["returned"])
        mutated, opaque = tuple(line["mutated"]), tuple(line["opaque"])
        self.activations[key] = replace(
            begun, end=line["at"], returned=returned, raised=line["raised"], mutated=mutated, opaque=opaque
        )

    def _outcome(self, line: Mapping[str, Any]) -> None:
        self.outcome = outcome_from_json(line["outcome"])
        self.opaque = tuple(line.get("opaque", ()))

    def _broken(self, line: Mapping[str, Any]) -> None:
        self.broken = Broken(line["kind"], line["error"])

    def _recorded(self, line: Mapping[str, Any]) -> None:
        self.recordings.append(Answer.from_json(line["answer"]))

    def _seen(self, line: Mapping[str, Any]) -> None:
        self.seen = dict(line)

    def observation(self) -> Observation:
        """The observation as far as the journal went."""
        ordered = tuple(sorted(self.activations.values(), key=lambda item: item.begin))
        traced = bool(self.seen.get("wrapped", bool(ordered)))
        overlapped = bool(self.seen.get("overlapped", False))
        misses = tuple(self.seen.get("misses", ()))
        return Observation(
            self.side,
            self.engine,
            ordered,
            self.outcome,
            self.broken,
            traced,
            overlapped,
            misses,
            tuple(self.recordings),
            opaque=self.opaque,
            loaded=tuple(self.seen.get("loaded", ())),
        )


def outcome_to_json(outcome: RecordedOutcome) -> dict[str, Any]:
    """JSON data; `outcome_from_json` gives an equal object back."""
    return {
        "success": outcome.success,
        "data": None if outcome.data is None else {key: value.to_json() for key, value in outcome.data.items()},
        "nodes": None if outcome.nodes is None else [_end_to_json(name, end) for name, end in outcome.nodes.items()],
        "error": outcome.error,
        "interrupt": None if outcome.interrupt is None else [outcome.interrupt[0], outcome.interrupt[1].to_json()],
        "events": None
        if outcome.events is None
        else [[item.kind, item.node, item.data.to_json()] for item in outcome.events],
        "checkpoints": _each(outcome.checkpoints),
        "waiting": None
        if outcome.waiting is None
        else [[edge.target, list(edge.arrived), list(edge.missing)] for edge in outcome.waiting],
    }


def _each(values: Sequence[Value] | None) -> list[Any] | None:
    return None if values is None else [value.to_json() for value in values]


def _end_to_json(name: str, end: RecordedEnd) -> list[Any]:
    return [name, end.status, end.output and end.output.to_json(), end.error, end.runs, end.reason]


def outcome_from_json(data: Mapping[str, Any]) -> RecordedOutcome:
    """The outcome that `outcome_to_json` described."""
    read = Value.from_json
    nodes, events, pause, saved = data["nodes"], data["events"], data["interrupt"], data["checkpoints"]
    waiting = data.get("waiting")
    return RecordedOutcome(
        data["success"],
        None if data["data"] is None else {key: read(value) for key, value in data["data"].items()},
        None if nodes is None else {row[0]: RecordedEnd(row[1], row[2] and read(row[2]), *row[3:]) for row in nodes},
        data["error"],
        None if pause is None else (pause[0], read(pause[1])),
        None if events is None else tuple(RecordedEvent(row[0], row[1], read(row[2])) for row in events),
        None if saved is None else tuple(read(value) for value in saved),
        None if waiting is None else tuple(RecordedWait(row[0], tuple(row[1]), tuple(row[2])) for row in waiting),
    )

"""What the gate compares: cases, engines, and what one engine showed on one case. Plain frozen data; nothing runs here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from .values import Value, plain_of

if TYPE_CHECKING:
    from .tap import Tap

Side = Literal["legacy", "candidate"]
Handlers = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Case:
    """One workflow with one set of inputs, to be run on both engines.

    `id` never changes: a baseline and a test run name it. `definition` is whatever both engines understand. `handlers`
    are the node handlers by the name that the engines look them up under, or a function that opens them afresh for every
    run as a context manager (a new database, say). `files` are paths, relative to the project's root, whose content
    defines the case; they are part of the evidence. `timeout` is seconds for one run; None is the project's setting.
    """

    id: str
    workflow: str
    definition: Any
    inputs: Mapping[str, Any] = field(default_factory=dict)
    handlers: Handlers | Callable[[], AbstractContextManager[Handlers]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    timeout: float | None = None

    @property
    def fingerprint(self) -> str:
        """A digest of everything but the handlers, the same in every process (64 hex digits)."""
        parts = [self.id, self.workflow, self.definition, dict(self.inputs), dict(self.options)]
        text = json.dumps(plain_of(parts), sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class NodeOutcome:
    """How one node ended: a status in the engine's own word (lower case), its output, its error, its branches."""

    status: str
    output: Value | None = None
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {"status": self.status, "output": self.output.to_json() if self.output else None, "error": self.error}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NodeOutcome:
        """The object that `to_json` described."""
        return cls(data["status"], Value.from_json(data["output"]) if data["output"] else None, data["error"])


@dataclass(frozen=True)
class Outcome:
    """What an engine gave back: success, the final data by key, every node's outcome, the error, what it waits for.

    None in `nodes` or `data` says that this engine does not show it; the report then says so, and nothing is compared.
    """

    success: bool
    data: Mapping[str, Value] | None = None
    nodes: Mapping[str, NodeOutcome] | None = None
    error: str | None = None
    interrupt: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "success": self.success,
            "data": None if self.data is None else {key: value.to_json() for key, value in self.data.items()},
            "nodes": None if self.nodes is None else {key: node.to_json() for key, node in self.nodes.items()},
            "error": self.error,
            "interrupt": self.interrupt,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Outcome:
        """The object that `to_json` described."""
        values, nodes = data["data"], data["nodes"]
        return cls(
            data["success"],
            None if values is None else {key: Value.from_json(value) for key, value in values.items()},
            None if nodes is None else {key: NodeOutcome.from_json(node) for key, node in nodes.items()},
            data["error"],
            data["interrupt"],
        )


@dataclass(frozen=True)
class Activation:
    """One execution of one node's handler. `begin` and `end` count events of the run: a ended before b began means a -> b.

    `saw` is what the handler was given, `mutated` whether it changed that in place. `ordinal` counts the node's activations
    from 0. An activation that never ended has `end` None.
    """

    node: str
    ordinal: int
    begin: int
    end: int | None
    saw: Value
    returned: Value | None = None
    raised: str | None = None
    mutated: bool = False

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "node": self.node,
            "ordinal": self.ordinal,
            "begin": self.begin,
            "end": self.end,
            "saw": self.saw.to_json(),
            "returned": self.returned.to_json() if self.returned else None,
            "raised": self.raised,
            "mutated": self.mutated,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Activation:
        """The object that `to_json` described."""
        returned = Value.from_json(data["returned"]) if data["returned"] else None
        return cls(**{**data, "saw": Value.from_json(data["saw"]), "returned": returned})


@dataclass(frozen=True)
class Observation:
    """What one engine showed on one case: its outcome, or how it ended without one, and the trace of its activations.

    `ended` is "result", "raised" (the engine raised `error`), "timeout" or "crashed" (its process went away).
    """

    engine: str
    side: Side
    ended: Literal["result", "raised", "timeout", "crashed"]
    outcome: Outcome | None = None
    trace: tuple[Activation, ...] = ()
    error: str | None = None

    def runs(self) -> dict[str, list[Activation]]:
        """The activations by node, in order."""
        found: dict[str, list[Activation]] = {}
        for activation in self.trace:
            found.setdefault(activation.node, []).append(activation)
        return found

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "engine": self.engine,
            "side": self.side,
            "ended": self.ended,
            "outcome": self.outcome.to_json() if self.outcome else None,
            "trace": [activation.to_json() for activation in self.trace],
            "error": self.error,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """The object that `to_json` described."""
        outcome = Outcome.from_json(data["outcome"]) if data["outcome"] else None
        trace = tuple(Activation.from_json(item) for item in data["trace"])
        return cls(**{**data, "outcome": outcome, "trace": trace})


@runtime_checkable
class Engine(Protocol):
    """Something that runs a case. `sources` are files or folders (relative to the root) whose content is its code."""

    @property
    def name(self) -> str:
        """The name that reports show."""
        ...

    @property
    def side(self) -> Side:
        """Which engine it is: the walker that goes, or the graph that stays."""
        ...

    @property
    def sources(self) -> tuple[str, ...]:
        """Files or folders of its code, relative to the project's root."""
        ...

    def run(self, case: Case, tap: Tap) -> Outcome | Awaitable[Outcome]:
        """Run the case with `tap.handlers`, and give what came of it. What it raises is observed, not fatal."""
        ...


@dataclass(frozen=True)
class Divergence:
    """One difference, found by one rule: where, both values as text, the cause, and a mend.

    `subject` is what else tells it from another finding of the rule at the same node: a key of the state, an event.
    """

    rule: str
    case: str
    node: str | None
    activation: int | None
    legacy: str
    candidate: str
    cause: str
    mend: str = ""
    subject: str = ""

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What makes it the same finding when the case is run again."""
        return (self.rule, self.node or "", self.activation or 0, self.subject)


@runtime_checkable
class Rule(Protocol):
    """A divergence rule: a stable id, the family that its verdict counts in, a page of explanation, and the check."""

    @property
    def id(self) -> str:
        """The stable id, such as GL101."""
        ...

    @property
    def family(self) -> str:
        """The family that the verdict is given for, such as "run count"."""
        ...

    @property
    def summary(self) -> str:
        """One line."""
        ...

    @property
    def explanation(self) -> str:
        """What it means and how to mend it; printed by `graphlift parity --explain`."""
        ...

    def check(self, case: Case, legacy: Observation, candidate: Observation) -> list[Divergence]:
        """The differences of this kind between two observations of one case."""
        ...

"""Superstep by superstep: what ran, through which trigger, and who wrote that trigger.

Read from pairs of checkpoints: a node ran in the superstep between them when what it has seen moved on; a Send ran when it
was in flight before. What a checkpoint cannot show (writers under `durability="exit"`) is `?`, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from ..langgraph_private import ERROR, HANDLED, TASKS
from .due import NodeState, Trigger, node_state, send_states
from .snapshots import BOOKKEEPING, CONTROL, JOIN, START, Snapshot
from .tasks import UNKNOWN, handler_task_id, name_tasks
from .versions import newer
from .wiring import Wiring

Kind = Literal["edge", "send", "handler", "dropped", "input", "update", "fork"]


@dataclass(frozen=True)
class Fired:
    """One trigger of an activation: the version seen before, the version consumed, and the nodes that wrote it."""

    channel: str
    seen: Any
    consumed: Any
    writers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Activation:
    """One row of the superstep table.

    `run` counts the inputs to the thread, from 1. `kind` is how the node was started: by an edge, by a Send, as an error
    handler; `dropped` was due and was discarded by a new input. Rows of kind input, update and fork are no node's.
    """

    step: int
    run: int
    node: str
    kind: Kind
    fired: tuple[Fired, ...] = ()
    failed: bool = False

    @property
    def ran(self) -> bool:
        """Whether a node ran."""
        return self.kind in ("edge", "send", "handler")


@dataclass(frozen=True)
class Repeat:
    """A node that edges started more than once within one run, with each activation."""

    node: str
    run: int
    activations: tuple[Activation, ...]


@dataclass
class _Writers:
    """Who wrote each channel last; for a waiting edge, everyone since it last released."""

    by_channel: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sends: tuple[str, ...] = ()

    def of(self, channel: str, index: int | None) -> tuple[str, ...]:
        if index is not None and index < len(self.sends):
            return (self.sends[index],)
        return self.by_channel.get(channel, ("input",) if channel == START else (UNKNOWN,))

    def record(self, written: Mapping[str, Sequence[str]], released: Iterable[str], sends: tuple[str, ...]) -> None:
        self.sends = sends
        for channel in released:
            self.by_channel.pop(channel, None)
        for channel, names in written.items():
            earlier = self.by_channel.get(channel, ()) if channel.startswith(JOIN) else ()
            self.by_channel[channel] = tuple(dict.fromkeys((*earlier, *names)))


def activations(wiring: Wiring, chain: Sequence[Snapshot]) -> tuple[Activation, ...]:
    """The superstep table of a branch of history, oldest first."""
    rows: list[Activation] = []
    writers, run = _Writers(), 0
    if chain and chain[0].source == "input":
        run = 1
        rows.append(Activation(-1 if chain[0].step is None else chain[0].step, run, "input", "input"))
    for parent, child in pairwise(chain):
        run += child.source == "input"
        ran = tuple(_ran(wiring, parent, child))
        named = name_tasks(wiring, parent, [state for state, _ in ran])
        rows.extend(_rows(parent, child, ran, named, writers, run))
        released = [f.channel for _, fired in ran for f in fired if f.channel.startswith(JOIN)]
        writers.record(_written(parent, named, wiring), released, _senders(parent, child, named))
    return tuple(rows)


def _rows(
    parent: Snapshot,
    child: Snapshot,
    ran: Sequence[tuple[NodeState, Sequence[Trigger]]],
    named: Mapping[str, NodeState],
    writers: _Writers,
    run: int,
) -> Iterator[Activation]:
    step = child.step if child.step is not None else (parent.step or 0) + 1
    if child.source != "loop":
        label: Kind = "input" if child.source == "input" else "fork" if child.source == "fork" else "update"
        yield Activation(step, run, label, label)
    # The superstep completed, so an error without a handler was made good by a later attempt.
    failed = {write.task for write in parent.writes if write.channel == HANDLED}
    task_of = {id(state): task for task, state in named.items()}
    for state, triggers in ran:
        fired = tuple(
            Fired(t.channel, t.seen, _consumed(child, state, t), _writers(parent, state, t, writers)) for t in triggers
        )
        task = task_of.get(id(state), "")
        yield Activation(step, run, state.node, _kind(parent, child, state, task), fired, task in failed)
        handler = _handler(parent, child, state, task) if task in failed else None
        if handler:
            yield Activation(step, run, handler, "handler", (Fired(ERROR, None, None, (state.node,)),))


def _kind(parent: Snapshot, child: Snapshot, state: NodeState, task: str) -> Kind:
    produced = any(write.task == task and write.channel not in CONTROL for write in parent.writes)
    if child.source == "input" or (child.source == "update" and not produced):
        return "dropped"
    return "edge" if state.index is None else "send"


def _ran(wiring: Wiring, parent: Snapshot, child: Snapshot) -> Iterator[tuple[NodeState, Sequence[Trigger]]]:
    """What ran between two checkpoints, each with the triggers that made it due."""
    if child.source == "fork":
        return
    for state in send_states(parent):
        yield state, state.triggers
    for node, seen in sorted(child.seen.items()):
        before = parent.seen.get(node) or {}
        if node in BOOKKEEPING or not _advanced(before, seen):
            continue
        if node in wiring.triggers:
            state = node_state(wiring, parent, node)
            yield state, [trigger for trigger in state.triggers if trigger.fires]
        else:
            yield NodeState(node, ()), ()


def _advanced(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    if before is after or before == after:
        return False
    return any(newer(version, before.get(channel)) for channel, version in after.items())


def _consumed(child: Snapshot, state: NodeState, trigger: Trigger) -> Any:
    if state.index is not None:
        return trigger.version
    return child.seen.get(state.node, {}).get(trigger.channel, trigger.version)


def _writers(parent: Snapshot, state: NodeState, trigger: Trigger, writers: _Writers) -> tuple[str, ...]:
    return ("Command",) if trigger.channel in parent.commanded else writers.of(trigger.channel, state.index)


def _senders(parent: Snapshot, child: Snapshot, named: Mapping[str, NodeState]) -> tuple[str, ...]:
    """Who made each Send now in flight, in its place: tasks are applied in the order of their paths, edges first."""
    found: list[tuple[bool, int, str]] = []
    for write in parent.writes:
        state = named.get(write.task)
        if write.channel == TASKS and state is not None:
            found.append((state.index is not None, state.index or 0, state.node))
    return tuple(node for _, _, node in sorted(found)) if len(found) == len(child.values.get(TASKS) or ()) else ()


def _written(parent: Snapshot, named: Mapping[str, NodeState], wiring: Wiring) -> dict[str, list[str]]:
    """Channel -> the nodes that wrote it in the superstep after `parent`; only channels that trigger something."""
    found: dict[str, list[str]] = {}
    for write in parent.writes:
        if write.anonymous or not wiring.needs(write.channel):
            continue
        state = named.get(write.task)
        own = write.value if write.channel.startswith(JOIN) and isinstance(write.value, str) else UNKNOWN
        names = found.setdefault(write.channel, [])
        name = state.node if state else own
        if name not in names:
            names.append(name)
    return found


def _handler(parent: Snapshot, child: Snapshot, failed: NodeState, task: str) -> str | None:
    """The node that handled a failed task's error, found by the id that its task would have."""
    recorded = {write.task for write in parent.writes}
    return next((node for node in sorted(child.seen) if handler_task_id(parent, node, failed, task) in recorded), None)


def repeats(rows: Iterable[Activation]) -> tuple[Repeat, ...]:
    """Nodes that edges started more than once within one run; a fan-out by Send is meant to, and is left out."""
    found: dict[tuple[int, str], list[Activation]] = {}
    for row in rows:
        if row.kind == "edge" and row.node != START:
            found.setdefault((row.run, row.node), []).append(row)
    return tuple(Repeat(node, run, tuple(rows)) for (run, node), rows in sorted(found.items()) if len(rows) > 1)

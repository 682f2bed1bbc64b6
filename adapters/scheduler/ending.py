"""How a run ended, as far as its last checkpoint shows.

Quiescence, a failed task, an interrupt raised in a node and a pending Send are recorded. A breakpoint, the recursion limit, a
drain and a killed process all look alike in a checkpoint (nodes due, nothing recorded): the graph's breakpoints and the
limit that the run had tell them apart, and without them the ending says that it is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..langgraph_private import ERROR, INTERRUPT
from .due import NodeState
from .history import Activation
from .snapshots import CONTROL, Snapshot, Write

EndKind = Literal[
    "quiescent",
    "failed task",
    "interrupt in a node",
    "interrupt before",
    "interrupt after",
    "recursion limit",
    "pending Send",
    "stopped with nodes due",
]
TaskKind = Literal["not started", "finished", "failed", "interrupted"]


@dataclass(frozen=True)
class TaskState:
    """One due task and what its recorded writes say about it. `detail` is the error, or the interrupt's payload, as text."""

    node: str
    status: TaskKind
    detail: str = ""


@dataclass(frozen=True)
class Breakpoints:
    """Where the run may have been asked to stop. A limit of None is not known. Empty is also what an unknown graph has."""

    before: Collection[str] = ()
    after: Collection[str] = ()
    limit: int | None = None


@dataclass(frozen=True)
class Ending:
    """How the run ended: the kind, one sentence, and the tasks of the superstep that was due."""

    kind: EndKind
    sentence: str
    tasks: tuple[TaskState, ...] = ()
    supersteps: int = 0
    certain: bool = field(default=True)


def ending(
    chain: Sequence[Snapshot],
    due: Sequence[tuple[NodeState, str]],
    rows: Sequence[Activation],
    breakpoints: Breakpoints,
) -> Ending:
    """Classify the end of a branch of history. `due` pairs each due node with its task id ("" when not known)."""
    tasks = tuple(_task(state, task, chain[-1]) for state, task in due)
    started = _started_at(chain)
    spent = (chain[-1].step or 0) - started
    if not tasks:
        return Ending("quiescent", "nothing is due: the run ended by itself", (), spent)
    if failed := [task for task in tasks if task.status == "failed"]:
        return Ending("failed task", f"{_names(failed)} failed: {failed[0].detail}", tasks, spent)
    if asked := [task for task in tasks if task.status == "interrupted"]:
        return Ending("interrupt in a node", f"{_names(asked)} waits for an answer: {asked[0].detail}", tasks, spent)
    return _unrecorded(chain, due, rows, breakpoints, tasks, spent)


def _unrecorded(
    chain: Sequence[Snapshot],
    due: Sequence[tuple[NodeState, str]],
    rows: Sequence[Activation],
    breakpoints: Breakpoints,
    tasks: tuple[TaskState, ...],
    spent: int,
) -> Ending:
    last = chain[-1]
    if breakpoints.limit is not None and spent == breakpoints.limit + 2:
        sentence = f"the recursion limit of {breakpoints.limit} was reached with {_names(tasks)} due"
        return Ending("recursion limit", sentence, tasks, spent)
    before = _matching((state.node for state, _ in due), breakpoints.before)
    if before:
        return Ending("interrupt before", f"the graph interrupts before {', '.join(before)}", tasks, spent)
    after = _matching((row.node for row in rows if row.step == last.step and row.ran), breakpoints.after)
    if after:
        return Ending("interrupt after", f"the graph interrupts after {', '.join(after)}", tasks, spent)
    if all(state.index is not None for state, _ in due):
        sentence = f"a Send to {_names(tasks)} is pending; why the run stopped there is not recorded"
        return Ending("pending Send", sentence, tasks, spent, certain=False)
    sentence = (
        f"{_names(tasks)} due and not run; a breakpoint given at the call, the recursion limit, a drain, a killed process "
        "and a run still going on all look like this"
    )
    return Ending("stopped with nodes due", sentence, tasks, spent, certain=False)


def _matching(nodes: Iterable[str], wanted: Collection[str]) -> list[str]:
    names = dict.fromkeys(nodes)
    return [n for n in names if not n.startswith("__") and ("*" in wanted or n in wanted)]


def _names(tasks: Sequence[TaskState]) -> str:
    return ", ".join(dict.fromkeys(task.node for task in tasks))


def _task(state: NodeState, task: str, last: Snapshot) -> TaskState:
    own = [write for write in last.writes if task and write.task == task]
    if any(write.channel not in CONTROL for write in own):
        return TaskState(state.node, "finished")
    for channel, status in ((ERROR, "failed"), (INTERRUPT, "interrupted")):
        found = next((write for write in own if write.channel == channel), None)
        if found is not None:
            return TaskState(state.node, "failed" if status == "failed" else "interrupted", _detail(found))
    return TaskState(state.node, "not started")


def _detail(write: Write) -> str:
    value = write.value
    if write.channel == INTERRUPT and isinstance(value, (list, tuple)) and value:
        value = getattr(value[0], "value", value[0])
        if isinstance(value, dict) and set(value) == {"value", "id"}:
            value = value["value"]
    return repr(value) if not isinstance(value, str) else value


def _started_at(chain: Sequence[Snapshot]) -> int:
    """The step of the checkpoint that the last call loaded; -2 when the thread was new.

    A call is known by its input, by the fork it made, or by what it marked as passed when it resumed.
    """
    for index in range(len(chain) - 1, 0, -1):
        child, parent = chain[index], chain[index - 1]
        resumed = child.seen.get(INTERRUPT) != parent.seen.get(INTERRUPT) and INTERRUPT in child.seen
        if child.source in ("input", "fork") or resumed:
            return parent.step if parent.step is not None else -2
    return -2

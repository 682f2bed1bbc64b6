"""What a run does with a thread that may already have a history: begin, go on, answer, or give the recorded result.

Pure decisions over what the saver holds. Refusals are WorkflowErrors raised before any node runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.types import Command, Overwrite

from .errors import WorkflowError
from .graphs import visited_nodes
from .model import DependencyWorkflow, SuccessorWorkflow, Workflow, content_hash
from .names import decode
from .packing import pack, unpack
from .walked import due_steps, walked


class _Unset:
    """The type of UNSET."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""No answer was given (None is an answer)."""


@dataclass(frozen=True)
class Begin:
    """What LangGraph is invoked with; `past` are the state's values that an earlier invocation left.

    `start` is the node to enter at, where that is not the workflow's own.
    """

    given: Any
    past: Mapping[str, Any]
    start: str | None = None

    @property
    def known(self) -> Mapping[str, Any]:
        """The state's values when the run begins or goes on."""
        return self.past or self.given


@dataclass(frozen=True)
class Recorded:
    """The thread is at its end, or its `questions` wait for an answer that was not given: nothing has to run."""

    past: Mapping[str, Any]
    questions: tuple[tuple[str, Any], ...] = ()

    @property
    def known(self) -> Mapping[str, Any]:
        """The state's values."""
        return self.past


def fingerprint(workflow: Workflow, form: str) -> str:
    """What a thread must have been written by to be read by this graph."""
    return f"{content_hash(workflow)}/{form}"


def initial(workflow: Workflow, mark: str, inputs: Mapping[str, Any], start: str | None = None) -> dict[str, Any]:
    """The input of a run that begins, in breadth-first at `start` or the workflow's own start."""
    run = {"definition": mark, "inputs": pack(dict(inputs))}
    if isinstance(workflow, DependencyWorkflow):
        return {"run": run, "steps": {}}
    first = [start or workflow.start]
    run["start"] = first[0]
    return {"run": run, "steps": {}, "data": pack(dict(inputs)), "frontier": first, "visited": first}


@dataclass(frozen=True)
class Asked:
    """What the caller of a run asked for. `failed`: a recorded failure has ended the thread's run."""

    inputs: Mapping[str, Any] | None = None
    resume: Any = UNSET
    start: str | None = None
    failed: bool = False


def decide(snapshot: Any, workflow: Workflow, mark: str, asked: Asked) -> Begin | Recorded:
    """What to do, from a LangGraph state snapshot (None without a thread).

    The snapshot's `tasks` say whether a run has ended, not its `next`: a process killed between a superstep's last write and
    its checkpoint leaves tasks that are done and nothing next.
    """
    check_start(workflow, asked.start)
    values: Mapping[str, Any] = {} if snapshot is None else snapshot.values
    if snapshot is None or not values.get("run"):
        if asked.resume is not UNSET:
            raise WorkflowError(
                "nothing waits on this thread, so there is nothing to answer", mend="run without resume"
            )
        return begin(workflow, mark, asked)
    check_same(values["run"], workflow, mark, asked.inputs)
    ended = asked.failed or not snapshot.tasks
    if asked.start is not None and isinstance(workflow, SuccessorWorkflow):
        return begin_again(workflow, values, asked.start, ended)
    if ended and asked.resume is not UNSET:
        raise WorkflowError("the run on this thread has ended; no answer is awaited", mend="run without resume")
    if ended or (snapshot.interrupts and asked.resume is UNSET):
        return Recorded(values, () if ended else questions(workflow, snapshot))
    if asked.resume is UNSET:
        return Begin(None, values)
    if not snapshot.interrupts:
        raise WorkflowError("the run on this thread does not wait for an answer", mend="run without resume")
    # By the interrupt's id: LangGraph takes a bare None for no answer, and a bare {} for a map of answers.
    _, first = questions(workflow, snapshot)[0]
    return Begin(Command(resume={first.id: asked.resume}), values)


def questions(workflow: Workflow, snapshot: Any) -> tuple[tuple[str, Any], ...]:
    """The steps that wait for an answer, each with LangGraph's interrupt, in declaration order: the first is answered first.

    A long workflow in the frontier form does not name its steps to LangGraph; there the tasks are in that order, and the
    step's name is the first that is due.
    """
    nodes = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
    order = {node.name: index for index, node in enumerate(nodes)}
    due = due_steps(workflow, snapshot.values)
    asked = [(decode(task.name), interrupt) for task in snapshot.tasks for interrupt in task.interrupts]
    named = [(name if name in order else next(iter(due), ""), interrupt) for name, interrupt in asked]
    return tuple(sorted(named, key=lambda item: order.get(item[0], len(order))))


def check_start(workflow: Workflow, start: str | None) -> None:
    """Raise WorkflowError for an explicit start that the workflow does not have."""
    if start is None:
        return
    if isinstance(workflow, DependencyWorkflow):
        raise WorkflowError(
            f"workflow {workflow.name!r}: in dependency style a run cannot start at {start!r}; its dependencies decide",
            mend="leave start out",
        )
    if start not in {node.name for node in visited_nodes(workflow)}:
        raise WorkflowError(
            f"workflow {workflow.name!r}: there is no node {start!r} to start at", mend="correct the name"
        )


def begin(workflow: Workflow, mark: str, asked: Asked) -> Begin:
    """Begin a run on a thread without a history."""
    return Begin(initial(workflow, mark, asked.inputs or {}, asked.start), {}, asked.start)


def begin_again(workflow: SuccessorWorkflow, values: Mapping[str, Any], start: str, ended: bool) -> Begin:
    """Begin at a node on a thread whose run has ended: the shared data stays, all else is new."""
    pending = walked(workflow, values).pending
    if pending or not ended:
        raise WorkflowError(
            f"workflow {workflow.name!r}: a start at {start!r} would discard branches that are pending: {', '.join(pending)}",
            mend="run the thread without start, which takes them up again, or use a new thread_id",
        )
    run = {**values["run"], "start": start}
    fresh = {"run": run, "steps": Overwrite({}), "frontier": [start], "visited": Overwrite([start])}
    return Begin(fresh, {**values, "run": run, "steps": {}}, start)


def check_same(run: Mapping[str, Any], workflow: Workflow, mark: str, inputs: Mapping[str, Any] | None) -> None:
    """Raise WorkflowError when the thread belongs to another definition, another form of the graph or other inputs."""
    if run["definition"] != mark:
        was, now = run["definition"].split("/", 1), mark.split("/", 1)
        what = f"definition {was[0][:12]}" if was[0] != now[0] else f"form {was[1]!r}"
        here = now[0][:12] if was[0] != now[0] else repr(now[1])
        raise WorkflowError(
            f"workflow {workflow.name!r}: the thread was written by {what}, this graph is {here}; it would be misread",
            mend="let live threads end on the graph that they began with, and use a new thread_id for this one",
        )
    if inputs is not None and dict(inputs) != unpack(run["inputs"]):
        raise WorkflowError(
            f"workflow {workflow.name!r}: the thread holds a run with other inputs, which a new start would discard",
            mend="use a new thread_id, or pass no inputs to let the thread's own run go on",
        )

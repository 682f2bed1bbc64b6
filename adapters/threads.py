"""What a run does with a thread that may already have a history: begin, go on, answer, or give the recorded result.

Pure decisions over what the saver holds. Refusals are WorkflowErrors raised before any node runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.types import Command

from .errors import WorkflowError
from .model import DependencyWorkflow, Workflow, content_hash


class _Unset:
    """The type of UNSET."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""No answer was given (None is an answer)."""


@dataclass(frozen=True)
class Begin:
    """What LangGraph is invoked with; `past` are the state's values that an earlier invocation left."""

    given: Any
    past: Mapping[str, Any]

    @property
    def known(self) -> Mapping[str, Any]:
        """The state's values when the run begins or goes on."""
        return self.past or self.given


@dataclass(frozen=True)
class Recorded:
    """The thread is at its end, or waits for an answer that was not given: nothing has to run."""

    past: Mapping[str, Any]
    interrupts: tuple[Any, ...] = ()

    @property
    def known(self) -> Mapping[str, Any]:
        """The state's values."""
        return self.past


def fingerprint(workflow: Workflow, form: str) -> str:
    """What a thread must have been written by to be read by this graph."""
    return f"{content_hash(workflow)}/{form}"


def initial(workflow: Workflow, mark: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a run that begins."""
    run = {"definition": mark, "inputs": dict(inputs)}
    if isinstance(workflow, DependencyWorkflow):
        return {"run": run, "steps": {}}
    return {"run": run, "steps": {}, "data": dict(inputs), "frontier": [workflow.start], "visited": [workflow.start]}


def decide(
    snapshot: Any, workflow: Workflow, mark: str, inputs: Mapping[str, Any] | None, resume: Any, failed: bool
) -> Begin | Recorded:
    """What to do, from a LangGraph state snapshot (None without a thread). `failed`: a recorded failure ended the run."""
    past: Mapping[str, Any] = snapshot.values if snapshot is not None else {}
    if not past.get("run"):
        if resume is not UNSET:
            raise WorkflowError(
                "nothing waits on this thread, so there is nothing to answer", mend="run it without resume"
            )
        return Begin(initial(workflow, mark, inputs or {}), {})
    check_same(past["run"], workflow, mark, inputs)
    if failed or not snapshot.next:
        if resume is not UNSET:
            raise WorkflowError(
                "the run on this thread has ended; no answer is awaited", mend="run without resume to read its result"
            )
        return Recorded(past)
    if snapshot.interrupts:
        return Recorded(past, snapshot.interrupts) if resume is UNSET else Begin(Command(resume=resume), past)
    if resume is not UNSET:
        raise WorkflowError(
            "the run on this thread does not wait for an answer", mend="run without resume to let it go on"
        )
    return Begin(None, past)


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
    if inputs is not None and dict(inputs) != run["inputs"]:
        raise WorkflowError(
            f"workflow {workflow.name!r}: the thread holds a run with other inputs, which a new start would discard",
            mend="use a new thread_id, or pass no inputs to let the thread's own run go on",
        )

"""Where a thread can be run again from: the last checkpoint at which a node was due, and nothing else with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .errors import WorkflowError
from .model import SuccessorWorkflow, Workflow
from .walked import due_steps, walked

if TYPE_CHECKING:
    from .compiled import ThreadState


def due_at(workflow: Workflow, snapshot: Any) -> Iterable[str]:
    """All steps that a snapshot leaves to be run from it."""
    if isinstance(workflow, SuccessorWorkflow):
        return walked(workflow, snapshot.values).pending
    return due_steps(workflow, snapshot.values)


def replay_point(workflow: Workflow, state: ThreadState, history: Iterable[Any], node: str, failed: bool) -> Any:
    """The snapshot to replay `node` from, out of a history that begins with the newest.

    Raises WorkflowError when the thread has pending branches now, when the node was never due, or when others were pending
    beside it: replay goes on from one node, so the others would never run.
    """
    where = f"workflow {workflow.name!r}: replay from {node!r}"
    if state.unfinished and not failed:
        raise WorkflowError(
            f"{where} is refused, because branches of the thread are pending: {', '.join(state.pending or state.next)}",
            mend="run the thread to its end first",
        )
    for snapshot in history:
        if not snapshot.values.get("run") or not snapshot.next or node not in due_steps(workflow, snapshot.values):
            continue
        beside = [name for name in due_at(workflow, snapshot) if name != node]
        if beside:
            raise WorkflowError(
                f"{where} is refused, because other branches were pending there: {', '.join(beside)}",
                mend="replay from a node that was alone, or run the workflow on a new thread",
            )
        return snapshot
    raise WorkflowError(
        f"{where}: it was never due on thread {state.thread_id!r}", mend="name a node that has run there"
    )

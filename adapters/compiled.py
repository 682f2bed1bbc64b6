"""A compiled workflow: run or stream it, synchronously or not, with or without a thread, and get the neutral result.

Which edges the graph has is the wiring modules' matter; what a thread's history means is decided in `threads`.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from .bindings import Bindings
from .collecting import FAILURES, Collected, StreamEvent
from .errors import WorkflowError
from .limits import superstep_limit
from .model import SuccessorWorkflow, Workflow
from .names import decode, is_wiring
from .nodes import FAILED
from .results import NodeStatus, WorkflowResult
from .scope import RunScope, RunStopped
from .threads import UNSET, Begin, Recorded, decide

Traversal = Literal["breadth-first", "dependency"]


@dataclass(frozen=True)
class CompiledWorkflow:
    """A workflow as a LangGraph graph (`graph`), under one traversal and failure policy.

    `form` is `edges` or `frontier`; both give the same observation. `mark` is what its threads are stamped with.
    """

    workflow: Workflow
    graph: Any
    traversal: Traversal
    failure_policy: str
    form: str
    mark: str
    bindings: Bindings
    checkpointer: Any = None
    order: Mapping[str, int] = field(default_factory=dict)

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        thread_id: str | None = None,
        resume: Any = UNSET,
        timeout: float | None = None,
        scope: RunScope | None = None,
        max_concurrency: int | None = None,
    ) -> WorkflowResult:
        """Run to the end, a pause or a failure. `timeout` is seconds for the whole run.

        With a checkpointer and a `thread_id` that has a history: an unfinished run goes on, a paused one takes `resume` as
        the answer, a finished one gives its recorded result without running anything. Raises WorkflowError, before any
        node runs, when the thread belongs to another definition or holds a run with other inputs.
        """
        events = self.stream(
            inputs, thread_id=thread_id, resume=resume, timeout=timeout, scope=scope, max_concurrency=max_concurrency
        )
        return _last(list(events))

    async def arun(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        thread_id: str | None = None,
        resume: Any = UNSET,
        timeout: float | None = None,
        scope: RunScope | None = None,
        max_concurrency: int | None = None,
    ) -> WorkflowResult:
        """`run` on the running loop. When the caller is cancelled every node is, and CancelledError goes on."""
        events = self.astream(
            inputs, thread_id=thread_id, resume=resume, timeout=timeout, scope=scope, max_concurrency=max_concurrency
        )
        return _last([event async for event in events])

    def stream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        thread_id: str | None = None,
        resume: Any = UNSET,
        timeout: float | None = None,
        scope: RunScope | None = None,
        max_concurrency: int | None = None,
    ) -> Iterator[StreamEvent]:
        """The events of `run` as they happen; the last one carries the result, also when the run failed."""
        scope = scope or RunScope(timeout)
        thread = self._thread(thread_id)
        snapshot = self.graph.get_state(self._config(thread)) if thread_id and self.checkpointer else None
        plan = self._decide(snapshot, inputs, resume)
        collected = Collected(self.order, plan.known, thread)
        with scope:
            if isinstance(plan, Recorded):
                yield from collected.paused(plan.interrupts) if plan.interrupts else ()
            else:
                control = RunControl()
                try:
                    for chunk in self.graph.stream(
                        plan.given,
                        self._run_config(thread, plan, max_concurrency),
                        context=scope,
                        control=control,
                        stream_mode="updates",
                    ):
                        yield from self._events(chunk, collected, control, scope)
                except (RunStopped, GraphDrained):
                    pass
            yield StreamEvent("result", result=collected.result(self.workflow.name, scope))

    async def astream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        thread_id: str | None = None,
        resume: Any = UNSET,
        timeout: float | None = None,
        scope: RunScope | None = None,
        max_concurrency: int | None = None,
    ) -> AsyncIterator[StreamEvent]:
        """The events of `arun` as they happen; the last one carries the result, also when the run failed."""
        scope = scope or RunScope(timeout)
        thread = self._thread(thread_id)
        snapshot = await self.graph.aget_state(self._config(thread)) if thread_id and self.checkpointer else None
        plan = self._decide(snapshot, inputs, resume)
        collected = Collected(self.order, plan.known, thread)
        with scope:
            if isinstance(plan, Recorded):
                for event in collected.paused(plan.interrupts) if plan.interrupts else ():
                    yield event
            else:
                control = RunControl()
                try:
                    async for chunk in self.graph.astream(
                        plan.given,
                        self._run_config(thread, plan, max_concurrency),
                        context=scope,
                        control=control,
                        stream_mode="updates",
                    ):
                        for event in self._events(chunk, collected, control, scope):
                            yield event
                except (RunStopped, GraphDrained):
                    pass
            yield StreamEvent("result", result=collected.result(self.workflow.name, scope))

    def _thread(self, thread_id: str | None) -> str | None:
        if self.checkpointer is None:
            if thread_id is not None:
                raise WorkflowError(
                    f"workflow {self.workflow.name!r}: a thread_id was given, but the graph has no checkpointer",
                    mend="compile it with a checkpointer, or leave thread_id out",
                )
            return None
        return thread_id or uuid.uuid4().hex

    def _decide(self, snapshot: Any, inputs: Mapping[str, Any] | None, resume: Any) -> Begin | Recorded:
        records = (snapshot.values.get("steps") or {}).values() if snapshot is not None else ()
        failed = self.failure_policy == "fail" and any(record["status"] in FAILURES for record in records)
        return decide(snapshot, self.workflow, self.mark, inputs, resume, failed)

    def _config(self, thread: str | None) -> Any:
        return {"configurable": {"thread_id": thread}} if thread else {}

    def _run_config(self, thread: str | None, plan: Begin, max_concurrency: int | None) -> Any:
        run = plan.known["run"]
        config = {
            **self._config(thread),
            "recursion_limit": superstep_limit(self.workflow, self.bindings, run["inputs"]),
        }
        return config if max_concurrency is None else {**config, "max_concurrency": max_concurrency}

    def _events(
        self, chunk: Mapping[str, Any], collected: Collected, control: RunControl, scope: RunScope
    ) -> Iterator[StreamEvent]:
        for event in collected.fold(chunk):
            result = event.node_result
            # Also here, not only in the node: a failure that an earlier process recorded is replayed without its node.
            if result is not None and self.failure_policy == "fail" and result.status in FAILURES:
                control.request_drain(FAILED)
            yield event
        if scope.stopped():
            scope.halted = True
            control.request_drain("the run was stopped")

    def state(self, thread_id: str) -> ThreadState:
        """Where a thread stands. Raises WorkflowError when it has no history here."""
        return self._state_of(self.graph.get_state(self._config(self._thread(thread_id))), thread_id)

    async def astate(self, thread_id: str) -> ThreadState:
        """`state`, for an asynchronous checkpointer."""
        return self._state_of(await self.graph.aget_state(self._config(self._thread(thread_id))), thread_id)

    def _state_of(self, snapshot: Any, thread_id: str) -> ThreadState:
        if not snapshot.values.get("run"):
            raise WorkflowError(
                f"thread {thread_id!r} has no history", mend="give the thread_id of a run that has begun"
            )
        ahead = [decode(node) for node in snapshot.next if not is_wiring(node)]
        collected = Collected(self.order, snapshot.values, thread_id)
        return ThreadState(
            thread_id,
            next=tuple(sorted(ahead, key=self.order.__getitem__)),
            pending=tuple(snapshot.values.get("frontier") or ()),
            visited=tuple(snapshot.values.get("visited") or ()),
            unfinished=bool(snapshot.next),
            waits_for_answer=bool(snapshot.interrupts),
            statuses={name: NodeStatus(record["status"]) for name, record in collected.records.items()},
        )


@dataclass(frozen=True)
class ThreadState:
    """Where a thread stands: the steps that run `next`, and in breadth-first all that are `pending`, in order.

    `unfinished` may be true while `next` is empty: only wiring is due. `waits_for_answer`: a person is asked.
    """

    thread_id: str
    next: tuple[str, ...]
    pending: tuple[str, ...]
    visited: tuple[str, ...]
    unfinished: bool
    waits_for_answer: bool
    statuses: Mapping[str, NodeStatus]


def _last(events: list[StreamEvent]) -> WorkflowResult:
    result = events[-1].result
    assert result is not None
    return result


def declaration_order(workflow: Workflow) -> dict[str, int]:
    """The place of every step in the definition."""
    steps = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
    return {step.name: index for index, step in enumerate(steps)}

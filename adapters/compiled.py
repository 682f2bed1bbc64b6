"""A compiled workflow: run or stream it, synchronously or not, with or without a thread, and get the neutral result.

Which edges the graph has is the wiring modules' matter; what a thread's history means is decided in `threads`.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

from .bindings import Bindings
from .collecting import FAILURES, StreamEvent
from .errors import WorkflowError
from .graphs import visited_nodes
from .layers import read_mapping
from .model import DependencyWorkflow, SuccessorWorkflow, Workflow
from .oracle_dependency import FailurePolicy
from .replaying import replay_point
from .results import NodeStatus, WorkflowResult
from .scope import RunScope
from .session import ENDS, RunOptions, Session
from .streaming import EventStream
from .threads import UNSET, Asked, Begin, check_same, decide
from .walked import Walked, due_steps, walked

Traversal = Literal["breadth-first", "dependency"]


def _not_here(start: str) -> Any:
    raise WorkflowError(f"this graph cannot be entered at {start!r}", mend="leave start out")


@dataclass(frozen=True)
class CompiledWorkflow:
    """A workflow as a LangGraph graph (`graph`), under one traversal and failure policy.

    `form` is `edges` or `frontier`; both give the same observation. `mark` is what its threads are stamped with.
    `entered_at` gives the same graph with another start.
    """

    workflow: Workflow
    graph: Any
    traversal: Traversal
    failure_policy: FailurePolicy
    form: str
    mark: str
    bindings: Bindings
    checkpointer: Any = None
    order: Mapping[str, int] = field(default_factory=dict)
    entered_at: Callable[[str], Any] = field(default=_not_here, repr=False)

    @property
    def steps(self) -> int:
        """How many steps a run can have, branches of parallel groups not counted."""
        if isinstance(self.workflow, SuccessorWorkflow):
            return len(visited_nodes(self.workflow))
        return len(self.workflow.steps)

    @property
    def drains(self) -> bool:
        """Whether a failure ends the run after its superstep. The scheduler of the frontier form ends it after its round."""
        scheduled = self.form == "frontier" and isinstance(self.workflow, DependencyWorkflow)
        return self.failure_policy == "fail" and not scheduled

    def run(self, inputs: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]) -> WorkflowResult:
        """Run to the end, a pause or a failure.

        With a checkpointer and a `thread_id` that has a history: an unfinished run goes on, a paused one takes `resume` as
        the answer, a finished one gives its recorded result without running anything. Raises WorkflowError, before any
        node runs, when the thread belongs to another definition or holds a run with other inputs.
        """
        session = self._begin(inputs, options)
        with session:
            if session.runs:
                with suppress(*ENDS):
                    for chunk in session.graph.stream(**session.arguments()):
                        session.absorb(chunk)
            return session.result()

    async def arun(self, inputs: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]) -> WorkflowResult:
        """`run` on the running loop. When the caller is cancelled every node is, and CancelledError goes on."""
        session = await self._abegin(inputs, options)
        with session:
            if session.runs:
                with suppress(*ENDS):
                    async with aclosing(session.graph.astream(**session.arguments())) as chunks:
                        async for chunk in chunks:
                            session.absorb(chunk)
            return session.result()

    def stream(self, inputs: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]) -> Iterator[StreamEvent]:
        """The events of `run` as they happen; the last one carries the result, also when the run failed."""
        yield from self._stream(self._begin(inputs, options))

    def astream(
        self, inputs: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[StreamEvent, None]:
        """The events of `arun` as they happen; the last one carries the result, also when the run failed.

        A consumer that leaves ends the run, whether it closes the stream or not; `aclose` also waits for that end.
        """
        return EventStream(self.events(inputs, **options))

    async def events(
        self, inputs: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[StreamEvent, None]:
        """As `astream`, as a plain generator, for a caller that always closes it."""
        async with aclosing(self._astream(await self._abegin(inputs, options))) as events:
            async for event in events:
                yield event

    def replay(
        self, thread_id: str, node: str, *, timeout: float | None = None, scope: RunScope | None = None
    ) -> WorkflowResult:
        """Run a thread again from where `node` was due, with what had been recorded until then.

        Raises WorkflowError when the node was never due, or when other branches were pending there: they would be lost.
        """
        self._thread(thread_id)
        now, history = self.graph.get_state(_config(thread_id)), self.graph.get_state_history(_config(thread_id))
        options: RunOptions = {"timeout": timeout, "scope": scope}
        return _last(list(self._stream(self._replaying(now, list(history), thread_id, node, options))))

    async def areplay(
        self, thread_id: str, node: str, *, timeout: float | None = None, scope: RunScope | None = None
    ) -> WorkflowResult:
        """`replay` on the running loop."""
        self._thread(thread_id)
        now = await self.graph.aget_state(_config(thread_id))
        history = [item async for item in self.graph.aget_state_history(_config(thread_id))]
        session = self._replaying(now, history, thread_id, node, {"timeout": timeout, "scope": scope})
        return _last([event async for event in self._astream(session)])

    def _stream(self, session: Session) -> Iterator[StreamEvent]:
        with session:
            if session.runs:
                with suppress(*ENDS), closing(session.chunks()) as chunks:
                    try:
                        for chunk in chunks:
                            yield from session.events(chunk)
                    except GeneratorExit:
                        # Closing waits for what runs: without this for as long as a coroutine likes to.
                        session.scope.cancel()
                        raise
            yield from session.end()

    async def _astream(self, session: Session) -> AsyncGenerator[StreamEvent, None]:
        with session:
            if session.runs:
                with suppress(*ENDS):
                    async with aclosing(session.achunks()) as chunks:
                        async for chunk in chunks:
                            for event in session.events(chunk):
                                yield event
            for event in session.end():
                yield event

    def _begin(self, inputs: Mapping[str, Any] | None, options: RunOptions) -> Session:
        thread, known = self._thread(options.get("thread_id"))
        return self._session(self.graph.get_state(_config(thread)) if known else None, thread, inputs, options)

    async def _abegin(self, inputs: Mapping[str, Any] | None, options: RunOptions) -> Session:
        thread, known = self._thread(options.get("thread_id"))
        return self._session(await self.graph.aget_state(_config(thread)) if known else None, thread, inputs, options)

    def _thread(self, thread_id: str | None) -> tuple[str | None, bool]:
        """The thread to run on, and whether it may have a history."""
        if self.checkpointer is not None:
            return thread_id or uuid.uuid4().hex, thread_id is not None
        if thread_id is not None:
            raise WorkflowError(
                f"workflow {self.workflow.name!r}: a thread_id was given, but the graph has no checkpointer",
                mend="compile it with a checkpointer, or leave thread_id out",
            )
        return None, False

    def _session(
        self, snapshot: Any, thread: str | None, inputs: Mapping[str, Any] | None, options: RunOptions
    ) -> Session:
        asked = Asked(inputs, options.get("resume", UNSET), options.get("start"), self._has_failed(snapshot))
        return Session(self, thread, decide(snapshot, self.workflow, self.mark, asked), options)

    def _replaying(self, now: Any, history: list[Any], thread_id: str, node: str, options: RunOptions) -> Session:
        state = self._state_of(now, thread_id)
        check_same(now.values["run"], self.workflow, self.mark, None)
        point = replay_point(self.workflow, state, history, node, self._has_failed(now))
        return Session(self, thread_id, Begin(None, point.values), {**options, "config": point.config})

    def _has_failed(self, snapshot: Any) -> bool:
        """Whether a failure ended the run: recorded, and not by a superstep that has still to end."""
        if snapshot is None or not self.drains:
            return False
        unsettled = {name for task in snapshot.tasks for name in (task.result or {}).get("steps", ())}
        records = read_mapping(snapshot.values.get("steps"))
        return any(record["status"] in FAILURES for name, record in records.items() if name not in unsettled)

    def state(self, thread_id: str) -> ThreadState:
        """Where a thread stands. Raises WorkflowError when it has no history here."""
        self._thread(thread_id)
        return self._state_of(self.graph.get_state(_config(thread_id)), thread_id)

    async def astate(self, thread_id: str) -> ThreadState:
        """`state`, for an asynchronous checkpointer."""
        self._thread(thread_id)
        return self._state_of(await self.graph.aget_state(_config(thread_id)), thread_id)

    def _state_of(self, snapshot: Any, thread_id: str) -> ThreadState:
        values = snapshot.values
        if not values.get("run"):
            raise WorkflowError(
                f"thread {thread_id!r} has no history", mend="give the thread_id of a run that has begun"
            )
        ended = self._has_failed(snapshot)
        walk = walked(self.workflow, values) if isinstance(self.workflow, SuccessorWorkflow) else Walked((), ())
        ahead = () if ended or not snapshot.tasks else due_steps(self.workflow, values)
        return ThreadState(
            thread_id,
            next=ahead,
            pending=walk.pending,
            visited=walk.visited,
            unfinished=bool(snapshot.tasks) and not ended,
            waits_for_answer=bool(snapshot.interrupts),
            statuses={name: NodeStatus(record["status"]) for name, record in read_mapping(values.get("steps")).items()},
        )


@dataclass(frozen=True)
class ThreadState:
    """Where a thread stands: the steps that run `next`, and in breadth-first all that are `pending`, in order.

    `visited` are in breadth-first all nodes that were ever put on the frontier. `unfinished` may be true while `next` is
    empty: only wiring is due. `waits_for_answer`: a person is asked.
    """

    thread_id: str
    next: tuple[str, ...]
    pending: tuple[str, ...]
    visited: tuple[str, ...]
    unfinished: bool
    waits_for_answer: bool
    statuses: Mapping[str, NodeStatus]


def _config(thread: str | None) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}


def _last(events: list[StreamEvent]) -> WorkflowResult:
    result = events[-1].result
    assert result is not None
    return result


def declaration_order(workflow: Workflow) -> dict[str, int]:
    """The place of every step in the definition."""
    steps = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
    return {step.name: index for index, step in enumerate(steps)}

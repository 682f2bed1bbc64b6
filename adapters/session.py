"""One run of a compiled workflow between its entry point and LangGraph: what is passed in, and what is made of what comes out.

The entry points differ only in how they wait; everything they share is here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, Self, TypedDict

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Durability

from .collecting import FAILURES, Collected, StreamEvent
from .errors import WorkflowError
from .limits import superstep_limit
from .nodes import FAILED
from .packing import unpack
from .results import NodeStatus, WorkflowResult
from .scope import Reported, RunScope, RunStopped
from .threads import Begin, Recorded

if TYPE_CHECKING:
    from .compiled import CompiledWorkflow

ENDS = (RunStopped, GraphDrained)
"""What ends a run without being an error of it: the run was stopped, or drained because a step failed."""


class RunOptions(TypedDict, total=False):
    """Options of one run.

    `thread_id`: the thread to begin or to go on with (needs a checkpointer). `resume`: the answer that a paused run waits
    for. `start`: the node to begin at (breadth-first). `timeout`: seconds for the whole run. `scope`: to cancel it from
    outside. `max_concurrency`: how many steps of one superstep run at once. `durability`: LangGraph's; `sync` by default,
    with which no superstep begins before the last one is on disk. `config`: more of LangGraph's own configuration. `eager`:
    whether `stream` shows what a step gave while others of its superstep still run (the default) or may wait for them,
    which costs less.
    """

    thread_id: str | None
    resume: Any
    start: str | None
    timeout: float | None
    scope: RunScope | None
    max_concurrency: int | None
    durability: Durability
    config: Mapping[str, Any]
    eager: bool


class Session:
    """One run. Use as a context manager, so that its background loop ends with it."""

    def __init__(
        self, compiled: CompiledWorkflow, thread: str | None, plan: Begin | Recorded, options: RunOptions
    ) -> None:
        self.compiled, self.plan = compiled, plan
        self.scope = options.get("scope") or RunScope(options.get("timeout"))
        self.scope.serializer = getattr(compiled.checkpointer, "serde", None)
        self.scope.finished = {}
        self.control = RunControl()
        self.durability: Durability = options.get("durability", "sync")
        self.collected = Collected(compiled.order, plan.known, thread)
        running = NodeStatus.RUNNING
        self.scope.recorded = frozenset(
            step for step, record in self.collected.records.items() if record["status"] != running
        )
        self.config = self._config(options, thread)
        # The thread that waits for the next event would be one of a limited number, and perhaps the only one.
        self.eager = options.get("eager", True) and self.config.get("max_concurrency") is None

    def _config(self, options: RunOptions, thread: str | None) -> dict[str, Any]:
        compiled, inputs = self.compiled, unpack(self.plan.known["run"]["inputs"])
        given = dict(options.get("config") or {})
        configurable = {**given.get("configurable", {}), **({"thread_id": thread} if thread else {})}
        limit = superstep_limit(compiled.workflow, compiled.bindings, inputs)
        config = {**given, "configurable": configurable, "recursion_limit": limit}
        width = options.get("max_concurrency")
        if width is not None and width < 1:
            raise WorkflowError(
                f"workflow {compiled.workflow.name!r}: max_concurrency is {width}; no step could ever run",
                mend="give at least 1, or leave it out",
            )
        return config if width is None else {**config, "max_concurrency": width}

    @property
    def graph(self) -> Any:
        """The graph to run: the workflow's own, or one that is entered elsewhere and has the same channels."""
        start = self.plan.start if isinstance(self.plan, Begin) else None
        return self.compiled.graph if start is None else self.compiled.entered_at(start)

    @property
    def runs(self) -> bool:
        """Whether anything has to run."""
        return isinstance(self.plan, Begin)

    def chunks(self) -> Generator[Mapping[str, Any], None, None]:
        """What the graph gives, for a synchronous caller. Closing it waits for what runs."""
        arguments = self.arguments()
        if not self.eager:
            yield from self.graph.stream(**arguments)
            return
        # LangGraph looks for events when a step ends, which may be before that step's own are there, and then not until
        # another one ends. With the mode `custom` it looks whenever there is one.
        self.scope.streams = self.grouped
        with closing(self.graph.stream(**{**arguments, "stream_mode": ["updates", "custom"]})) as chunks:
            for mode, chunk in chunks:
                if mode == "updates" or isinstance(chunk, Reported):
                    yield _as_update(chunk)

    async def achunks(self) -> AsyncGenerator[Mapping[str, Any], None]:
        """What the graph gives, for an asynchronous caller that looks at every step."""
        arguments = self.arguments()
        modes = ["updates", "custom"] if self.grouped else ["updates"]
        self.scope.streams = self.grouped
        async with aclosing(self.graph.astream(**{**arguments, "stream_mode": modes})) as chunks:
            async for mode, chunk in chunks:
                if mode == "updates" or isinstance(chunk, Reported):
                    yield _as_update(chunk)

    @property
    def grouped(self) -> bool:
        """Whether a LangGraph task may be more than one step, so that its update comes after they have ended."""
        return bool(getattr(self.graph, "grouped", False))

    def arguments(self) -> dict[str, Any]:
        """What the graph's stream is called with."""
        assert isinstance(self.plan, Begin)
        arguments = {
            "input": self.plan.given,
            "config": self.config,
            "context": self.scope,
            "control": self.control,
            "stream_mode": "updates",
        }
        # Not LangGraph's default: with `async` a killed process may lose steps that had ended, and run them again.
        return arguments if self.compiled.checkpointer is None else {**arguments, "durability": self.durability}

    def events(self, chunk: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The events of a chunk; asks LangGraph to start no other superstep when the run is to end."""
        for event in self.collected.fold(chunk):
            result = event.node_result
            self._go_on(failed=result is not None and result.status in FAILURES)
            yield event
        self._go_on()

    def absorb(self, chunk: Mapping[str, Any]) -> None:
        """As `events`, for a caller that wants the result alone."""
        self._go_on(failed=self.collected.absorb(chunk))

    def _go_on(self, failed: bool = False) -> None:
        # Also here, not only in the node: a failure that an earlier process recorded is replayed without its node.
        if failed and self.compiled.drains:
            self.control.request_drain(FAILED)
        if self.scope.stopped():
            self.scope.halted = True
            self.control.request_drain("the run was stopped")

    def end(self) -> Iterator[StreamEvent]:
        """The pause that the run came to, or that the thread was already in, and the result."""
        if isinstance(self.plan, Recorded) and self.plan.questions:
            for step, interrupt in self.plan.questions:
                self.scope.asks(step, [interrupt])
                self.collected.asked([interrupt])
        self.collected.records.update(self.scope.finished)
        yield from self.collected.pause(self.scope.asked)
        yield StreamEvent("result", result=self.collected.result(self.compiled.workflow, self.scope))

    def result(self) -> WorkflowResult:
        """The result alone."""
        *_, last = self.end()
        assert last.result is not None
        return last.result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.scope.close()


def _as_update(chunk: Any) -> Mapping[str, Any]:
    return {"step": {"steps": {chunk.name: chunk.record}}} if isinstance(chunk, Reported) else chunk

"""The runs that an executor has under way: their translated options, their progress, and how they are cancelled.

Which graph runs, and what callers get of its events, is the executor's matter.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any, Self

from .batch import BatchStop
from .collecting import StreamEvent
from .compiled import CompiledWorkflow
from .errors import WorkflowError
from .events import RunEvent, Subscriber, Subscriptions
from .options import translate
from .results import NodeStatus, WorkflowContext, WorkflowResult
from .scope import RunScope
from .threads import UNSET

_RUN_OPTIONS = ("context", "thread_id", "resume", "start", "timeout", "run_id", "on_event")


class Live:
    """What one executor has under way. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: set[Run] = set()
        self._batches: set[BatchStop] = set()

    def add(self, run: Run) -> None:
        """Let `cancel` find the run; it may be added more than once."""
        with self._lock:
            self._runs.add(run)

    def discard(self, run: Run) -> None:
        """The run has ended."""
        with self._lock:
            self._runs.discard(run)

    @contextmanager
    def batch(self, stop: BatchStop) -> Iterator[None]:
        """While inside, `cancel` finds the batch."""
        with self._lock:
            self._batches.add(stop)
        try:
            yield
        finally:
            with self._lock:
                self._batches.discard(stop)

    def cancel(self, name: str | None) -> int:
        """Cancel every run and batch of that name, or all; gives how many runs."""
        with self._lock:
            for batch in self._batches:
                if name is None or name in batch.names:
                    batch.request()
            runs = [run for run in self._runs if name is None or name in run.names]
        for run in runs:
            run.scope.cancel()
        return len(runs)


class Run:
    """One run: its translated options, its scope while it lasts, and its progress. `given` are the executor's own options."""

    def __init__(
        self,
        live: Live,
        subscriptions: Subscriptions,
        compiled: CompiledWorkflow,
        initial_data: Mapping[str, Any] | None,
        options: dict[str, Any],
        given: Mapping[str, Any],
    ) -> None:
        own = {name: options.pop(name) for name in _RUN_OPTIONS if name in options}
        own.update(translate(options, (*_RUN_OPTIONS, "initial_data"), stacklevel=5))
        self.compiled, self._live, self._subscriptions = compiled, live, subscriptions
        self.inputs = _inputs(own.get("initial_data", initial_data), own.get("context"))
        self.run_id: str = own.get("run_id") or uuid.uuid4().hex
        self.listener: Subscriber | None = own.get("on_event")
        self.scope = RunScope(own.get("timeout", given["timeout"]))
        thread_id: str | None = own.get("thread_id")
        self.names = frozenset(name for name in (self.run_id, thread_id) if name)
        self.arguments: dict[str, Any] = {
            "thread_id": thread_id,
            "resume": own.get("resume", UNSET),
            "start": own.get("start"),
            "scope": self.scope,
            "max_concurrency": given["max_concurrency"],
        }
        self._done: set[str] | None = None

    def belong_to(self, batch: BatchStop) -> None:
        """Be cancelled with the batch, also when that is told to stop just now."""
        self.names |= batch.names
        self._live.add(self)
        if batch.requested:
            self.scope.cancel()

    def __enter__(self) -> Self:
        self._live.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.discard(self)

    async def to_end(self) -> WorkflowResult:
        """Run on the running loop, telling whoever listens, and give the neutral result."""
        last = None
        with self:
            async with aclosing(self.compiled.events(self.inputs, **self.arguments)) as events:
                async for event in events:
                    self.publish(event)
                    last = event.result
        assert last is not None
        return last

    def is_heard(self) -> bool:
        """Whether anybody listens now."""
        return self.listener is not None or bool(self._subscriptions)

    def publish(self, event: StreamEvent) -> None:
        """Count the step, and tell whoever listens."""
        if self._done is None:
            self._done = set(self.scope.recorded)
        if event.node_id and event.node_result is not None and event.node_result.status is not NodeStatus.RUNNING:
            self._done.add(event.node_id)
        name, total = self.compiled.workflow.name, self.compiled.steps
        self._subscriptions.publish(RunEvent(self.run_id, name, event, len(self._done), total), self.listener)


def _inputs(initial_data: Any, context: Any) -> Mapping[str, Any] | None:
    if initial_data is not None and context is not None:
        raise WorkflowError("both initial_data and context were given", mend="pass one of them")
    value = context if context is not None else initial_data
    if isinstance(value, WorkflowContext) or (value is not None and not isinstance(value, Mapping)):
        value = getattr(value, "data", value)
    if value is not None and not isinstance(value, Mapping):
        raise WorkflowError(
            f"initial data must be a mapping, not {type(value).__name__}",
            mend="pass a dict, or a context that has `data`",
        )
    return value

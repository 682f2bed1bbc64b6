"""`GraphWorkflowExecutor`: the drop-in for a hand-rolled walker. It owns no traversal; the compiled graph runs.

Old arguments are translated by the table in `options`; results come back in the team's shape.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from .batch import BatchPolicy, BatchProgress, BatchResult, BatchRules, BatchStop, Ended, run_batch
from .cache import CompileCache, cache_of
from .collecting import FAILURES, StreamEvent
from .compiled import CompiledWorkflow, Traversal
from .compiling import FRONTIER_ABOVE, FRONTIER_WIDTH, compile_workflow
from .errors import WorkflowError
from .events import Subscriber, Subscriptions
from .model import DependencyWorkflow, SuccessorWorkflow, Workflow, parse_workflow
from .options import translate
from .oracle_dependency import FailurePolicy
from .results import WorkflowResult
from .running import Live, Run
from .shapes import NeutralShape, ResultShape
from .streaming import EventStream
from .views import Condition, Handler


class WorkflowFailedError(Exception):
    """A streamed run failed, after the updates that had succeeded were given. `result` is the whole result."""

    def __init__(self, result: WorkflowResult) -> None:
        super().__init__(f"workflow {result.workflow_name!r} failed: {result.error}")
        self.result = result


class GraphWorkflowExecutor:
    """Runs workflows on LangGraph behind the interface of a walker.

    `definition` turns a team's own definition into a neutral Workflow (dicts are understood without it); `shape` turns the
    neutral result into the team's class. `timeout` is seconds for a whole run, `max_concurrency` bounds a superstep, the
    frontier options are those of `compile_workflow`. `legacy` takes the walker's other options, see `LEGACY_OPTIONS`; raises UnsupportedOptionError for one that cannot work.
    """

    def __init__(
        self,
        handlers: Mapping[str, Handler] | None = None,
        *,
        conditions: Mapping[str, Condition] | None = None,
        checkpointer: Any = None,
        traversal: Traversal | None = None,
        failure_policy: FailurePolicy = "fail",
        timeout: float | None = None,
        max_concurrency: int | None = None,
        shape: ResultShape | None = None,
        definition: Callable[[Any], Workflow] | None = None,
        cache: CompileCache | None = None,
        frontier_above: int = FRONTIER_ABOVE,
        frontier_width: int = FRONTIER_WIDTH,
        on_event: Subscriber | None = None,
        **legacy: Any,
    ) -> None:
        mapped = translate(legacy, ("handlers", "timeout", "max_concurrency", "on_event"))
        self.handlers = dict(handlers or {})
        self.conditions = dict(conditions or {})
        self.checkpointer = checkpointer
        self.traversal: Traversal | None = traversal
        self.failure_policy: FailurePolicy = failure_policy
        self.timeout = mapped.get("timeout", timeout)
        self.max_concurrency = mapped.get("max_concurrency", max_concurrency)
        self.shape: ResultShape = shape or NeutralShape()
        self.definition = definition
        self.cache = cache_of(cache)
        self.frontier_above, self.frontier_width = frontier_above, frontier_width
        self._subscriptions = Subscriptions()
        self._live = Live()
        listener = mapped.get("on_event", on_event)
        if listener is not None:
            self._subscriptions.add(listener)

    def with_handlers(self, handlers: Mapping[str, Handler]) -> GraphWorkflowExecutor:
        """An executor like this one for other handlers, to replay what was recorded.

        It has no effect of its own: checkpoints stay in memory, nobody is subscribed, compiled graphs are not kept with ours.
        """
        other = copy.copy(self)
        other.handlers, other.cache = dict(handlers), CompileCache()
        other._subscriptions, other._live = Subscriptions(), Live()
        if other.checkpointer is not None:
            from langgraph.checkpoint.memory import InMemorySaver

            other.checkpointer = InMemorySaver()
        return other

    def compiled(self, workflow: Any) -> CompiledWorkflow:
        """The compiled graph of a definition, from the cache where it is there."""
        neutral = self._neutral(workflow)
        saver = None if self.checkpointer is None else id(self.checkpointer)
        options = (self.traversal, self.failure_policy, saver, self.frontier_above, self.frontier_width)
        return self.cache.get(neutral, self.handlers, self.conditions, options, lambda: self._compile(neutral))

    def _compile(self, workflow: Workflow) -> CompiledWorkflow:
        return compile_workflow(
            workflow,
            self.handlers,
            traversal=self.traversal,
            checkpointer=self.checkpointer,
            failure_policy=self.failure_policy,
            conditions=self.conditions,
            frontier_above=self.frontier_above,
            frontier_width=self.frontier_width,
        )

    def _neutral(self, workflow: Any) -> Workflow:
        if isinstance(workflow, SuccessorWorkflow | DependencyWorkflow):
            return workflow
        if self.definition is not None:
            return self.definition(workflow)
        if isinstance(workflow, Mapping):
            return parse_workflow(workflow)
        raise WorkflowError(
            f"a {type(workflow).__name__} is not a workflow",
            mend="pass a Workflow or a dict, or give the executor a `definition` function for your own class",
        )

    async def execute(self, workflow: Any, initial_data: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """Run to the end, a pause or a failure, and give the result in the team's shape.

        Options: `context` (an old context or mapping with the initial data), `thread_id`, `resume`, `start`, `timeout`,
        `run_id`, `on_event`, and the walker's legacy ones. Failures of nodes are in the result, not raised.
        """
        return self.shape.build(await self._run(workflow, initial_data, options).to_end())

    def execute_sync(self, workflow: Any, initial_data: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """`execute` for a caller without an event loop; asynchronous handlers are fine."""
        run = self._run(workflow, initial_data, options)
        last = None
        with run:
            for event in run.compiled.stream(run.inputs, **run.arguments, eager=run.is_heard()):
                run.publish(event)
                last = event.result
        assert last is not None
        return self.shape.build(last)

    def stream(
        self, workflow: Any, initial_data: Mapping[str, Any] | None = None, **options: Any
    ) -> Generator[StreamEvent, None, None]:
        """The updates of nodes that succeeded, a pause, and at last the result; same options as `execute`.

        Raises WorkflowFailedError, after every update that had succeeded, when the run fails.
        """
        run = self._run(workflow, initial_data, options)
        with run:
            for event in run.compiled.stream(run.inputs, **run.arguments):
                run.publish(event)
                if _is_shown(event):
                    yield event

    def astream(
        self, workflow: Any, initial_data: Mapping[str, Any] | None = None, **options: Any
    ) -> AsyncGenerator[StreamEvent, None]:
        """`stream` on the running loop. A consumer that leaves ends the run, whether it closes the stream or not."""
        return EventStream(self._astream(self._run(workflow, initial_data, options)))

    async def _astream(self, run: Run) -> AsyncGenerator[StreamEvent, None]:
        with run:
            async with aclosing(run.compiled.events(run.inputs, **run.arguments)) as events:
                async for event in events:
                    run.publish(event)
                    if _is_shown(event):
                        yield event

    async def batch(
        self,
        workflow: Any,
        inputs: Sequence[Mapping[str, Any]],
        *,
        max_concurrency: int = 8,
        retries: int = 0,
        backoff: float = 0.0,
        policy: BatchPolicy = "continue",
        on_progress: Callable[[BatchProgress], None] | None = None,
        **options: Any,
    ) -> BatchResult:
        """Run one workflow over many inputs, at most `max_concurrency` at once; results in the order of the inputs.

        Options are those of `execute`; a `thread_id` or `run_id` is the beginning of each item's own, and names the batch for
        `cancel`. An item that fails is tried again on a thread of its own; one that waits for a person, that was cancelled or
        that was refused is not. Raises UsageError for numbers or a policy that make no sense.
        """
        self.compiled(workflow)
        rules = BatchRules(max_concurrency, retries, backoff, policy, on_progress)
        stop = BatchStop(options.get("thread_id"), options.get("run_id"))

        async def one(item: Mapping[str, Any], index: int, attempt: int) -> Ended:
            mark = f"-{index}" if attempt == 1 else f"-{index}.{attempt}"
            own = {name: f"{options[name]}{mark}" for name in ("thread_id", "run_id") if options.get(name)}
            run = self._run(workflow, item, {**options, **own})
            run.belong_to(stop)
            result = await run.to_end()
            paused = result.interrupt is not None
            return Ended(self.shape.build(result), result.success, paused or run.scope.cancelled.is_set(), paused)

        with self._live.batch(stop):
            return await run_batch(one, inputs, rules, stop)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told of every event of every run of this executor; the returned function ends the subscription."""
        return self._subscriptions.add(subscriber)

    def cancel(self, run_id: str | None = None) -> int:
        """Cancel the run or batch (by its `run_id` or `thread_id`), or all; gives how many runs. Can be called from any thread.

        Coroutines are cancelled at once. A synchronous handler that already runs is waited for (or left behind, if it has a
        time limit or the run is asynchronous); nothing starts after it. The run gives a result whose error says so; a thread can be resumed.
        """
        return self._live.cancel(run_id)

    def _run(self, workflow: Any, initial_data: Mapping[str, Any] | None, options: dict[str, Any]) -> Run:
        given = {"timeout": self.timeout, "max_concurrency": self.max_concurrency}
        return Run(self._live, self._subscriptions, self.compiled(workflow), initial_data, options, given)


def _is_shown(event: StreamEvent) -> bool:
    """Whether a stream yields the event. Raises WorkflowFailedError for the end of a failed run."""
    result = event.result
    if result is not None and not result.success and result.interrupt is None:
        raise WorkflowFailedError(result)
    return event.node_result is None or event.node_result.status not in FAILURES

"""One LangGraph node for one step: carries the step's decisions out, and turns what must stop the run into a drain.

A failure never leaves the node as an exception: LangGraph would let siblings finish or cancel them depending on the entry
point, and run finished ones again on resume. It is a record; under the policy `fail` the run is drained, which lets the
superstep finish and starts no other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from .driving import Ask, adrive, drive
from .langgraph_private import RunnableCallable
from .scope import RunScope

FAILED = "a step failed"


class Written(NamedTuple):
    """What a step writes to the state (`update`, or a Command), and whether the run ends with it."""

    update: Any
    stops: bool = False


Body = Callable[[dict[str, Any], int], Generator[Any, Any, Written]]


def step_node(name: str, body: Body) -> Any:
    """A runnable with both a synchronous and an asynchronous form of `body(state, superstep)`."""

    def run(state: dict[str, Any], config: RunnableConfig, runtime: Runtime[Any]) -> Any:
        scope = scope_of(runtime)
        scope.enter(name)
        try:
            written = drive(body(state, superstep_of(config)), scope, ask)
        except GraphInterrupt as pause:
            scope.asks(name, pause.args[0])
            raise
        scope.leave(name)
        return stop_if(written, runtime).update

    async def arun(state: dict[str, Any], config: RunnableConfig, runtime: Runtime[Any]) -> Any:
        scope = scope_of(runtime)
        scope.enter(name)
        try:
            written = await adrive(body(state, superstep_of(config)), scope, ask)
        except GraphInterrupt as pause:
            scope.asks(name, pause.args[0])
            raise
        scope.leave(name)
        return stop_if(written, runtime).update

    # Injection looks at the annotation objects, which are texts in this module.
    for function in (run, arun):
        function.__annotations__.update(config=RunnableConfig, runtime=Runtime)
    return RunnableCallable(run, arun, name=name, trace=False)


def scope_of(runtime: Runtime[Any]) -> RunScope:
    """The run's scope; a scope without limits where the graph was not run by graphlift."""
    scope: RunScope = runtime.context or RunScope()
    return scope


def superstep_of(config: RunnableConfig) -> int:
    """The number of the superstep that is running."""
    step: int = config.get("metadata", {})["langgraph_step"]
    return step


def ask(question: Ask) -> Any:
    """Pause the run with the question; on resume, the answer."""
    return interrupt(question.payload)


def stop_if(written: Written, runtime: Runtime[Any]) -> Written:
    """Let the superstep end and no other begin, when the run ends with what was written."""
    if written.stops and runtime.control is not None:
        runtime.control.request_drain(FAILED)
    return written

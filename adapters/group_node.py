"""The LangGraph node of a group of steps: what it reads, what it tells the run, and what it writes at the end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime

from .driving import adrive, drive
from .frontier_channels import AGAIN, DONE, STOP, Plan
from .group_rows import Rows
from .group_running import Done, Group, config_of, run_on_loop, run_on_threads, workers_of
from .group_saver import STEPS
from .langgraph_private import READ_KEY, SEND_KEY, TASKS
from .nodes import Written, ask, scope_of, superstep_of
from .records import Record
from .results import NodeStatus

Body = Callable[[dict[str, Any], int], Generator[Any, Any, tuple[Written, Any]]]


class GroupNode:
    """Runs any of the steps of one graph together. `stops` says whether a record ends the run."""

    def __init__(
        self,
        bodies: Sequence[tuple[str, Body]],
        keys: list[str],
        plan: Plan,
        stops: Callable[[Record], bool],
        saver: Any,
    ) -> None:
        self.bodies, self.keys, self.plan, self.saver, self._stops = bodies, keys, plan, saver, stops
        self.numbers = {name: number for number, (name, _) in enumerate(bodies)}

    def run(self, steps: Sequence[int], config: RunnableConfig, runtime: Runtime[Any]) -> None:
        """Run the steps on threads."""
        job = _Job(self, steps, config, runtime)
        job.begin(job.group.rows.load())
        run_on_threads(job.group, job.work, workers_of(config))
        job.write()

    async def arun(self, steps: Sequence[int], config: RunnableConfig, runtime: Runtime[Any]) -> None:
        """Run the steps on the running loop."""
        job = _Job(self, steps, config, runtime)
        job.begin(await job.group.rows.aload())
        await run_on_loop(job.group, job.awork, config.get("max_concurrency"))
        job.write()

    def kind(self, record: Record) -> str:
        """What the scheduler is told of a step with that record."""
        if self._stops(record):
            return STOP
        return AGAIN if record["status"] == NodeStatus.RUNNING else DONE


class _Job:
    """One task of the node."""

    def __init__(self, node: GroupNode, steps: Sequence[int], config: RunnableConfig, runtime: Runtime[Any]) -> None:
        assert node.plan.groups is not None
        self.node, self.config, self.runtime = node, config, runtime
        self.configurable = config.get("configurable", {})
        self.scope = scope_of(runtime)
        self.group = Group(steps, Rows(node.saver, node.plan.groups, self.configurable), self.scope)
        self.state, self.superstep = self.configurable[READ_KEY](node.keys), superstep_of(config)

    def begin(self, kept: dict[str, Record]) -> None:
        before = var_child_runnable_config.set(self.config)
        self.group.begin(self.node.numbers, kept, self._tell)
        var_child_runnable_config.reset(before)

    def work(self, step: int) -> Done | None:
        name, body = self.node.bodies[step]
        self.scope.enter(name)
        var_child_runnable_config.set(config_of(self.config, step))
        try:
            done = drive(body(self.state, self.superstep), self.scope, ask)
        except GraphInterrupt:
            self.scope.leave(name)
            return None
        return self._ended(name, done)

    async def awork(self, step: int) -> Done | None:
        name, body = self.node.bodies[step]
        self.scope.enter(name)
        var_child_runnable_config.set(config_of(self.config, step))
        try:
            done = await adrive(body(self.state, self.superstep), self.scope, ask)
        except GraphInterrupt:
            self.scope.leave(name)
            return None
        return self._ended(name, done)

    def write(self) -> None:
        records, told = self.group.writes(self.node.kind)
        self.configurable[SEND_KEY]([*([(STEPS, records)] if records else ()), (TASKS, told)])

    def _ended(self, name: str, done: tuple[Written, Any]) -> Done:
        self.scope.leave(name)
        record: Record = done[0].update[STEPS][name]
        self._tell(name, record)
        return name, record

    def _tell(self, name: str, record: Record) -> None:
        self.scope.report(name, record, self.runtime.stream_writer)

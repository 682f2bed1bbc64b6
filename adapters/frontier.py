"""The frontier form of a compiled workflow: the same steps, scheduled by one channel instead of by edges.

Chosen above a number of steps, because the cost of a step is then flat. What a run does and gives is the same as with edges.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.channels.delta import DeltaChannel
from langgraph.channels.ephemeral_value import EphemeralValue
from langgraph.channels.last_value import LastValue
from langgraph.constants import TAG_HIDDEN
from langgraph.errors import GraphInterrupt
from langgraph.pregel import Pregel
from langgraph.runtime import Runtime

from .asking import may_ask
from .bindings import Bindings
from .driving import adrive, drive
from .frontier_channels import AGAIN, BEGIN, DONE, STOP, Countdown, Groups, Plan, Scheduler, Walk, token
from .graphs import dependents_of, visited_nodes
from .group_node import Body, GroupNode
from .group_saver import GroupSaver
from .langgraph_private import READ_KEY, SEND_KEY, TASKS, ChannelWrite, PregelNode, RunnableCallable
from .layers import add_layer, read_mapping
from .model import AnyNode, DependencyWorkflow, SuccessorWorkflow
from .names import encode
from .nodes import Written, ask, scope_of, stop_if, superstep_of
from .packing import pack
from .records import to_record
from .scope import RunScope
from .visiting import visit
from .wire_breadth_first import view_of
from .wire_dependency import DependencySteps

SNAPSHOT_EVERY = 1000
NAMED_UP_TO = 1000
ONE_NODE = "step"
SYNC_WIDTH = max(24, min(32, (os.cpu_count() or 1) + 4))
"""Steps a superstep where nodes run on threads: as many as Python's pool has, or enough to keep a smaller pool busy.

All tasks of a superstep live until its end, and with 128 of them Python's collector walks the whole heap often enough to double
the cost of a step. Of steps in groups there is one task a superstep, whatever its width.
"""


class FrontierGraph(Pregel[Any, Any, Any, Any]):
    """A Pregel graph whose channel of Sends is a Scheduler."""

    scheduler: Scheduler

    @property
    def grouped(self) -> bool:
        """Whether steps that are due together are one LangGraph task."""
        return self.scheduler.plan.groups is not None

    def validate(self) -> Any:
        """Put the scheduler in its place (Pregel's constructor always resets that channel), then validate."""
        self.channels[TASKS] = self.scheduler
        self.scheduler.key = TASKS
        return super().validate()


def wire_frontier_dependency(
    workflow: DependencyWorkflow, steps: DependencySteps, checkpointer: Any, width: int
) -> FrontierGraph:
    """The frontier form of a workflow in dependency style; at most `width` steps a superstep."""
    number = steps.index
    groups = _groups_of(steps) if checkpointer is not None and len(number) > NAMED_UP_TO else None
    dependents = dependents_of(steps.steps)
    plan = Plan(
        node_names(list(number), checkpointer),
        tuple(tuple(number[name] for name in dependents[step]) for step in number),
        tuple(len(set(step.depends_on)) for step in steps.steps.values()),
        width,
        loops=frozenset(number[name] for name in number if steps.left_late(name)),
        groups=groups,
    )
    bodies = [(name, partial(_turn_body, steps, name)) for name in number]
    keys = ("run", "steps")
    if groups is None:
        return _graph(workflow.name, Countdown(plan), bodies, keys, checkpointer)
    node = GroupNode(bodies, list(keys), plan, steps.stops, checkpointer)
    return _graph(workflow.name, Countdown(plan), bodies, keys, GroupSaver(checkpointer), node)


def _groups_of(steps: DependencySteps) -> Groups:
    handlers = steps.bindings.handlers
    asking = {key: may_ask(handler) for key, handler in {id(value): value for value in handlers.values()}.items()}
    return Groups(frozenset(steps.index[name] for name, handler in handlers.items() if asking[id(handler)]))


def _turn_body(
    steps: DependencySteps, name: str, state: dict[str, Any], _: int
) -> Generator[Any, Any, tuple[Written, Any]]:
    records = read_mapping(state.get("steps"))
    record, again = yield from steps.work(name, state["run"]["inputs"], records)
    # The scheduler ends the run: a drain here would part the steps of a round that is wider than a superstep.
    kind = STOP if steps.stops(record) else AGAIN if again else DONE
    return Written({"steps": {name: record}}), token(kind, steps.index[name])


def wire_frontier_breadth_first(
    workflow: SuccessorWorkflow, bindings: Bindings, checkpointer: Any, start: str | None = None
) -> FrontierGraph:
    """The frontier form of a workflow in successor style, entered at `start` or its own start."""
    nodes = visited_nodes(workflow)
    number = {node.name: index for index, node in enumerate(nodes)}
    plan = Plan(node_names(list(number), checkpointer), (), (), width=1, begin=number[start or workflow.start])
    bodies = [(node.name, partial(_visit_body, node, bindings, number)) for node in nodes]
    return _graph(workflow.name, Walk(plan), bodies, ("run", "steps", "data"), checkpointer)


def _visit_body(
    node: AnyNode, bindings: Bindings, number: dict[str, int], state: dict[str, Any], superstep: int
) -> Generator[Any, Any, tuple[Written, Any]]:
    done = yield from visit(node, view_of(node.name, state), bindings)
    update: dict[str, Any] = {"steps": {node.name: to_record(done.result, superstep)}}
    if done.changes:
        update["data"] = pack(dict(done.changes))
    targets = [number[name] for name in dict.fromkeys(done.targets)] if done.result.success else None
    return Written(update), token(DONE, number[node.name], targets)


def node_names(steps: Sequence[str], checkpointer: Any) -> tuple[str, ...]:
    """LangGraph's node of each step: its own, or one for all in a long workflow that keeps checkpoints.

    LangGraph writes the name of every node that has run into every checkpoint. That is what makes the checkpoints of a long
    chain grow, and with one name they do not. Results, streams and states name the steps either way.
    """
    if checkpointer is not None and len(steps) > NAMED_UP_TO:
        return (ONE_NODE,) * len(steps)
    return tuple(encode(name) for name in steps)


def _graph(
    name: str,
    scheduler: Scheduler,
    bodies: Sequence[tuple[str, Body]],
    keys: tuple[str, ...],
    checkpointer: Any,
    group: GroupNode | None = None,
) -> FrontierGraph:
    begin = ChannelWrite.register_writer(
        RunnableCallable(_beginner(scheduler.plan), _abeginner(scheduler.plan), name="__start__", trace=False)
    )
    nodes = {"__start__": PregelNode(channels="__start__", triggers=["__start__"], tags=[TAG_HIDDEN], writers=[begin])}
    writer = _step_writer(bodies, list(keys), group)
    for node in dict.fromkeys(scheduler.plan.nodes):
        nodes[node] = PregelNode(channels=[], triggers=[], writers=[writer])
    channels: dict[str, Any] = {"__start__": EphemeralValue(dict), "run": LastValue(dict)}
    for key in keys[1:]:
        channels[key] = DeltaChannel(add_layer, list, snapshot_frequency=SNAPSHOT_EVERY)
    kind: type[FrontierGraph] = type("FrontierGraph", (FrontierGraph,), {"scheduler": scheduler})
    return kind(
        nodes=nodes,
        channels=channels,
        input_channels="__start__",
        output_channels=list(keys),
        stream_channels=list(keys),
        stream_mode="updates",
        checkpointer=checkpointer,
        name=name,
    )


def _beginner(plan: Plan) -> Callable[..., None]:
    def write(given: dict[str, Any], config: RunnableConfig) -> None:
        threads = max(SYNC_WIDTH, config.get("max_concurrency") or 0)
        _begin(plan, given, config, plan.width if plan.groups is not None else threads)

    return write


def _abeginner(plan: Plan) -> Callable[..., Any]:
    async def awrite(given: dict[str, Any], config: RunnableConfig) -> None:
        _begin(plan, given, config, plan.width)

    return awrite


def _begin(plan: Plan, given: dict[str, Any], config: RunnableConfig, width: int) -> None:
    writes = [(key, given[key]) for key in ("run", "steps", "data") if given.get(key)]
    config.get("configurable", {})[SEND_KEY]([*writes, (TASKS, token(BEGIN, plan.begin, width))])


def _step_writer(bodies: Sequence[tuple[str, Body]], keys: list[str], group: GroupNode | None) -> Any:
    """The nodes of all steps: one runnable that is given a step's number, reads the state, does the work and writes.

    A group's numbers are the group's own matter.
    """

    def run(number: int | list[int], config: RunnableConfig, runtime: Runtime[Any]) -> None:
        if isinstance(number, list):
            assert group is not None
            return group.run(number, config, runtime)
        (name, body), scope, configurable = bodies[number], scope_of(runtime), config.get("configurable", {})
        scope.enter(name)
        with _current(config, scope, name):
            done = drive(body(configurable[READ_KEY](keys), superstep_of(config)), scope, ask)
        scope.leave(name)
        if group is not None:
            scope.finished.update(done[0].update["steps"])
        return _write(done, configurable, runtime)

    async def arun(number: int | list[int], config: RunnableConfig, runtime: Runtime[Any]) -> None:
        if isinstance(number, list):
            assert group is not None
            return await group.arun(number, config, runtime)
        (name, body), scope, configurable = bodies[number], scope_of(runtime), config.get("configurable", {})
        scope.enter(name)
        with _current(config, scope, name):
            done = await adrive(body(configurable[READ_KEY](keys), superstep_of(config)), scope, ask)
        scope.leave(name)
        if group is not None:
            scope.finished.update(done[0].update["steps"])
        return _write(done, configurable, runtime)

    for function in (run, arun):
        function.__annotations__.update(config=RunnableConfig, runtime=Runtime)
    return ChannelWrite.register_writer(RunnableCallable(run, arun, name=ONE_NODE, trace=False))


class _current:  # noqa: N801  (a context manager, written as a class because it runs once a step)
    """Make a task's configuration the current one, as LangGraph's own sequences do: `interrupt` and handlers look for it.

    Notes which step an interrupt came from.
    """

    __slots__ = ("_config", "_name", "_scope", "_token")

    def __init__(self, config: RunnableConfig, scope: RunScope, name: str) -> None:
        self._config, self._scope, self._name = config, scope, name

    def __enter__(self) -> None:
        self._token = var_child_runnable_config.set(self._config)

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        var_child_runnable_config.reset(self._token)
        if isinstance(error, GraphInterrupt):
            self._scope.asks(self._name, error.args[0])


def _write(done: tuple[Written, Any], configurable: dict[str, Any], runtime: Runtime[Any]) -> None:
    written, sent = done
    stop_if(written, runtime)
    configurable[SEND_KEY]([*written.update.items(), (TASKS, sent)])

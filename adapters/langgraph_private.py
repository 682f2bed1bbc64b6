"""The private names of LangGraph that graphlift relies on: all of them, and in no other module.

Each is looked up by module and name, so that a LangGraph that moved one is named in the error instead of failing somewhere
else. Nothing here changes LangGraph.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

from .errors import EnvironmentProblem

LOOKED_UP: dict[str, str] = {}
"""Every private name used (`module.name`) and what it is used for; the tests walk this table."""


def private(module: str, name: str, use: str) -> Any:
    """The private object, or an `EnvironmentProblem` that names what this version of LangGraph moved."""
    LOOKED_UP[f"{module}.{name}"] = use
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise EnvironmentProblem(
            f"langgraph {version('langgraph')} has no {module}.{name}, which graphlift needs {use}",
            mend="install a version of langgraph that graphlift supports",
        ) from error


_CONSTANTS = "langgraph._internal._constants"
_ALGORITHM = "langgraph.pregel._algo"

MISSING: Any = private("langgraph._internal._typing", "MISSING", "to restore a channel that has no value")

TASKS: str = private(_CONSTANTS, "TASKS", "to read the Sends in flight")
PUSH: str = private(_CONSTANTS, "PUSH", "to recompute the id of a task that a Send started")
PULL: str = private(_CONSTANTS, "PULL", "to recompute the id of a task that an edge started")
INTERRUPT: str = private(_CONSTANTS, "INTERRUPT", "to tell an interrupted task")
RESUME: str = private(_CONSTANTS, "RESUME", "to tell an answered interrupt")
ERROR: str = private(_CONSTANTS, "ERROR", "to tell a failed task")
HANDLED: str = private(_CONSTANTS, "ERROR_SOURCE_NODE", "to tell a failed task whose error was handled")
INPUT: str = private(_CONSTANTS, "INPUT", "to tell what the input has seen from what nodes have")
BRANCH_TO: str = private("langgraph.graph.state", "_CHANNEL_BRANCH_TO", "to tell which node an edge's channel starts")
NULL_TASK_ID: str = private(_CONSTANTS, "NULL_TASK_ID", "to tell writes that no task made")
READ_KEY: str = private(_CONSTANTS, "CONFIG_KEY_READ", "to read a channel from inside a node")

hash_task_id: Callable[..., str] = private(_ALGORITHM, "_xxhash_str", "to recompute the id of a task")
hash_task_id_v1: Callable[..., str] = private(
    _ALGORITHM, "_uuid5_str", "to recompute the id of a task in old checkpoints"
)

RunnableCallable: Any = private(
    "langgraph._internal._runnable", "RunnableCallable", "to give one node a synchronous and an asynchronous body"
)
PregelNode: Any = private("langgraph.pregel._read", "PregelNode", "to add a node that only a Send triggers")
ChannelWrite: Any = private("langgraph.pregel._write", "ChannelWrite", "to let a node write its own channels")
SEND_KEY: str = private(_CONSTANTS, "CONFIG_KEY_SEND", "to write a channel from inside a node")

CHECKPOINT_MAP: str = private(_CONSTANTS, "CONFIG_KEY_CHECKPOINT_MAP", "to tell which checkpoint a task runs on")
CHECKPOINT_NS: str = private(_CONSTANTS, "CONFIG_KEY_CHECKPOINT_NS", "to keep apart what the steps of one task start")
SCRATCHPAD: str = private(_CONSTANTS, "CONFIG_KEY_SCRATCHPAD", "to keep apart the questions of the steps of one task")
DURABILITY: str = private(_CONSTANTS, "CONFIG_KEY_DURABILITY", "to keep nothing before the end where that is asked for")
RESUMING: str = private(
    _CONSTANTS, "CONFIG_KEY_RESUMING", "to look for what an earlier process left only where it can be"
)

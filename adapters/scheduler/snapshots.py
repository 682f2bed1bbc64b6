"""Checkpoints as the scheduler's record: what is read from a saver, without the state that the nodes computed.

Reading is one pass over `saver.list`; nothing is written, and no graph is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError
from ..langgraph_private import BRANCH_TO, ERROR, HANDLED, INPUT, INTERRUPT, NULL_TASK_ID, RESUME, TASKS

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

BRANCH = BRANCH_TO.format("")
JOIN = "join:"
START = "__start__"
CONTROL: Final = frozenset({INTERRUPT, RESUME, ERROR, HANDLED})
"""Writes that say what happened to a task, not what it produced."""
BOOKKEEPING: Final = frozenset({INPUT, INTERRUPT, "__snapshot_bumps__"})
"""Keys of `versions_seen` that are no node's: the input, what interrupts have passed, snapshots without a run.

The last has no name in the older versions that are supported."""


class _Held:
    """Stands for a channel value that was present and is none of the scheduler's business."""

    def __repr__(self) -> str:
        return "<a value>"


HELD: Final = _Held()


def is_wiring_channel(channel: str) -> bool:
    """Whether the channel's name says that it triggers nodes (what StateGraph's compiler calls them)."""
    return channel.startswith((BRANCH, JOIN)) or channel in (START, TASKS)


@dataclass(frozen=True)
class Write:
    """One write of a task, recorded with the checkpoint from which the task started."""

    task: str
    channel: str
    value: Any = None

    @property
    def anonymous(self) -> bool:
        """Whether no task made it: input to the superstep, such as a `Command`."""
        return self.task == NULL_TASK_ID


@dataclass(frozen=True)
class Snapshot:
    """What one checkpoint says about scheduling.

    `seen` is node -> channel -> version, `values` the channels that held a value: triggers with it, others as `HELD`.
    `parents` maps the enclosing namespaces to the checkpoints from which this namespace was started.
    """

    id: str
    parent: str | None
    namespace: str
    step: int | None
    source: str
    form: int
    versions: Mapping[str, Any]
    seen: Mapping[str, Mapping[str, Any]]
    values: Mapping[str, Any]
    writes: tuple[Write, ...] = ()
    parents: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def commanded(self) -> frozenset[str]:
        """Channels that a `Command` wrote on top of the checkpoint; applied when the run starts, before anything is due."""
        return frozenset(write.channel for write in self.writes if write.anonymous and write.channel != RESUME)

    @property
    def sends(self) -> list[Any]:
        """The Sends in flight: those a `Command` gave on top of the checkpoint, else those that it holds."""
        given = [write.value for write in self.writes if write.anonymous and write.channel == TASKS]
        return given or list(self.values.get(TASKS) or ())


@dataclass(frozen=True)
class Thread:
    """All that a saver holds about one thread, by namespace and checkpoint."""

    id: str
    namespaces: Mapping[str, Mapping[str, Snapshot]]

    def latest(self, namespace: str = "") -> Snapshot | None:
        """The newest checkpoint of a namespace; ids sort in the order in which checkpoints were made."""
        known = self.namespaces.get(namespace)
        return known[max(known)] if known else None

    def chain(self, namespace: str = "", checkpoint: str | None = None) -> list[Snapshot]:
        """The branch of history that ends at `checkpoint` (the newest when None), oldest first."""
        known = self.namespaces.get(namespace, {})
        cursor = known.get(checkpoint) if checkpoint else self.latest(namespace)
        found: list[Snapshot] = []
        while cursor is not None:
            found.append(cursor)
            cursor = known.get(cursor.parent) if cursor.parent else None
        return found[::-1]


def read_thread(
    saver: BaseCheckpointSaver[Any], thread: str, keep: Callable[[str], bool] = is_wiring_channel
) -> Thread:
    """Read a thread, every namespace of it. `keep` says of which channels the value is needed.

    Raises `UsageError` when the saver knows no such thread, or can only be read from its own event loop.
    """
    namespaces: dict[str, dict[str, Snapshot]] = {}
    for found in _tuples(saver, thread):
        try:
            snapshot = _snapshot(found, keep)
        except (KeyError, TypeError, AttributeError) as error:
            place = _place(found.config).get("checkpoint_id")
            raise UsageError(
                f"checkpoint {place} of thread {thread!r} cannot be read: {type(error).__name__}: {error}",
                mend="it is damaged, or not LangGraph's; restore the database from a copy",
            ) from error
        namespaces.setdefault(snapshot.namespace, {})[snapshot.id] = snapshot
    if not namespaces:
        raise UsageError(f"the saver holds no checkpoint of thread {thread!r}", mend=_known_threads(saver))
    return Thread(thread, namespaces)


def _tuples(saver: BaseCheckpointSaver[Any], thread: str) -> Iterator[CheckpointTuple]:
    from asyncio import InvalidStateError

    try:
        yield from saver.list({"configurable": {"thread_id": thread}})
    except InvalidStateError as error:
        raise UsageError(
            f"{type(saver).__name__} cannot be read from the thread of its event loop",
            mend="open the same database with the synchronous saver, or call from another thread",
        ) from error


def _known_threads(saver: BaseCheckpointSaver[Any]) -> str:
    names = dict.fromkeys(str(_place(found.config).get("thread_id")) for found in saver.list(None, limit=200))
    shown = ", ".join(repr(name) for name in sorted(names)[:8])
    return (
        f"name one of its threads: {shown}" if shown else "the saver is empty; run the graph with a checkpointer first"
    )


def _snapshot(found: CheckpointTuple, keep: Callable[[str], bool]) -> Snapshot:
    place = _place(found.config)
    checkpoint, metadata = found.checkpoint, found.metadata or {}
    return Snapshot(
        id=checkpoint["id"],
        parent=_place(found.parent_config).get("checkpoint_id"),
        namespace=place.get("checkpoint_ns", ""),
        step=metadata.get("step"),
        source=metadata.get("source") or "loop",
        form=checkpoint["v"],
        versions=checkpoint["channel_versions"],
        seen=checkpoint["versions_seen"],
        values={name: value if keep(name) else HELD for name, value in checkpoint["channel_values"].items()},
        writes=tuple(Write(task, name, _kept(name, value)) for task, name, value in found.pending_writes or ()),
        parents=metadata.get("parents") or {},
    )


def _place(config: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (config or {}).get("configurable") or {}


def _kept(channel: str, value: Any) -> Any:
    return value if channel.startswith(JOIN) or channel == TASKS or channel in CONTROL else HELD

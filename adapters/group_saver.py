"""What a group of steps has finished, kept while the group still runs: rows of its own beside the group's LangGraph task.

The rows hang on the checkpoint that the group started from, under ids derived from its task's, as writes of the channel
`steps`: LangGraph replays them with the task's own writes. Nothing is kept twice: the task writes what no row holds yet.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, KeysView, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from langgraph.checkpoint.base import BaseCheckpointSaver

from .frontier_channels import GROUP
from .langgraph_private import NULL_TASK_ID, TASKS
from .records import Record

STEPS = "steps"
Writes = Sequence[tuple[str, str, Any]]


class Rest(dict[str, Any]):
    """A dict of all that a group finished, of which only what no row holds is written to a checkpoint.

    LangGraph's serializer copies the dict that lies underneath, which is that rest; everyone who reads it as a mapping sees
    the whole. A serializer that reads it so writes more than it must, which is no harm.
    """

    def __init__(self, rest: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
        super().__init__(rest)
        self._whole = whole

    def __getitem__(self, key: str) -> Any:
        return self._whole[key]

    def __contains__(self, key: object) -> bool:
        return key in self._whole

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)

    def __reduce__(self) -> Any:
        return dict, (dict(self._whole),)

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """The names of all."""
        return self._whole.keys()

    def items(self) -> Any:
        """All."""
        return self._whole.items()

    def values(self) -> Any:
        """The records of all."""
        return self._whole.values()

    def get(self, key: str, default: Any = None) -> Any:
        """As of a dict of all."""
        return self._whole.get(key, default)


def row_id(checkpoint_id: str, number: int) -> str:
    """The id under which a group's row of that number is kept; a superstep has one group at most."""
    return str(uuid5(UUID(checkpoint_id), f"graphlift group {number}"))


def rows_of(checkpoint_id: str, writes: Writes) -> dict[str, dict[str, Record]]:
    """The rows of the group that a checkpoint's writes hold, by their ids, in their order."""
    kept = {writer: value for writer, channel, value in writes if channel == STEPS}
    rows: dict[str, dict[str, Record]] = {}
    while (key := row_id(checkpoint_id, len(rows))) in kept:
        rows[key] = kept[key]
    return rows


def regrouped(saved: Any) -> Any:
    """A checkpoint's tuple with the rows given back to their group's task where it has ended, for LangGraph to apply again.

    Where it has not, LangGraph is to read them as what the checkpoint itself holds; the task goes on from them.
    """
    rows = rows_of(saved.checkpoint["id"], saved.pending_writes) if saved and saved.pending_writes else ()
    if not rows:
        return saved
    ended = (writer for writer, channel, value in saved.pending_writes if channel == TASKS and value.arg[0] == GROUP)
    owner = next(ended, NULL_TASK_ID)
    writes = [(owner if writer in rows else writer, *rest) for writer, *rest in saved.pending_writes]
    return saved._replace(pending_writes=writes)


class GroupSaver(BaseCheckpointSaver[Any]):
    """A saver as it is, but for what it gives back: see `regrouped`."""

    def __init__(self, inner: Any) -> None:
        super().__init__(serde=inner.serde)
        self.inner = inner
        own = {"inner", "serde", *vars(type(self))}
        for name in dir(inner):
            if not name.startswith("_") and name not in own:
                setattr(self, name, getattr(inner, name))

    def with_allowlist(self, *arguments: Any, **more: Any) -> GroupSaver:
        """A copy that takes more types, as LangGraph asks for."""
        return GroupSaver(self.inner.with_allowlist(*arguments, **more))

    @property
    def config_specs(self) -> Any:
        """The saver's own."""
        return self.inner.config_specs

    def get_tuple(self, config: Any) -> Any:
        """The saver's, regrouped."""
        return regrouped(self.inner.get_tuple(config))

    async def aget_tuple(self, config: Any) -> Any:
        """The saver's, regrouped."""
        return regrouped(await self.inner.aget_tuple(config))

    def list(self, *arguments: Any, **more: Any) -> Iterator[Any]:
        """The saver's, regrouped."""
        return map(regrouped, self.inner.list(*arguments, **more))

    async def alist(self, *arguments: Any, **more: Any) -> AsyncIterator[Any]:
        """The saver's, regrouped."""
        async for saved in self.inner.alist(*arguments, **more):
            yield regrouped(saved)

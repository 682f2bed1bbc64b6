"""Group commit: what a group's steps finish goes to the saver together, as much as came while the last write was under way.

Whoever runs the group calls `flush` (or `aflush`) as long as steps run; what is left at the end its task writes itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .frontier_channels import Groups
from .group_saver import STEPS, Rest, row_id, rows_of
from .langgraph_private import CHECKPOINT_MAP, CHECKPOINT_NS, DURABILITY, RESUMING
from .records import Record

NS_SEPARATOR = "|"


class Rows:
    """The rows of one group on one checkpoint. `add` may be called from any thread; all else is the writer's."""

    def __init__(self, saver: Any, groups: Groups, configurable: Mapping[str, Any]) -> None:
        space = NS_SEPARATOR.join(configurable[CHECKPOINT_NS].split(NS_SEPARATOR)[:-1])
        self.saver, self.groups = saver, groups
        self.checkpoint_id: str = configurable[CHECKPOINT_MAP][space]
        self.config = {
            "configurable": {**configurable, "checkpoint_ns": space, "checkpoint_id": self.checkpoint_id},
        }
        # With `exit` LangGraph keeps nothing before the run ends.
        self.keeps = configurable.get(DURABILITY) != "exit"
        self.may_hold = bool(configurable.get(RESUMING))
        self.unsaved: deque[tuple[str, Record]] = deque()
        self.saved: set[str] = set()
        self.number = 0

    def load(self) -> dict[str, Record]:
        """What an earlier process finished of this group."""
        return self._loaded(self.saver.get_tuple(self.config)) if self.may_hold else {}

    async def aload(self) -> dict[str, Record]:
        """`load`, for an asynchronous saver."""
        return self._loaded(await self.saver.aget_tuple(self.config)) if self.may_hold else {}

    def add(self, name: str, record: Record) -> None:
        """Note what is to be kept, where anything is."""
        if self.keeps and self.groups.on:
            self.unsaved.append((name, record))

    def flush(self) -> None:
        """Keep what is not kept yet, in one row. Raises what the saver raises."""
        taken = self._take()
        if taken:
            self.saver.put_writes(self.config, [(STEPS, taken)], row_id(self.checkpoint_id, self.number))
            if self.groups.trusted is None:
                self._judge(self.saver.get_tuple(self.config))
            self._done(taken)

    async def aflush(self) -> None:
        """`flush`, for an asynchronous saver; a write that has begun is waited for, also by who is cancelled."""
        taken = self._take()
        if taken:
            key = row_id(self.checkpoint_id, self.number)
            write = asyncio.ensure_future(self.saver.aput_writes(self.config, [(STEPS, taken)], key))
            try:
                await asyncio.shield(write)
            except asyncio.CancelledError:
                await asyncio.wait([write])
                with suppress(BaseException):
                    write.result()
                    self._done(taken)
                raise
            if self.groups.trusted is None:
                self._judge(await self.saver.aget_tuple(self.config))
            self._done(taken)

    def rest_of(self, whole: dict[str, Record]) -> dict[str, Record]:
        """What the group's task writes of all that was finished."""
        if not self.saved:
            return whole
        return Rest({name: record for name, record in whole.items() if name not in self.saved}, whole)

    def _loaded(self, found: Any) -> dict[str, Record]:
        rows = {} if found is None else rows_of(self.checkpoint_id, found.pending_writes or ())
        self.number = len(rows)
        loaded = {name: record for row in rows.values() for name, record in row.items()}
        self.saved.update(loaded)
        return loaded

    def _take(self) -> dict[str, Record]:
        count = len(self.unsaved)
        return dict(self.unsaved.popleft() for _ in range(count))

    def _judge(self, found: Any) -> None:
        """Whether the saver keeps rows of others than LangGraph's tasks; told once, as soon as the checkpoint is there."""
        if found is not None:
            held = {writer for writer, *_ in found.pending_writes or ()}
            self.groups.trusted = self.groups.on = row_id(self.checkpoint_id, self.number) in held

    def _done(self, taken: Mapping[str, Record]) -> None:
        self.number += 1
        if self.groups.trusted:
            self.saved.update(taken)

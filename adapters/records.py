"""Node results as they go into a checkpoint: plain dicts without what has its default, and the views over them.

Plain data, so that a checkpoint can be read by another version, another tool, or a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .packing import pack, unpack
from .results import NodeResult, NodeStatus

Record = dict[str, Any]

_STATUS = {status.value: status for status in NodeStatus}
USABLE = (NodeStatus.COMPLETED.value, NodeStatus.RUNNING.value)


def to_record(result: NodeResult, at: int = 0) -> Record:
    """The record of a result. `at` gives the order of execution: the superstep, or the round of an in-degree executor."""
    record: Record = {"status": result.status.value, "at": at, "seconds": result.duration_seconds}
    if result.output is not None:
        record["output"] = pack(result.output)
    if result.error is not None:
        record["error"] = result.error
    if result.tool_calls_used:
        record["tool_calls"] = result.tool_calls_used
    if result.runs != 1:
        record["runs"] = result.runs
    if result.children:
        record["children"] = [{**to_record(child), "name": child.node_id} for child in result.children]
    if result.metadata:
        record["metadata"] = pack(dict(result.metadata))
    return record


def from_record(name: str, record: Mapping[str, Any]) -> NodeResult:
    """The result that a record holds."""
    return NodeResult(
        name,
        _STATUS[record["status"]],
        output=unpack(record.get("output")),
        error=record.get("error"),
        duration_seconds=record["seconds"],
        tool_calls_used=record.get("tool_calls", 0),
        runs=record.get("runs", 1),
        children=tuple(from_record(child["name"], child) for child in record["children"])
        if "children" in record
        else (),
        metadata=unpack(record["metadata"]) if "metadata" in record else {},
    )


class Outputs(Mapping[str, Any]):
    """Outputs by name; only of steps that completed (or repeat)."""

    __slots__ = ("_records",)

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    def __getitem__(self, key: str) -> Any:
        record = self._records[key]
        if record["status"] not in USABLE:
            raise KeyError(key)
        return unpack(record.get("output"))

    def __contains__(self, key: object) -> bool:
        record = self._records.get(key) if isinstance(key, str) else None
        return record is not None and record["status"] in USABLE

    def __iter__(self) -> Iterator[str]:
        return (name for name, record in self._records.items() if record["status"] in USABLE)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Statuses(Mapping[str, str]):
    """Statuses by name."""

    __slots__ = ("_records",)

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    def __getitem__(self, key: str) -> str:
        status: str = self._records[key]["status"]
        return status

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

"""From LangGraph's updates to results: fold what the stream gives, hide what is wiring, put nodes in execution order."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .layers import read_mapping
from .model import Workflow
from .names import is_wiring
from .packing import unpack
from .records import Record, from_record
from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult
from .scope import RunScope
from .turning import unfinished
from .walked import held_edges

FAILURES = (NodeStatus.FAILED, NodeStatus.CANCELLED)


@dataclass(frozen=True)
class StreamEvent:
    """One thing that happened in a run.

    `node`: a step finished (or, with status RUNNING, took one turn of its loop); `changes` is what it changed in the shared
    data. `interrupt`: the run waits for a person. `result`: the run is over; always the last event.
    """

    kind: Literal["node", "interrupt", "result"]
    node_id: str | None = None
    node_result: NodeResult | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    interrupt: InterruptInfo | None = None
    result: WorkflowResult | None = None


class Collected:
    """Everything a run has recorded so far, earlier invocations of its thread included."""

    def __init__(self, order: Mapping[str, int], known: Mapping[str, Any], thread_id: str | None) -> None:
        self.order, self.thread_id = order, thread_id
        self.records: dict[str, Record] = dict(read_mapping(known.get("steps")))
        self.data: dict[str, Any] = unpack(dict(read_mapping(known.get("data") or known["run"]["inputs"])))
        self.paused = False
        self.interrupt: InterruptInfo | None = None
        self._interrupts: list[Any] = []
        self.started = time.perf_counter()

    def fold(self, chunk: Mapping[str, Any]) -> Iterable[StreamEvent]:
        """The events of one chunk of LangGraph's stream mode `updates`. Interrupts are kept until the end, see `pause`."""
        for node, update in chunk.items():
            if node == "__interrupt__":
                self.asked(update)
            elif not is_wiring(node):
                for part in update if isinstance(update, list) else [update]:
                    yield from self._finished(part or {})

    def absorb(self, chunk: Mapping[str, Any]) -> bool:
        """Fold a chunk without making its events; whether a step in it failed."""
        failed = False
        for node, update in chunk.items():
            if node == "__interrupt__":
                self.asked(update)
            elif not is_wiring(node):
                for part in update if isinstance(update, list) else [update or {}]:
                    if "data" in part:
                        self.data.update(unpack(part["data"]))
                    for name, record in part.get("steps", {}).items():
                        self.records[name] = record
                        failed = failed or record["status"] in FAILURES
        return failed

    def _finished(self, update: Mapping[str, Any]) -> Iterable[StreamEvent]:
        changes = unpack(update.get("data") or {})
        self.data.update(changes)
        for name, record in (update.get("steps") or {}).items():
            if self.records.get(name) is record:
                # Told when the step ended, and again with the group that it was in.
                continue
            self.records[name] = record
            yield StreamEvent("node", name, from_record(name, record), changes)

    def asked(self, interrupts: Iterable[Any]) -> None:
        """Keep some of LangGraph's interrupts; of a breakpoint there are none."""
        self.paused = True
        self._interrupts += interrupts

    def pause(self, asked: Mapping[str, str]) -> Iterable[StreamEvent]:
        """The event of the question whose turn it is: of several the one of the step that is declared first.

        `asked` are the steps by the ids of their interrupts. Which one an answer goes to is decided by the same rule, see
        `threads.questions`.
        """
        if not self.paused:
            return
        named = [(self._node_of(item, asked), item.value) for item in self._interrupts]
        named.sort(key=lambda item: self.order.get(item[0], len(self.order)))
        node, payload = named[0] if named else ("", None)
        self.interrupt = InterruptInfo(node, self.thread_id, payload)
        yield StreamEvent("interrupt", node, interrupt=self.interrupt)

    def _node_of(self, item: Any, asked: Mapping[str, str]) -> str:
        node = asked.get(item.id) or (item.value.get("node") if isinstance(item.value, Mapping) else None)
        return node if isinstance(node, str) and node in self.order else ""

    def result(self, workflow: Workflow, scope: RunScope) -> WorkflowResult:
        """The result of the run as it now stands.

        `context.metadata` has the `thread_id`, and `waiting_edges` where the run ended with joins that hold arrivals.
        """
        results = {step: from_record(step, self.records[step]) for step in sorted(self.records, key=self._when)}
        stop = scope.stopped() if scope.in_flight() or scope.halted else None
        results = {step: unfinished(result) for step, result in results.items()}
        if stop:
            status = NodeStatus.CANCELLED if scope.cancelled.is_set() else NodeStatus.FAILED
            for step in scope.in_flight():
                results[step] = NodeResult(step, status, error=stop)
        elif self.interrupt is not None:
            for step in sorted(
                {*scope.asked.values(), self.interrupt.node_id} & set(self.order), key=self.order.__getitem__
            ):
                results[step] = NodeResult(step, NodeStatus.INTERRUPTED)
        metadata: dict[str, Any] = {} if self.thread_id is None else {"thread_id": self.thread_id}
        held = held_edges(workflow, {step: result.status for step, result in results.items()})
        if held and self.interrupt is None:
            metadata["waiting_edges"] = held
        errors = [result.error for result in results.values() if result.status in FAILURES]
        return WorkflowResult(
            workflow.name,
            success=not errors and stop is None and self.interrupt is None,
            context=WorkflowContext(self.data, results, metadata),
            total_duration=time.perf_counter() - self.started,
            total_tool_calls=sum(result.tool_calls_used for result in results.values()),
            error=next((error for error in errors if error), stop),
            interrupt=self.interrupt,
        )

    def _when(self, name: str) -> tuple[int, int]:
        return self.records[name]["at"], self.order[name]

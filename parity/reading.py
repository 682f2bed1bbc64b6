"""An `Outcome` from what an engine returned: a `WorkflowResult`, or any object of the same shape under other names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..adapters.errors import UsageError
from ..adapters.results import WorkflowResult
from .outcome import UNSEEN, NodeEnd, Outcome, Pause
from .plain import error_text, without_addresses

NAMES: Mapping[str, tuple[str, ...]] = {
    "success": ("success", "succeeded", "ok", "is_success"),
    "data": ("data", "state", "variables", "values"),
    "nodes": ("node_results", "results", "steps", "nodes", "step_results", "outcomes"),
    "error": ("error", "error_message", "exception"),
    "interrupt": ("interrupt", "paused_at", "paused_node"),
    "node.status": ("status", "state"),
    "node.output": ("output", "outputs", "result", "value"),
    "node.error": ("error", "error_message", "exception"),
    "node.runs": ("runs", "run_count", "executions"),
    "node.reason": ("reason", "skip_reason"),
    "node.children": ("children", "branches"),
}
"""Names under which hand-rolled engines keep the same thing, tried in this order."""

SAME = {
    "success": "completed",
    "succeeded": "completed",
    "complete": "completed",
    "done": "completed",
    "ok": "completed",
    "error": "failed",
    "errored": "failed",
    "failure": "failed",
    "canceled": "cancelled",
}
"""Different words of different engines for the same end."""

_ABSENT = object()


def outcome_of(result: Any, *, ignore: tuple[str, ...] = (), names: Mapping[str, str] | None = None) -> Outcome:
    """Read success, final data, node results, error and pause from a result object or mapping.

    Looks on the result and on its `context`, under the usual names (`NAMES`); `names` gives the dotted name of a part that
    goes by another one, as `{"nodes": "log.entries", "node.status": "ended"}`. `ignore` are keys of the final data that are
    not compared. Raises UsageError where the result says nothing about success, or lacks a name that was given: a missing
    attribute must not read as a passed run.
    """
    if isinstance(result, WorkflowResult) and not names:
        return _without(Outcome.of(result), ignore)
    reader = _Reader(names or {})
    context = _get(result, ("context",), result)
    success = reader.part("success", result)
    if success is _ABSENT:
        raise UsageError(
            f"a {type(result).__name__} does not say whether the run succeeded (none of {', '.join(NAMES['success'])})",
            mend='name it: outcome_of(result, names={"success": "…"})',
        )
    data, nodes = reader.part("data", context, result), reader.part("nodes", context, result)
    outcome = Outcome(
        success=bool(success),
        data=dict(data) if isinstance(data, Mapping) else None,
        nodes=dict(reader.ends(nodes)) if isinstance(nodes, Mapping) else None,
        error=_text(reader.part("error", result)),
        interrupt=_pause(reader.part("interrupt", result)),
    )
    return _without(outcome, ignore)


def _without(outcome: Outcome, ignore: tuple[str, ...]) -> Outcome:
    if not ignore or outcome.data is None:
        return outcome
    return replace(outcome, data={key: value for key, value in outcome.data.items() if key not in ignore})


class _Reader:
    def __init__(self, names: Mapping[str, str]) -> None:
        unknown = sorted(set(names) - set(NAMES))
        if unknown:
            raise UsageError(f"outcome_of: no part {unknown[0]!r}", mend=f"the parts are {', '.join(sorted(NAMES))}")
        self.names = names

    def part(self, part: str, *owners: Any) -> Any:
        if part in self.names:
            return _dotted(owners[-1], self.names[part])
        for owner in owners:
            found = _get(owner, NAMES[part])
            if found is not _ABSENT:
                return found
        return _ABSENT

    def ends(self, nodes: Mapping[Any, Any]) -> Iterator[tuple[str, NodeEnd]]:
        for name, node in nodes.items():
            for child in _children(self.part("node.children", node)):
                yield str(_get(child, ("node_id", "name", "id"), "?")), self.end(child)
            yield str(name), self.end(node)

    def end(self, node: Any) -> NodeEnd:
        status = self.part("node.status", node)
        if status is _ABSENT:
            success = _get(node, NAMES["success"])
            status = "unknown" if success is _ABSENT else "completed" if success else "failed"
        word = str(getattr(status, "value", status)).lower()
        output, runs, reason = (self.part(f"node.{name}", node) for name in ("output", "runs", "reason"))
        return NodeEnd(
            SAME.get(word, word),
            UNSEEN if output is _ABSENT else output,
            _text(self.part("node.error", node)),
            runs if isinstance(runs, int) else None,
            reason if isinstance(reason, str) else None,
        )


def _children(children: Any) -> list[Any]:
    if children is _ABSENT or children is None or isinstance(children, str):
        return []
    return list(children.values()) if isinstance(children, Mapping) else list(children)


def _pause(interrupt: Any) -> Pause | None:
    if interrupt is _ABSENT or interrupt is None or interrupt is False:
        return None
    node = _get(interrupt, ("node_id", "node"), interrupt)
    return Pause(str(node), _get(interrupt, ("payload", "prompt"), None))


def _get(source: Any, names: tuple[str, ...], default: Any = _ABSENT) -> Any:
    for name in names:
        value = source.get(name, _ABSENT) if isinstance(source, Mapping) else getattr(source, name, _ABSENT)
        if value is not _ABSENT and not callable(value):
            return value
    return default


def _dotted(owner: Any, path: str) -> Any:
    for name in path.split("."):
        found = _get(owner, (name,))
        if found is _ABSENT:
            raise UsageError(f"a {type(owner).__name__} has no {name!r} (looking for {path!r})", mend="correct `names`")
        owner = found
    return owner


def _text(error: Any) -> str | None:
    if error is None or error is _ABSENT:
        return None
    return error_text(error) if isinstance(error, BaseException) else without_addresses(str(error))

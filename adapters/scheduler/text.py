"""An explanation as text for a terminal: what is due, why the rest is not, the superstep table, repeats, and the ending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..names import LOOP_EXIT, decode
from .due import NodeState, Trigger
from .explanation import Explanation
from .history import Activation, Fired
from .snapshots import BRANCH, JOIN, START
from .versions import Ordinals
from .waiting import WaitingEdge


def render(explanation: Explanation) -> str:
    """The whole explanation; versions are shown as their place in the thread's order (`#3`)."""
    parts = [
        _head(explanation),
        _section("next", _due(explanation)),
        _section("not due", _not_due(explanation)),
        _section("supersteps", _table(explanation)),
        _section("ran more than once", _repeats(explanation)),
        _section("waiting edges", (waiting_line(edge) for edge in explanation.waiting)),
        _section("other namespaces", _namespaces(explanation)),
        _section("forks", _forks(explanation)),
        _section("not known", explanation.unknown),
    ]
    return "\n\n".join(part for part in parts if part)


def waiting_line(edge: WaitingEdge) -> str:
    """One waiting edge as a sentence."""
    place = f" in {edge.path}" if edge.path else ""
    unsure = "" if edge.certain else " (names with + could be read in another way)"
    missing = ", ".join(map(decode, edge.missing)) or "nobody"
    arrived = ", ".join(map(decode, edge.arrived))
    return f"{decode(edge.target)}{place}: {edge.status}; arrived {arrived}; missing {missing}{unsure}"


def node_name(node: str) -> str:
    """A node as a person knows it; the pass-through out of a loop is told from the step that loops."""
    return f"{decode(node)} (loop exit)" if node.startswith(LOOP_EXIT) else decode(node)


def channel_name(channel: str) -> str:
    """A trigger channel as a person says it: the edge or the join that it stands for."""
    if channel.startswith(BRANCH):
        return "edge"
    if channel.startswith(JOIN):
        names = channel.removeprefix(JOIN).rsplit(":", 1)[0].split("+")
        return f"join of {', '.join(map(decode, names))}"
    return {"__pregel_tasks": "Send", "__start__": "input", "__error__": "error"}.get(channel, channel)


def _head(explanation: Explanation) -> str:
    place = f", namespace {explanation.namespace}" if explanation.namespace else ""
    ending = explanation.ending
    unsure = "" if ending.certain else "?"
    return (
        f"thread {explanation.thread}{place}, step {explanation.step}, checkpoint {explanation.checkpoint}\n"
        f"ended: {ending.kind}{unsure}: {ending.sentence}"
    )


def _section(title: str, lines: Iterable[str]) -> str:
    body = [f"  {line}".rstrip() for line in lines]
    return "\n".join([f"{title}:", *body]) if body else ""


def _due(explanation: Explanation) -> Iterator[str]:
    statuses = [task.status for task in explanation.ending.tasks]
    for place, state in enumerate(explanation.due):
        fired = "; ".join(_trigger(t, explanation.ordinals) for t in state.triggers if t.fires)
        status = statuses[place] if place < len(statuses) else "not started"
        yield f"{_node(state)}: {fired}{'' if status == 'not started' else f' [{status}]'}"


def _not_due(explanation: Explanation) -> Iterator[str]:
    for state in explanation.nodes:
        if not state.due and state.node != START:
            yield f"{_node(state)}: {'; '.join(_trigger(t, explanation.ordinals) for t in state.triggers)}"


def _node(state: NodeState) -> str:
    return node_name(state.node) if state.index is None else f"{node_name(state.node)} (Send {state.index})"


def _trigger(trigger: Trigger, ordinals: Ordinals) -> str:
    versions = f"#{ordinals(trigger.version)} against {_seen(ordinals(trigger.seen))}"
    said = {
        "fires": f"written at {versions}",
        "never written": "never written",
        "already seen": f"already seen ({versions})",
        "cleared": f"already seen at {_seen(ordinals(trigger.seen))}, empty since #{ordinals(trigger.version)}",
        "empty": "empty",
        "deferred": "deferred to the end of the run",
        "waiting": "",
    }[trigger.reason]
    if trigger.join is not None and trigger.reason == "waiting":
        arrived, missing = sorted(trigger.join.arrived), sorted(trigger.join.missing)
        said = f"waits: arrived {', '.join(map(decode, arrived))}; missing {', '.join(map(decode, missing))}"
    return f"{channel_name(trigger.channel)} {said}"


def _seen(ordinal: int | None) -> str:
    return "never" if ordinal is None else f"#{ordinal}"


def _table(explanation: Explanation) -> Iterator[str]:
    rows = [("step", "node", "trigger", "seen > consumed", "written by")]
    for row in explanation.rows:
        rows.extend(_cells(row, explanation.ordinals))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for cells in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _cells(row: Activation, ordinals: Ordinals) -> Iterator[tuple[str, str, str, str, str]]:
    name = node_name(row.node) if row.ran or row.kind == "dropped" else f"<{row.node}>"
    note = " (failed)" if row.failed else " (dropped by the new input)" if row.kind == "dropped" else ""
    for fired in row.fired or (None,):
        if fired is None:
            yield str(row.step), name + note, "", "", ""
        else:
            moved = f"{_seen(ordinals(fired.seen))} > {_seen(ordinals(fired.consumed))}"
            yield str(row.step), name + note, channel_name(fired.channel), moved, ", ".join(map(decode, fired.writers))


def _repeats(explanation: Explanation) -> Iterator[str]:
    for repeat in explanation.repeats:
        times = ", ".join(f"superstep {row.step} from {_from(row.fired)}" for row in repeat.activations)
        count = "twice" if len(repeat.activations) == 2 else f"{len(repeat.activations)} times"
        yield f"{node_name(repeat.node)} ran {count}: {times}"


def _from(fired: Iterable[Fired]) -> str:
    writers = dict.fromkeys(decode(name) for one in fired for name in one.writers)
    return " and ".join(writers) or "?"


def _namespaces(explanation: Explanation) -> Iterator[str]:
    for one in explanation.namespaces:
        due = f"; due: {', '.join(map(decode, one.due))}" if one.due else ""
        yield f"{one.name or 'the root'}: {one.checkpoints} checkpoints, step {one.step}{due}"


def _forks(explanation: Explanation) -> Iterator[str]:
    for fork in explanation.forks:
        yield f"from {fork.parent} (step {fork.step}): {', '.join(fork.children)}"

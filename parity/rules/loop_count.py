"""GL104: a loop step took a different number of turns."""

from __future__ import annotations

from collections.abc import Iterator

from ..comparing import compared_nodes, is_loop
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in compared_nodes(legacy, candidate):
        one, other = legacy.runs(node), candidate.runs(node)
        if one is None or other is None or one == other or 0 in (one, other) or not is_loop(node, legacy, candidate):
            continue
        more = candidate if other > one else legacy
        items = more.by_node.get(node, ())
        extra = items[min(one, other)] if len(items) > min(one, other) else None
        yield rule.found(
            node,
            activation=min(one, other),
            legacy=_turns(one),
            candidate=_turns(other),
            cause=_cause(legacy, node, one, other),
            at=extra.begin if extra else None,
        )


def _cause(legacy: Observation, node: str, one: int, other: int) -> str:
    bound = legacy.shape.loops.get(node) if legacy.shape else None
    if bound is None:
        return f"{node} left its loop after {_turns(one)} under the legacy engine, after {other} under the candidate"
    told = f"loop_max is {bound}"
    if bound in (one, other):
        who, count = ("candidate", other) if one == bound else ("legacy engine", one)
        if abs(count - bound) == 1:
            return f"{told}, and the {who} is off by one: {_turns(count)}"
    return f"{told}; the legacy engine left after {_turns(one)}, the candidate after {other}"


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"


RULE = BuiltIn(
    "GL104",
    "loop-count",
    "loop count",
    "a loop step took a different number of turns",
    """\
A step that repeats until a condition holds left its loop at another turn. Either the greatest count is counted differently
(turns, or repetitions after the first), or the condition is evaluated on other values or at another moment.""",
    "compare where each engine evaluates the condition, and what it counts against the greatest number of turns",
    _check,
    ("runs",),
)

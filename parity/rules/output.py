"""GL150: a node's output differs."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import is_cancelled, is_pause, settled
from ..comparing import pairs
from ..divergence import Divergence
from ..likeness import likeness
from ..observation import Activation, Observation
from ..recorded import Value, shorten
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    told: set[str] = set()
    for one, other in pairs(legacy, candidate):
        if _is_cut_short(one) != _is_cut_short(other):
            continue  # a pause or a cancellation is no answer; GL101, GL144 and GL145 tell of it
        if _differ(one.returned, other.returned) or (one.raised != other.raised and one.end and other.end):
            told.add(one.node)
            yield _activation(rule, one, other)
    for node in sorted(legacy.ends.keys() & candidate.ends.keys()):
        ends = legacy.ends[node], candidate.ends[node]
        if node in told or legacy.runs(node) != candidate.runs(node):
            continue  # with other runs, GL101 and GL104 tell why the last answer is another one
        if _differ(ends[0].output, ends[1].output) and ends[0].status == ends[1].status:
            yield rule.found(
                node,
                legacy=shorten(ends[0].output or ""),
                candidate=shorten(ends[1].output or ""),
                cause=_reported(legacy, candidate, node),
                mend="map the output in the result adapter as the legacy engine reports it",
                at=settled(candidate, node),
            )


def _is_cut_short(item: Activation) -> bool:
    return is_pause(item) or is_cancelled(item)


def _differ(one: Value | None, other: Value | None) -> bool:
    return one is not None and other is not None and one.digest != other.digest


def _activation(rule: BuiltIn, one: Activation, other: Activation) -> Divergence:
    return rule.found(
        one.node,
        activation=other.ordinal,
        legacy=one.raised or shorten(one.returned or ""),
        candidate=other.raised or shorten(other.returned or ""),
        cause=_why(one, other),
        at=other.begin,
    )


def _why(one: Activation, other: Activation) -> str:
    alike = likeness(one.returned, other.returned)
    told = f": {alike}" if alike else ""
    if one.saw.digest != other.saw.digest:
        return f"it saw another input{told}"
    return (
        "it saw the same and answered otherwise: the answer depends on more than the input (a clock, a counter, a service), "
        f"or the engines call different handlers{told}"
    )


def _reported(legacy: Observation, candidate: Observation, node: str) -> str:
    alike = likeness(legacy.ends[node].output, candidate.ends[node].output)
    if node in legacy.by_node and node in candidate.by_node:
        told = f"every activation of {node} returned the same; the engines report another output"
        return f"{told}: {alike}" if alike else told
    if alike:
        return f"{node} has no tap of its own, and its results are alike: {alike}"
    return f"{node} has no tap of its own: only its result was seen"


RULE = BuiltIn(
    "GL150",
    "output",
    "values",
    "a node's output differs",
    """\
An activation returned, or the result reports, something else. With another input it follows from that; with the same input
the handler reads a clock, a counter or a service, or the engine changes what handlers return.""",
    "mend the input it follows from; stub or record handlers that are not functions of their input",
    _check,
    ("run",),
)

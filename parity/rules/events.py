"""GL154: the stream events of a node differ."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import first_begin
from ..divergence import Divergence
from ..observation import Observation, RecordedEvent
from ..recorded import shorten
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    one, other = _by_node(legacy), _by_node(candidate)
    for node in sorted(one.keys() | other.keys()):
        mine, theirs = one.get(node, []), other.get(node, [])
        kinds = [event.kind for event in mine], [event.kind for event in theirs]
        differs = [a for a, b in zip(mine, theirs, strict=False) if a.data.digest != b.data.digest]
        if kinds[0] == kinds[1] and not differs:
            continue
        yield rule.found(
            node,
            legacy=", ".join(kinds[0]) or "no event",
            candidate=", ".join(kinds[1]) or "no event",
            cause=_cause(kinds, differs),
            at=first_begin(candidate, node),
        )


def _by_node(run: Observation) -> dict[str, list[RecordedEvent]]:
    found: dict[str, list[RecordedEvent]] = {}
    for event in (run.outcome.events if run.outcome else None) or ():
        found.setdefault(event.node, []).append(event)
    return found


def _cause(kinds: tuple[list[str], list[str]], differs: list[RecordedEvent]) -> str:
    if kinds[0] == kinds[1]:
        return f"the event {differs[0].kind} carries something else than {shorten(differs[0].data, 40)}"
    if sorted(kinds[0]) == sorted(kinds[1]):
        return "the same events in another order"
    return "the engines emit other events"


RULE = BuiltIn(
    "GL154",
    "events",
    "stream events",
    "the events of a stream differ",
    """\
Subscribers see other events for a node, or the same ones in another order or with other content. The order between nodes is
not compared: it is a matter of timing. Wiring nodes of the graph must not surface as events.""",
    "translate the graph's stream into the legacy engine's events in the streaming adapter",
    _check,
    ("events",),
)

"""GL160: a handler changes its input in place, and the engines do not treat that alike."""

from __future__ import annotations

from collections.abc import Iterator

from ..comparing import pairs
from ..divergence import Divergence
from ..observation import Activation, Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for one, other in pairs(legacy, candidate):
        if one.end is None or other.end is None:
            continue
        if one.mutated != other.mutated:
            yield _found(rule, one, other, "the change in place happens under one engine only")
        elif one.mutated and _leaks(legacy, one) != _leaks(candidate, other):
            side = "legacy engine" if _leaks(legacy, one) else "candidate"
            yield _found(rule, one, other, f"later nodes see the change under the {side} only")


def _found(rule: BuiltIn, one: Activation, other: Activation, cause: str) -> Divergence:
    paths = tuple(sorted({*one.mutated, *other.mutated}))
    return rule.found(
        one.node,
        activation=other.ordinal,
        legacy=_told(one),
        candidate=_told(other),
        cause=f"{one.node} changes {as_text(paths)} in place; {cause}",
        paths=paths,
        at=other.begin,
    )


def _told(item: Activation) -> str:
    return f"changes {as_text(item.mutated)}" if item.mutated else "changes nothing in place"


def _leaks(run: Observation, item: Activation) -> bool:
    """Whether a later activation sees, at a changed place, something else than this one was given and nobody returned."""
    for place in item.mutated:
        path = tuple(place.split("."))
        given = item.saw.parts.get(path)
        for later in run.activations:
            seen = later.saw.parts.get(path)
            if item.before(later) and seen not in (given, None) and not _is_written(run, path, seen, later):
                return True
    return False


def _is_written(run: Observation, path: tuple[str, ...], digest: str | None, reader: Activation) -> bool:
    before = (item.returned for item in run.activations if item.before(reader) and item.returned is not None)
    return any(returned.parts.get(path[-1:]) == digest for returned in before)


RULE = BuiltIn(
    "GL160",
    "mutation",
    "mutation",
    "a change of an input in place has an effect under one engine only",
    """\
A handler that changes a value it was given, instead of returning the change, relies on who else holds that value. Under a
walker with one shared dict the change is kept; under a graph engine it may leak to some nodes, and new keys are dropped.""",
    "let the handler return what it changes",
    _check,
    ("trace",),
)

"""GL151: the final state differs at a key, and no lost or turned write explains it."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..likeness import likeness
from ..observation import Activation, Observation
from ..recorded import Value, shorten
from ..rule import BuiltIn
from ..shape import as_text
from ..writes import keys_that_differ, loss, turned_writers, writers


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key in keys_that_differ(legacy, candidate):
        if loss(legacy, candidate, key) or turned_writers(legacy, candidate, key):
            continue
        one, other = _at(legacy, key), _at(candidate, key)
        yield rule.found(
            legacy=_told(key, one),
            candidate=_told(key, other),
            cause=_cause(legacy, candidate, key),
            paths=(key,),
            subject=key,
        )


def _at(run: Observation, key: str) -> Value | None:
    return ((run.outcome.data if run.outcome else None) or {}).get(key)


def _told(key: str, value: Value | None) -> str:
    return f"{key} is absent" if value is None else f"{key} = {shorten(value)}"


def _cause(legacy: Observation, candidate: Observation, key: str) -> str:
    last = [names[-1] if (names := writers(run, key)) else None for run in (legacy, candidate)]
    alike = likeness(_at(legacy, key), _at(candidate, key))
    told = _written(legacy, candidate, key, (last[0], last[1]))
    return f"{told}: {alike}" if alike else told


def _written(
    legacy: Observation, candidate: Observation, key: str, last: tuple[Activation | None, Activation | None]
) -> str:
    one, other = last
    if one is not None and other is not None:
        if one.node != other.node:
            return f"last written by {one.node} under the legacy engine, by {other.node} under the candidate"
        wrote = (
            one.returned.parts[key,] if one.returned else None,
            other.returned.parts[key,] if other.returned else None,
        )
        if wrote[0] != wrote[1]:
            return f"{one.node} wrote it last under both engines, and something else each time"
        ends = [(run.side, value.digest if (value := _at(run, key)) else None) for run in (legacy, candidate)]
        changed = [side for side, digest in ends if digest != wrote[0]]
        return (
            f"{one.node} wrote the same under both engines, and the {as_text(changed)} engine ends with something else"
        )
    if one is not None or other is not None:
        side = "legacy engine" if one is not None else "candidate"
        return f"written by {(one or other).node} under the {side} only"  # type: ignore[union-attr]
    began = [run.activations[0] for run in (legacy, candidate) if run.activations]
    if any(path[-1:] == (key,) for item in began for path in item.saw.parts):
        return "no node writes it, and the first one that ran saw it already: it is an input"
    return "no activation that was seen writes it; it comes from the engine or from an untapped node"


RULE = BuiltIn(
    "GL151",
    "final-state",
    "values",
    "the final state differs",
    """\
The data that callers get at the end differs at a key. It mostly follows from an earlier divergence, under which it is folded;
alone it means that the engines put other keys into the final state (inputs, nested results, the engine's own), or give a value
back in another form: rounded, as another type, in another order. The cause says so where that is all that differs.""",
    "mend what it follows from; for keys of the engine's own, map them in the result adapter",
    _check,
    ("data",),
)

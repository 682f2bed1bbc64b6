"""GL151: the final state differs at a key, and no lost or turned write explains it."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation
from ..recorded import Value, shorten
from ..rule import BuiltIn
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
    last = [names[-1].node if (names := writers(run, key)) else None for run in (legacy, candidate)]
    if last[0] and last[1]:
        return f"last written by {last[0]} under the legacy engine, by {last[1]} under the candidate"
    if last[0] or last[1]:
        side = "legacy engine" if last[0] else "candidate"
        return f"written by {last[0] or last[1]} under the {side} only"
    return "no activation that was seen writes it; it comes from the engine or from an untapped node"


RULE = BuiltIn(
    "GL151",
    "final-state",
    "values",
    "the final state differs",
    """\
The data that callers get at the end differs at a key. It mostly follows from an earlier divergence, under which it is folded;
alone it means that the engines put other keys into the final state (inputs, nested results, the engine's own).""",
    "mend what it follows from; for keys of the engine's own, map them in the result adapter",
    _check,
    ("data",),
)

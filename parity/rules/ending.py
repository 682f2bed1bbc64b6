"""GL200: a run without a result: the engine raised, did not end in time, or its process went away."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Case, Divergence, Observation
from .base import CheckedRule

WORDS = {
    "raised": "raised",
    "timeout": "did not end in time",
    "crashed": "its process went away",
}


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    if legacy.ended == "result" and candidate.ended == "result":
        return
    broken = candidate if candidate.ended != "result" else legacy
    running = next((run.node for run in reversed(broken.trace) if run.end is None), None)
    cause = f"while {running} ran" if running else "before or between its nodes"
    if legacy.ended != "result" and candidate.ended != "result":
        cause = "on both engines: the case proves nothing until one of them runs it"
    yield rule.found(case, running, _told(legacy), _told(candidate), cause)


def _told(observation: Observation) -> str:
    if observation.ended == "result":
        return "gave a result"
    return f"{WORDS[observation.ended]}{': ' + observation.error if observation.error else ''}"


RULE = CheckedRule(
    id="GL200",
    family="ending",
    summary="an engine gave no result",
    explanation=(
        "The engine raised instead of returning a result (a definition that does not compile on one side is seen here), did "
        "not end within the case's time limit, or its process went away. The other cases are not touched by it. When both "
        "engines give no result the case still fails: it compares nothing."
    ),
    mend="run the case alone with `graphlift parity --case ID`",
    find=_find,
    on_failures=True,
)

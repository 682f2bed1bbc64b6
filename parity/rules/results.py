"""GL150, GL151 and GL152: another output of a node, another final state, and a lost update."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..model import Activation, Case, Divergence, Observation
from ..values import Value
from .base import CheckedRule, both_nodes, text_of


def _find_outputs(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for name, old, new in both_nodes(legacy, candidate):
        if old.output is None or new.output is None:
            continue
        if old.output.digest != new.output.digest:
            yield rule.found(
                case, name, text_of(old.output), text_of(new.output), _output_cause(name, legacy, candidate)
            )


def _output_cause(name: str, legacy: Observation, candidate: Observation) -> str:
    ours, theirs = legacy.runs().get(name, []), candidate.runs().get(name, [])
    if ours and theirs and ours[-1].saw.digest != theirs[-1].saw.digest:
        return "its last activation saw other input (see GL110)"
    if ours and theirs and [run.returned for run in ours] == [run.returned for run in theirs]:
        return "its handler returned the same; the engine makes another output of it"
    return "its handler returned another value for the same input"


def _find_state(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key, old, new in _keys(legacy, candidate):
        if _lost_by(key, old, new, legacy, candidate) is None:
            found = rule.found(case, None, _shown(key, old), _shown(key, new), _state_cause(key, old, new))
            yield replace(found, subject=key)


def _find_lost(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key, old, new in _keys(legacy, candidate):
        cause = _lost_by(key, old, new, legacy, candidate)
        if cause:
            node, text = cause
            yield replace(rule.found(case, node, _shown(key, old), _shown(key, new), text), subject=key)


def _keys(legacy: Observation, candidate: Observation) -> Iterator[tuple[str, Value | None, Value | None]]:
    assert legacy.outcome
    assert candidate.outcome
    ours, theirs = legacy.outcome.data, candidate.outcome.data
    if ours is None or theirs is None:
        return
    for key in sorted(set(ours) | set(theirs)):
        old, new = ours.get(key), theirs.get(key)
        if old is None or new is None or old.digest != new.digest:
            yield key, old, new


def _lost_by(
    key: str, old: Value | None, new: Value | None, legacy: Observation, candidate: Observation
) -> tuple[str, str] | None:
    """The node whose write of the key one engine kept and the other one lost although it ran there too."""
    for kept, loser, side in ((old, candidate, "candidate"), (new, legacy, "legacy engine")):
        if kept is None:
            continue
        for run in reversed(loser.trace):
            written = _written(run.returned)
            # A large value stands in a large mapping as its digest.
            if key not in written or written[key] not in (kept.shown, f"… {kept.digest}"):
                continue
            if not _overwritten(key, run, loser.trace):
                return run.node, f"{run.node} wrote {key} on both engines; the {side} lost the write"
    return None


def _overwritten(key: str, run: Activation, trace: Sequence[Activation]) -> bool:
    """Whether a node that began after the activation wrote another value: that write replaces this one by right."""
    own = _written(run.returned)[key]
    later = (_written(other.returned) for other in trace if run.end is not None and other.begin > run.end)
    return any(key in written and written[key] != own for written in later)


def _written(returned: Value | None) -> Mapping[str, Any]:
    shown = returned.shown if returned else None
    return shown if isinstance(shown, dict) else {}


def _shown(key: str, value: Value | None) -> str:
    return f"{key} is absent" if value is None else f"{key} = {text_of(value)}"


def _state_cause(key: str, old: Value | None, new: Value | None) -> str:
    if old is None or new is None:
        return f"only the {'candidate' if old is None else 'legacy engine'} has the key {key}"
    return f"the key {key} ends with another value"


OUTPUTS = CheckedRule(
    id="GL150",
    family="values",
    summary="a node's output differs",
    explanation=(
        "The output that the engines report for a node differs. The cause tells whether the handler saw other input, "
        "returned something else for the same input, or the engine makes another output of the same return value."
    ),
    mend="follow the cause: first the input (GL110), then the adapter that turns a return value into an output",
    find=_find_outputs,
)
STATE = CheckedRule(
    id="GL151",
    family="values",
    summary="the final state differs",
    explanation="A key of the final data is absent on one engine, or ends with another value.",
    mend="find the node that writes the key; look at the order of writers and at joins",
    find=_find_state,
)
LOST = CheckedRule(
    id="GL152",
    family="lost update",
    summary="a write that both engines saw is missing in one final state",
    explanation=(
        "A node returned a value for a key on both engines, and only one engine has it in the end. A parallel join that "
        "merges whole contexts, or a node that returns a full copy of a shared map, overwrites a sibling's newer value."
    ),
    mend="return and merge only what a branch changed",
    find=_find_lost,
)

"""GL110: an activation saw other input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Case, Divergence, Observation
from .base import CheckedRule, pairs, text_of


def _find(rule: CheckedRule, case: Case, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for old, new in pairs(legacy, candidate):
        if old.saw.digest != new.saw.digest:
            cause = _cause(old.saw.shown, new.saw.shown)
            yield rule.found(case, old.node, text_of(old.saw), text_of(new.saw), cause, old.ordinal)


def _cause(old: Any, new: Any, path: str = "") -> str:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return f"the input {path or 'as a whole'} has another value"
    parts: list[str] = []
    missing, extra = sorted(set(old) - set(new)), sorted(set(new) - set(old))
    if missing:
        parts.append(f"the candidate did not see {', '.join(path + key for key in missing)}")
    if extra:
        parts.append(f"only the candidate saw {', '.join(path + key for key in extra)}")
    for key in sorted(set(old) & set(new)):
        if old[key] != new[key]:
            nested = isinstance(old[key], dict) and isinstance(new[key], dict)
            parts.append(_cause(old[key], new[key], f"{path}{key}.") if nested else f"{path}{key} has another value")
    return "; ".join(parts) or "values that are too large to show differ"


RULE = CheckedRule(
    id="GL110",
    family="visibility",
    summary="a node saw missing, early or stale input",
    explanation=(
        "The same activation was given other input. A key that one engine did not see was written by a node that had not "
        "finished there yet; another value of a key is an older or a newer write. Outputs can agree all the same, by luck."
    ),
    mend="make the node wait for the node that writes what it reads",
    find=_find,
)

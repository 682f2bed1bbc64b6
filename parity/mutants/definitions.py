"""Mutants of the definition: edges, joins, conditions, loops and policies that are compiled wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...adapters.model import DependencyWorkflow
from ..case import Case
from .mutant import Mutant

Change = Callable[[Any], dict[str, Any]]


def _each(change: Change) -> Callable[[Case], Case]:
    """Change every step or node of the definition."""

    def apply(case: Case) -> Case:
        definition = case.definition
        key = "steps" if isinstance(definition, DependencyWorkflow) else "nodes"
        items = tuple(item.model_copy(update=change(item)) for item in getattr(definition, key))
        return replace(case, definition=definition.model_copy(update={key: items}))

    return apply


def _policy(old: str, new: str) -> Callable[[Case], Case]:
    def apply(case: Case) -> Case:
        is_old = case.options.get("failure_policy", "fail") == old
        return replace(case, options={**case.options, "failure_policy": new}) if is_old else case

    return apply


def _depends(item: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(getattr(item, "depends_on", ())))


def _is(item: Any, kind: str) -> bool:
    return getattr(item, "kind", "") == kind


def _drop_last_edge(item: Any) -> dict[str, Any]:
    return {"depends_on": _depends(item)[:-1]} if len(_depends(item)) > 1 else {}


def _drop_first_edge(item: Any) -> dict[str, Any]:
    return {"depends_on": _depends(item)[1:]} if len(_depends(item)) > 1 else {}


def _loop(by: int) -> Change:
    def change(item: Any) -> dict[str, Any]:
        bound = getattr(item, "loop_max", None)
        return {"loop_max": max(1, bound + by)} if getattr(item, "loop_until", None) and isinstance(bound, int) else {}

    return change


def _join(old: str, new: str) -> Change:
    return lambda item: {"join": new} if _is(item, "parallel") and item.join == old else {}


def _turn_branches(item: Any) -> dict[str, Any]:
    if not _is(item, "condition") or len(item.branches) < 2:
        return {}
    return {"branches": dict(zip(item.branches, reversed(item.branches.values()), strict=True))}


def _drop_branch(item: Any) -> dict[str, Any]:
    return {"branches": {}, "default": None} if _is(item, "condition") else {}


DEFINITIONS = (
    Mutant("drop-edge-last", "a join does not wait for its last source", _each(_drop_last_edge)),
    Mutant("drop-edge-first", "a join does not wait for its first source", _each(_drop_first_edge)),
    Mutant(
        "drop-next-last",
        "the last successor of a node is lost",
        _each(lambda i: {"next": i.next[:-1]} if _is(i, "task") else {}),
    ),
    Mutant(
        "turn-next",
        "successors are taken in reverse",
        _each(lambda i: {"next": tuple(reversed(i.next))} if _is(i, "task") else {}),
    ),
    Mutant(
        "never-skip", "conditions of steps are not asked", _each(lambda i: {"when": None} if hasattr(i, "when") else {})
    ),
    Mutant(
        "always-skip",
        "steps with a condition never run",
        _each(lambda i: {"when": "False"} if getattr(i, "when", None) else {}),
    ),
    Mutant("loop-more", "a loop may take one turn too many", _each(_loop(1))),
    Mutant("loop-less", "a loop may take one turn too few", _each(_loop(-1))),
    Mutant(
        "loop-once", "loops do not repeat", _each(lambda i: {"loop_until": None} if hasattr(i, "loop_until") else {})
    ),
    Mutant("run-dependents", "dependents of a failure run", _policy("skip-dependents", "run-dependents")),
    Mutant("skip-dependents", "dependents of a failure are skipped", _policy("run-dependents", "skip-dependents")),
    Mutant("stop-at-failure", "a failure stops everything", _policy("run-dependents", "fail")),
    Mutant("join-any", "a group that needs all branches needs one", _each(_join("all", "any"))),
    Mutant("join-all", "a group that needs one branch needs all", _each(_join("any", "all"))),
    Mutant("join-strict", "a group that never fails needs all branches", _each(_join("merge", "all"))),
    Mutant("turn-branches", "a condition takes the wrong branch", _each(_turn_branches)),
    Mutant("drop-branches", "no branch of a condition is taken", _each(_drop_branch)),
    Mutant(
        "turn-merge",
        "branches of a group are merged in reverse",
        _each(lambda i: {"branches": tuple(reversed(i.branches))} if _is(i, "parallel") else {}),
    ),
    Mutant(
        "retry",
        "a failing step is tried again",
        _each(lambda i: {"retries": i.retries + 1} if hasattr(i, "retries") else {}),
    ),
)

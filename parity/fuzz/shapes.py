"""Workflows by hand: the shapes that real workflows have, and the corners that chance seldom draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .draft import Draft


def _dependency(steps: Mapping[str, str], bodies: Mapping[str, str] | None = None, **more: Any) -> Draft:
    """Steps as `name: "source source"`; `more` are fields of steps by name, `policy` and `n` apart."""
    policy, inputs = more.pop("policy", "skip-dependents"), {"n": more.pop("n", 1)}
    declared = [{"name": name, "depends_on": sources.split(), **more.get(name, {})} for name, sources in steps.items()]
    chosen = {**dict.fromkeys(steps, "digest"), **(bodies or {})}
    return Draft({"style": "dependency", "name": "w", "steps": declared}, chosen, inputs, {"failure_policy": policy})


FEATURE = {
    "design": "",
    "api": "design",
    "frontend": "design",
    "migrations": "design",
    "integration": "api frontend",
    "review": "api frontend migrations integration",
    "rework": "review",
    "assemble": "review",
}
BRANCHING = {
    "parse": "",
    "quick": "parse",
    "deep": "parse",
    "security": "parse",
    "readiness": "deep security",
    "report": "quick deep security readiness",
}
BUGFIX = {"triage": "", "cause": "triage", "fix": "cause", "regression": "fix", "verify": "fix regression"}
ITERATE = {
    "design": "",
    "implement": "design",
    "rework": "implement",
    "escalate": "rework",
    "package": "rework escalate",
}


def _group(join: str, *bodies: str) -> Draft:
    """A group with one branch for each body, between a first and a last node; every branch writes the shared key."""
    branches = [f"b{number}" for number in range(1, len(bodies) + 1)]
    nodes: list[dict[str, Any]] = [
        {"kind": "task", "name": "first", "next": ["group"]},
        {"kind": "parallel", "name": "group", "branches": branches, "join": join, "next": ["last"]},
        *({"kind": "task", "name": name} for name in branches),
        {"kind": "task", "name": "last"},
    ]
    chosen = {"first": "shared", "last": "digest", **dict(zip(branches, bodies, strict=True))}
    return Draft({"style": "successor", "name": "w", "start": "first", "nodes": nodes}, chosen, {"n": 1})


def _routed(n: int) -> Draft:
    """Two successors that meet again behind a condition, and a branch that is not taken."""
    nodes: list[dict[str, Any]] = [
        {"kind": "task", "name": "load", "next": ["route", "side"]},
        {"kind": "condition", "name": "route", "condition": "inputs.n", "branches": {"0": "low", "1": "high"}},
        {"kind": "task", "name": "low", "next": ["end"]},
        {"kind": "task", "name": "high", "next": ["end"]},
        {"kind": "task", "name": "side", "next": ["end"]},
        {"kind": "task", "name": "end"},
    ]
    bodies = {"load": "digest", "low": "shared", "high": "shared", "side": "shared", "end": "digest"}
    return Draft({"style": "successor", "name": "w", "start": "load", "nodes": nodes}, bodies, {"n": n})


SHAPES: tuple[Draft, ...] = (
    _dependency(FEATURE, rework={"when": "inputs.n > 1"}),
    _dependency(FEATURE, n=2, rework={"when": "inputs.n > 1"}),
    _dependency(BRANCHING, {"deep": "slow"}, quick={"when": "False"}),
    _dependency(BUGFIX),
    _dependency(
        ITERATE, {"rework": "number"}, rework={"loop_until": "False", "loop_max": 2}, escalate={"when": "True"}
    ),
    *(_dependency(BRANCHING, {"deep": "fails"}, policy=policy) for policy in ("skip-dependents", "run-dependents")),
    *(
        _dependency(BUGFIX, {"cause": "slowly-fails"}, policy=policy)
        for policy in ("skip-dependents", "run-dependents")
    ),
    _dependency(FEATURE, {"api": "fails", "migrations": "slowly-fails"}, assemble={"when": "False"}),
    *(_group(join, "shared", "fails", "copies") for join in ("all", "any", "merge")),
    *(_group(join, "shared", "slow", "shared") for join in ("all", "any", "merge")),
    *(_routed(n) for n in (0, 1, 2)),
)
"""The shipped corpus."""

"""Strategies that draw workflows with conditions, loops, parallel groups, failures, time limits and shared keys.

Under the policy `fail`, which steps had begun when another one failed is a matter of timing; so bodies fail only under the
other policies, and in successor style, where one node runs at a time.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .bodies import BODIES, LIMIT
from .draft import Draft

NAMES = [*"abcdefgh"]
KINDS = st.sampled_from([name for name in BODIES if name != "dawdles"])
CALM = st.sampled_from(["digest", "number", "shared", "nothing", "slow"])
JOINS = st.sampled_from(["all", "any", "merge"])
POLICIES = st.sampled_from(["fail", "skip-dependents", "run-dependents"])


@st.composite
def dependency_drafts(draw: st.DrawFn, most: int = 8) -> Draft:
    """Dependency style: joins, conditions, loops, failures under every policy, inputs that decide."""
    names = NAMES[: draw(st.integers(1, most))]
    steps, bodies = [], {}
    policy = draw(POLICIES)
    kinds = CALM if policy == "fail" else KINDS
    for index, name in enumerate(names):
        sources = draw(st.lists(st.sampled_from(names[:index]), unique=True, max_size=3)) if index else []
        step: dict[str, Any] = {"name": name, "depends_on": sorted(sources)}
        bodies[name] = draw(kinds)
        if sources and draw(st.integers(0, 4)) == 4:
            step["when"] = draw(st.sampled_from(["inputs.n > 1", f"results.{sources[0]} != None", "False"]))
        if draw(st.integers(0, 5)) == 5:
            step["loop_until"] = draw(st.sampled_from([f"results.{name} == 1", "inputs.n > 0", "False"]))
            step["loop_max"] = draw(st.integers(1, 3))
        if kinds is KINDS:
            _hurried(draw, step, bodies)
        steps.append(step)
    options = {"failure_policy": policy}
    definition = {"style": "dependency", "name": "w", "steps": draw(st.permutations(steps))}
    return Draft(definition, bodies, {"n": draw(st.integers(0, 2))}, options)


@st.composite
def successor_drafts(draw: st.DrawFn, most: int = 7) -> Draft:
    """Successor style: fan-out, shared descendants, conditions, parallel groups with every join, shared keys."""
    names = NAMES[: draw(st.integers(1, most))]
    nodes: list[dict[str, Any]] = []
    bodies: dict[str, str] = {}
    kinds = CALM if draw(st.booleans()) else KINDS
    for index, name in enumerate(names):
        later = names[index + 1 :]
        targets = draw(st.lists(st.sampled_from(later), unique=True, max_size=3)) if later else []
        kind = draw(st.sampled_from(["task", "task", "task", "condition", "parallel"]))
        node: dict[str, Any] = {"kind": kind, "name": name}
        if kind == "condition":
            node["condition"] = draw(st.sampled_from(["inputs.n", "inputs.n > 1", "len(results) % 3", "data.shared"]))
            node["branches"] = dict(zip(["0", "1", "true", "2"], [*targets, None], strict=False))
        else:
            node["next"] = targets
        if kind == "parallel":
            branches = [f"{name}{number}" for number in range(1, draw(st.integers(1, 3)) + 1)]
            bodies.update({branch: draw(kinds) for branch in branches})
            tasks: list[dict[str, Any]] = [{"kind": "task", "name": branch} for branch in branches]
            if kinds is KINDS:
                _hurried(draw, tasks[0], bodies)
            nodes.extend(tasks)
            node.update(branches=branches, join=draw(JOINS), max_concurrency=draw(st.sampled_from([None, 1, 2])))
        elif kind == "task":
            bodies[name] = draw(kinds)
            if kinds is KINDS:
                _hurried(draw, node, bodies)
        nodes.append(node)
    definition = {"style": "successor", "name": "w", "start": names[0], "nodes": draw(st.permutations(nodes))}
    return Draft(definition, bodies, {"n": draw(st.integers(0, 2))})


def _hurried(draw: st.DrawFn, step: dict[str, Any], bodies: dict[str, str]) -> None:
    """Now and then a step has a time limit, which its body does not keep."""
    if draw(st.integers(0, 19)) == 19:
        step["timeout"] = LIMIT
        bodies[step["name"]] = "dawdles"


def drafts() -> st.SearchStrategy[Draft]:
    """Workflows of both styles."""
    return st.one_of(dependency_drafts(), successor_drafts())

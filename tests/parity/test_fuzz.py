"""Fuzzing: engines that agree give nothing; one that is wrong gives a small workflow that shows it, as a test file."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from graphlift.adapters import DependencyWorkflow, SuccessorWorkflow
from graphlift.adapters.errors import ConfigurationError, UsageError
from graphlift.parity import Case, Outcome, Tap
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.forking import Forking
from graphlift.parity.fuzz import (
    BODIES,
    SHAPES,
    Counterexample,
    Draft,
    as_test,
    file_of,
    handlers_of,
    read_regressions,
    replay,
    search,
)
from graphlift.parity.fuzz.searching import differences
from graphlift.parity.fuzz.shrinking import shrink
from graphlift.parity.fuzz.workflows import dependency_drafts, drafts, successor_drafts
from graphlift.parity.gate import pick_engines
from graphlift.parity.rules import builtin_rules

RULES = builtin_rules()
SHIPPED = pick_engines([ReferenceEngine(), CompiledEngine()])

Change = Callable[[Case], Case]


@dataclass(frozen=True)
class Wrong:
    """The compiled graph of a definition that was changed on its way."""

    change: Change
    name: str = "wrong"
    side: Any = "candidate"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Any:
        return CompiledEngine().run(self.change(case), tap)


def steps(change: Callable[[Any], dict[str, Any]]) -> Change:
    """Change every step or node of a case's definition."""

    def apply(case: Case) -> Case:
        definition = case.definition
        key = "steps" if isinstance(definition, DependencyWorkflow) else "nodes"
        changed = tuple(item.model_copy(update=change(item)) for item in getattr(definition, key))
        return replace(case, definition=definition.model_copy(update={key: changed}))

    return apply


def drop_last_dependency(step: Any) -> dict[str, Any]:
    return {"depends_on": step.depends_on[:-1]} if len(getattr(step, "depends_on", ())) > 1 else {}


def one_turn_more(step: Any) -> dict[str, Any]:
    return {"loop_max": step.loop_max + 1} if getattr(step, "loop_until", None) else {}


def never_skips(step: Any) -> dict[str, Any]:
    return {"when": None} if getattr(step, "when", None) else {}


def runs_dependents(case: Case) -> Case:
    if case.options.get("failure_policy") != "skip-dependents":
        return case
    return replace(case, options={**case.options, "failure_policy": "run-dependents"})


def joins_any(node: Any) -> dict[str, Any]:
    return {"join": "any"} if getattr(node, "kind", "") == "parallel" and node.join == "all" else {}


def reversed_next(node: Any) -> dict[str, Any]:
    return {"next": tuple(reversed(node.next))} if getattr(node, "kind", "") == "task" else {}


@pytest.mark.parametrize(
    ("change", "strategy", "rules", "most"),
    [
        (steps(drop_last_dependency), dependency_drafts(), {"GL110", "GL120"}, 4),
        (steps(one_turn_more), dependency_drafts(), {"GL104"}, 2),
        (steps(never_skips), dependency_drafts(), {"GL103"}, 3),
        (runs_dependents, dependency_drafts(), {"GL143"}, 3),
        (steps(joins_any), successor_drafts(), {"GL130", "GL140", "GL141", "GL143"}, 6),
        (steps(reversed_next), successor_drafts(), {"GL120"}, 5),
    ],
    ids=["an edge is lost", "one turn more", "never skips", "runs dependents", "joins any", "other order"],
)
def test_a_wrong_engine_is_found_on_a_small_workflow(change: Change, strategy: Any, rules: set[str], most: int) -> None:
    found = search({**SHIPPED, "candidate": Wrong(change)}, RULES, examples=200, seed=4, drafts=strategy)
    assert found is not None
    assert found.draft.size <= most
    assert {item.rule for item in found.divergences} & rules


@given(drafts())
@settings(max_examples=40, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_engines_that_ship_agree(draft: Draft) -> None:
    assert differences(SHIPPED, RULES, draft) == ()


@pytest.mark.slow
def test_a_thousand_workflows_on_the_engines_that_ship() -> None:
    assert search(SHIPPED, RULES, examples=1000, seed=2) is None


@pytest.mark.parametrize("draft", SHAPES, ids=range(len(SHAPES)))
def test_the_shipped_shapes_hold_on_the_engines_that_ship(draft: Draft) -> None:
    assert differences(SHIPPED, RULES, draft) == ()


def test_one_seed_draws_the_same_workflows() -> None:
    wrong = {**SHIPPED, "candidate": Wrong(steps(never_skips))}
    pair = [search(wrong, RULES, examples=200, seed=7, drafts=dependency_drafts()) for _ in range(2)]
    assert pair[0] is not None
    assert pair[0] == pair[1]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a drawn workflow is run in a forked process")
def test_a_drawn_workflow_on_which_an_engine_hangs_is_a_counterexample() -> None:
    def hangs(case: Case) -> Case:
        if len(case.definition.by_name()) > 1:
            threading.Event().wait()
        return case

    wrong = {**SHIPPED, "candidate": Wrong(hangs)}
    pool = functools.partial(Forking, jobs=2, timeout=0.3)
    found = search(wrong, RULES, examples=5, seed=1, drafts=dependency_drafts(), pool=pool)
    assert found is not None
    assert (found.draft.size, found.divergences[0].rule) == (2, "GL202")


KEPT = Draft(
    {"style": "dependency", "name": "w", "steps": [{"name": "a"}, {"name": "b", "depends_on": ["a"], "when": "False"}]},
    {"a": "digest", "b": "digest"},
)


def test_a_counterexample_is_kept_and_replayed(tmp_path: Path) -> None:
    wrong = {**SHIPPED, "candidate": Wrong(steps(never_skips))}
    name, text = file_of(Counterexample(KEPT, differences(wrong, RULES, KEPT)))
    (tmp_path / name).write_text(text, encoding="utf-8")
    (kept,) = read_regressions(tmp_path, "kept")
    assert (kept.name, kept.draft, kept.found) == (name, KEPT, "GL103 at b")
    assert next(item.rule for one in replay(wrong, RULES, [kept]) for item in one.divergences) == "GL103"
    assert [one.divergences for one in replay(SHIPPED, RULES, [kept])] == [()]


def test_the_file_of_a_counterexample_is_named_by_its_content() -> None:
    wrong = {**SHIPPED, "candidate": Wrong(steps(never_skips))}
    found = Counterexample(KEPT, differences(wrong, RULES, KEPT))
    assert file_of(found) == file_of(found)
    assert file_of(found)[0] != file_of(replace(found, draft=replace(KEPT, inputs={"n": 1})))[0]


def test_no_folder_is_no_regression(tmp_path: Path) -> None:
    assert read_regressions(tmp_path / "none", "none") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "kept/x.json: cannot be read"),
        ("[]", "is a regression of version None, not 1"),
        ('{"graphlift-regression": 1}', "is no regression: KeyError('definition')"),
        (
            (
                '{"graphlift-regression": 1, "definition": {"style": "dependency", "name": "w", "steps": [{"name": "a"}]},'
                ' "bodies": {"a": "unheard-of"}, "inputs": {}, "options": {}}'
            ),
            "is no valid workflow: a: there is no body 'unheard-of'",
        ),
    ],
)
def test_a_file_that_is_no_regression_is_an_error_and_not_left_out(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        read_regressions(tmp_path, "kept")
    assert message in str(raised.value)
    assert "delete it if" in str(raised.value)


def test_what_is_drawn_covers_the_features() -> None:
    drawn: list[Draft] = []

    @given(drafts())
    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    def draw(draft: Draft) -> None:
        drawn.append(draft)

    draw()
    items = [item for draft in drawn for item in (draft.definition.get("steps") or draft.definition["nodes"])]
    assert {item["kind"] for item in items if "kind" in item} == {"task", "condition", "parallel"}
    assert {item["join"] for item in items if "join" in item} == {"all", "any", "merge"}
    for key in ("when", "loop_until", "timeout"):
        assert any(key in item for item in items)
    assert {body for draft in drawn for body in draft.bodies.values()} == set(BODIES)
    assert {type(draft.case().definition) for draft in drawn} == {DependencyWorkflow, SuccessorWorkflow}


def test_a_counterexample_is_written_as_a_test_that_fails_until_it_is_mended(tmp_path: Path) -> None:
    wrong_graph = {**SHIPPED, "candidate": Wrong(steps(one_turn_more))}
    found = search(wrong_graph, RULES, examples=200, seed=3, drafts=dependency_drafts())
    assert found is not None
    engines = """\
from dataclasses import dataclass, replace
from graphlift.parity.engines import CompiledEngine, ReferenceEngine


@dataclass(frozen=True)
class Wrong(CompiledEngine):
    def run(self, case, tap):
        steps = [s.model_copy(update={"loop_max": s.loop_max + MORE}) for s in case.definition.steps]
        return super().run(replace(case, definition=case.definition.model_copy(update={"steps": tuple(steps)})), tap)


ENGINES = [ReferenceEngine(), Wrong()]"""

    assert (found.divergences[0].rule, found.divergences[0].under) == ("GL104", None)

    def run(more: int) -> subprocess.CompletedProcess[str]:
        text = as_test(found, engines=f"MORE = {more}\n{engines}")
        (tmp_path / "test_found.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_found.py")]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert run(0).returncode == 0
    wrong = run(1)
    assert wrong.returncode == 1
    assert "GL104 at" in wrong.stdout
    assert "'style': 'dependency'," in (tmp_path / "test_found.py").read_text()


def test_shrinking_keeps_what_is_needed_and_nothing_else() -> None:
    chain = [
        {"name": name, "depends_on": list(sources)}
        for name, sources in (("a", ""), ("b", "a"), ("c", "b"), ("d", "bc"))
    ]
    draft = Draft({"style": "dependency", "name": "w", "steps": chain}, dict.fromkeys("abcd", "slow"), {"n": 2})

    def has_b_before_d(smaller: Draft) -> bool:
        steps = {step["name"]: step["depends_on"] for step in smaller.definition["steps"]}
        return "b" in steps.get("d", ())

    small = shrink(draft, has_b_before_d)
    assert small.definition["steps"] == [{"name": "b", "depends_on": []}, {"name": "d", "depends_on": ["b"]}]
    assert (small.bodies, small.inputs) == ({"b": "digest", "d": "digest"}, {"n": 0})


def test_an_unknown_body_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no body 'nope'"):
        handlers_of({"a": "nope"})


def test_an_outcome_is_what_engines_give() -> None:
    assert isinstance(ReferenceEngine().run(Draft(_ONE, {"a": "digest"}).case(), _tap()), Outcome)


_ONE = {"style": "dependency", "name": "w", "steps": [{"name": "a"}]}


def _tap() -> Tap:
    tap = Tap(lambda line: None)
    tap.handlers = tap.registry(handlers_of({"a": "digest"}))
    return tap

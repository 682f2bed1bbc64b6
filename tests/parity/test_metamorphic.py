"""Metamorphic checks: an engine that is right does the same when a workflow is only written otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlift.adapters import DependencyStep, DependencyWorkflow, parse_workflow
from graphlift.adapters.errors import UsageError
from graphlift.parity import Case, NodeEnd, Outcome, Tap
from graphlift.parity.alone import Alone, check_engine
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.metamorphic import variants
from graphlift.parity.rules import builtin_rules

RULES = builtin_rules()


def check(engine: Any, case: Case) -> Alone:
    return check_engine(engine, [case], RULES)


def relations(checked: Alone) -> tuple[str | None, ...]:
    return tuple(dict.fromkeys(item.relation for item in checked.found))


def digest(view: Any) -> Any:
    seen = (view.node, view.iteration, sorted(view.data.items()), sorted(view.results.items()))
    return {view.node: hashlib.sha256(repr(seen).encode()).hexdigest()[:6]}


def dependency(**steps: tuple[str, ...]) -> Case:
    declared = tuple(DependencyStep(name=name, depends_on=sources) for name, sources in steps.items())
    handlers = dict.fromkeys(steps, digest)
    return Case("c", definition=DependencyWorkflow(name="w", steps=declared), inputs={"n": 1}, handlers=handlers)


DIAMOND = dependency(a=(), b=("a",), c=("a",), x=("c",), d=("b", "x"))
SUCCESSOR = Case(
    "s",
    definition=parse_workflow(
        {
            "style": "successor",
            "name": "w",
            "start": "a",
            "nodes": [
                {"kind": "task", "name": "a", "next": ["g", "k"]},
                {"kind": "parallel", "name": "g", "branches": ["p", "q"], "join": "all", "next": ["z"]},
                {"kind": "task", "name": "p"},
                {"kind": "task", "name": "q"},
                {"kind": "condition", "name": "k", "condition": "results.a != None", "branches": {"true": "z"}},
                {"kind": "task", "name": "z"},
            ],
        }
    ),
    handlers=dict.fromkeys("apqz", digest),
)


@pytest.mark.parametrize("engine", [ReferenceEngine(), CompiledEngine(), CompiledEngine(mode="async")], ids=repr)
@pytest.mark.parametrize("case", [DIAMOND, SUCCESSOR], ids=["dependency", "successor"])
def test_the_engines_that_ship_hold(engine: Any, case: Case) -> None:
    assert check(engine, case).is_green


def test_conditions_and_loops_read_the_names_that_they_were_written_with() -> None:
    steps = (
        DependencyStep(name="a", loop_until="results.a.n >= 2", loop_max=5),
        DependencyStep(name="b", depends_on=("a",), when="results.a.n == 2"),
        DependencyStep(name="c", depends_on=("a",), when="results.a.n == 9"),
    )

    def count(view: Any) -> Any:
        return {"n": view.iteration + 1}

    case = Case("c", definition=DependencyWorkflow(name="w", steps=steps), handlers=dict.fromkeys("abc", count))
    assert check(CompiledEngine(), case).is_green


@dataclass(frozen=True)
class ByName:
    """Runs steps in order of their names: right for one naming, wrong for another."""

    name: str = "by name"
    side: Any = "candidate"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        from graphlift.adapters import NodeView

        results: dict[str, Any] = {}
        for step in sorted(case.definition.steps, key=lambda step: step.name):
            view = NodeView(step.name, case.inputs, case.inputs, dict(results))
            results[step.name] = tap.handlers[step.handler_name](view)
        return Outcome(True, dict(case.inputs), {name: NodeEnd("completed", value) for name, value in results.items()})


def test_an_engine_that_depends_on_names_is_found() -> None:
    checked = check(ByName(), DIAMOND)
    assert relations(checked) == ("its steps are renamed",)
    assert {item.divergence.rule for item in checked.found} >= {"GL110", "GL120"}
    missing = next(item.divergence for item in checked.found if item.divergence.rule == "GL110")
    assert missing.node == "x"
    assert missing.cause == ("written otherwise, x began before a did; x began before b did; x began before c did")


@dataclass(frozen=True)
class Declared(ByName):
    """Runs steps in the order in which they are declared."""

    def run(self, case: Case, tap: Tap) -> Outcome:
        from graphlift.adapters import NodeView

        results: dict[str, Any] = {}
        for step in case.definition.steps:
            view = NodeView(step.name, case.inputs, case.inputs, dict(results))
            results[step.name] = tap.handlers[step.handler_name](view)
        return Outcome(True, {}, {name: NodeEnd("completed", value) for name, value in results.items()})


def test_an_engine_that_depends_on_the_order_of_declaration_is_found() -> None:
    assert relations(check(Declared(), DIAMOND)) == ("its steps are declared in another order",)


@dataclass(frozen=True)
class FirstOnly(ByName):
    """Passes a result on only to those that wait for a step without sources: an added first step changes who that is."""

    def run(self, case: Case, tap: Tap) -> Outcome:
        from graphlift.adapters import NodeView

        roots = {step.name for step in case.definition.steps if not step.depends_on}
        results: dict[str, Any] = {}
        for step in case.definition.steps:
            seen = {name: results[name] for name in step.depends_on if name in roots}
            results[step.name] = tap.handlers[step.handler_name](NodeView(step.name, {}, {}, seen))
        return Outcome(True, {}, {name: NodeEnd("completed", value) for name, value in results.items()})


def test_an_engine_that_a_step_which_does_nothing_disturbs_is_found() -> None:
    case = dependency(a=(), b=("a",))
    assert "a step that does nothing comes before it" in relations(check(FirstOnly(), case))


def test_each_source_of_a_join_is_slow_once() -> None:
    told = [variant.relation for variant in variants(DIAMOND)]
    assert told == [
        "its steps are renamed",
        "its steps are declared in another order",
        "a step that does nothing comes before it",
        "b is slow",
        "x is slow",
    ]


def test_a_definition_of_the_teams_own_is_refused() -> None:
    with pytest.raises(UsageError, match="metamorphic checks need a graphlift Workflow"):
        variants(replace(DIAMOND, definition={"nodes": []}))


def test_a_run_that_fails_is_not_judged() -> None:
    def fail(view: Any) -> Any:
        raise ValueError("no")

    handlers: Mapping[str, Any] = {**dict.fromkeys("abcdx", digest), "a": fail}
    checked = check(CompiledEngine(), replace(DIAMOND, handlers=handlers))
    assert (checked.found, checked.cases) == ((), ())
    assert [(item.what, item.why) for item in checked.unchecked] == [
        ("everything", "the run failed: ValueError: no"),
    ]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    names = draw(
        st.lists(st.sampled_from(["a", "b+c", "ä:1", "x y", "p", "q", "_"]), min_size=1, max_size=6, unique=True)
    )
    steps: dict[str, tuple[str, ...]] = {}
    for name in names:
        steps[name] = tuple(draw(st.lists(st.sampled_from(sorted(steps)), unique=True, max_size=3))) if steps else ()
    return dependency(**steps)


@given(cases())
@settings(max_examples=15, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_workflows_hold_under_both_engines(case: Case) -> None:
    for engine in (ReferenceEngine(), CompiledEngine()):
        assert check(engine, case).is_green

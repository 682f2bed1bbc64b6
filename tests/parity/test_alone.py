"""One engine by itself: liveness, what its run shows, and what could not be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from graphlift.adapters import DependencyStep, DependencyWorkflow, NodeView
from graphlift.adapters.errors import ConfigurationError
from graphlift.parity import DIGEST, Case, NodeEnd, Outcome, Tap
from graphlift.parity.alone import check_engine, pick
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.rules import builtin_rules

RULES = builtin_rules()
STEPS = (DependencyStep(name="a"), DependencyStep(name="b", depends_on=("a",)))
CHAIN = Case(
    "chain",
    definition=DependencyWorkflow(name="w", steps=STEPS),
    inputs={"n": 1},
    handlers={"a": lambda view: {"a": 1}, "b": lambda view: sorted(view.results)},
)


@dataclass(frozen=True)
class Stalls:
    """Ends normally after its first node."""

    name: str = "stalls"
    side: Any = "legacy"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        tap.handlers["a"]({})
        return Outcome(True, {}, {"a": NodeEnd("completed")})


def test_a_node_that_never_runs_is_found_under_one_engine_alone() -> None:
    case = Case("c", definition={"of": "ours"}, edges={"a": (), "b": ("a",)}, handlers={"a": lambda data: None})
    checked = check_engine(Stalls(), [case], RULES)
    (found,) = checked.found
    assert (found.relation, found.divergence.rule, found.divergence.node) == (None, "GL170", "b")
    assert found.divergence.cause == "under the legacy engine the run ended normally although a had led to b"
    assert not checked.is_green


def test_what_cannot_be_checked_is_named() -> None:
    case = Case("c", definition={"of": "ours"}, handlers={"a": lambda data: None})
    checked = check_engine(Stalls(), [case, replace(CHAIN, id="d", edges={"a": ()})], RULES)
    assert [(item.case, item.what, item.why) for item in checked.unchecked] == [
        ("c", "other ways of writing it", "its definition is not one of graphlift's own workflows"),
        ("c", "liveness", "the graph is not known: give the case `edges`"),
    ]
    assert checked.cases == ("d",)


def test_nothing_checked_is_not_green() -> None:
    case = Case("c", definition={"of": "ours"}, handlers={"a": lambda data: None})
    assert not check_engine(Stalls(), [case], RULES).is_green


def test_an_engine_that_raises_before_any_node_is_a_finding() -> None:
    case = replace(CHAIN, options={"unknown": 1})
    (found,) = check_engine(CompiledEngine(), [case], RULES).found
    assert (found.divergence.rule, found.divergence.cause) == (
        "GL204",
        "the candidate engine raises before any node runs",
    )


def test_recorded_handlers_run_once_and_are_replayed_under_other_names() -> None:
    calls: list[str] = []

    def pay(view: NodeView) -> Any:
        calls.append(view.node)
        return {"paid": len(calls)}

    case = replace(CHAIN, handlers={**_handlers(CHAIN), "a": pay}, recorded=("a",))
    checked = check_engine(CompiledEngine(), [case], RULES)
    assert (checked.found, checked.written, calls) == ((), 3, ["a"])


def test_with_a_cassette_recorded_handlers_never_run() -> None:
    case = replace(CHAIN, recorded=("a",))
    checked = check_engine(CompiledEngine(), [case], RULES, tape=())
    assert {item.divergence.rule for item in checked.found} == {"GL210"}


@dataclass(frozen=True)
class OfDicts:
    """Takes graphlift's workflows, and calls handlers with plain dicts."""

    name: str = "of dicts"
    side: Any = "legacy"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        data, pending = dict(case.inputs), list(case.definition.steps)
        while pending:
            step = next(one for one in pending if not {other.name for other in pending} & set(one.depends_on))
            pending.remove(step)
            data.update(tap.handlers[step.handler_name](dict(data)) or {})
        return Outcome(True, data)


def test_handlers_that_take_no_view_are_checked_too() -> None:
    paid: list[int] = []
    handlers = {"a": lambda data: paid.append(1) or {"a": len(paid)}, "b": lambda data: {"b": data["a"]}}
    checked = check_engine(OfDicts(), [replace(CHAIN, handlers=handlers, recorded=("a",))], RULES)
    assert (checked.found, checked.written, paid) == ((), 3, [1])


def test_stubs_answer_by_the_names_that_the_case_was_written_with() -> None:
    checked = check_engine(ReferenceEngine(), [replace(CHAIN, stubs={"*": DIGEST})], RULES)
    assert (checked.found, checked.written) == ((), 3)


def test_handlers_that_each_run_opens_are_opened_for_each_variant_too() -> None:
    opened: list[int] = []

    @contextmanager
    def fresh() -> Iterator[Mapping[str, Any]]:
        opened.append(1)
        yield _handlers(CHAIN)

    checked = check_engine(CompiledEngine(), [replace(CHAIN, handlers=fresh)], RULES)
    assert (checked.found, checked.written, len(opened)) == ((), 3, 5)


def test_a_definition_as_data_is_written_otherwise_as_data() -> None:
    definition = {"style": "dependency", "name": "w", "steps": [{"name": "a"}, {"name": "b", "depends_on": ["a"]}]}
    checked = check_engine(ReferenceEngine(), [replace(CHAIN, definition=definition)], RULES)
    assert (checked.found, checked.written) == ((), 3)


def test_an_engine_is_picked_by_its_side() -> None:
    engines = [CompiledEngine(), ReferenceEngine()]
    assert [engine.name for engine in pick(engines, ["legacy"])] == ["reference"]
    assert [engine.name for engine in pick(engines, ["legacy", "candidate"])] == ["reference", "langgraph"]
    with pytest.raises(ConfigurationError, match="exactly one legacy engine; the plugins give none"):
        pick(engines[:1], ["legacy"])


def _handlers(case: Case) -> Mapping[str, Any]:
    assert isinstance(case.handlers, Mapping)
    return case.handlers

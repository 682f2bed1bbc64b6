"""The traces that a report keeps of diverging cases: small, the same for the same state, and safe to show."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.adapters import compile_workflow, parse_workflow
from graphlift.adapters.errors import UsageError
from graphlift.parity import Case, Divergence, observe, run_gate
from graphlift.parity.baseline import Known
from graphlift.parity.engines import CompiledEngine, OutcomeEngine, ReferenceEngine
from graphlift.parity.recorded import Value, record
from graphlift.parity.report import Report
from graphlift.parity.rules import builtin_rules
from graphlift.parity.showing import differing_places, printable, shown
from graphlift.parity.traces import MOST_CASES, CaseTrace, traces_from_json
from graphlift.parity.tracing import MOST_NODES, MOST_STEPS, trace_case

Handlers = dict[str, Callable[..., Any]]
DIAMOND = parse_workflow(
    {
        "style": "dependency",
        "name": "diamond",
        "steps": [
            {"name": "a"},
            {"name": "b", "depends_on": ["a"]},
            {"name": "c", "depends_on": ["a"]},
            {"name": "d", "depends_on": ["b", "c"]},
        ],
    }
)


def gate(tmp_path: Path, legacy: Any, candidate: Any, cases: list[Case], **more: Any) -> Report:
    engines = [OutcomeEngine("walker", "legacy", legacy), OutcomeEngine("graph", "candidate", candidate)]
    return run_gate(engines, cases, builtin_rules(), root=tmp_path, today=dt.date(2026, 12, 1), **more)


def once(case: Case, handlers: Handlers) -> Any:
    return {"success": True, "data": {"n": handlers["a"]({"n": 1})}}


def twice(case: Case, handlers: Handlers) -> Any:
    handlers["a"]({"n": 1})
    return once(case, handlers)


def cases(count: int = 1) -> list[Case]:
    return [Case(f"case-{n:03d}", "w", {"w": n}, {}, {"a": lambda data: data["n"]}) for n in range(count)]


def test_a_diverging_case_keeps_both_runs(tmp_path: Path) -> None:
    (trace,) = gate(tmp_path, once, twice, cases()).traces
    assert (trace.case, trace.first, trace.graph) == ("case-000", ("a", 1), None)
    assert (trace.legacy.engine, trace.legacy.counts, trace.legacy.total) == ("walker", {"a": 1}, 1)
    assert (trace.candidate.engine, trace.candidate.counts, trace.candidate.succeeded) == ("graph", {"a": 2}, True)
    assert [(step.node, step.activation, step.wave) for step in trace.candidate.steps] == [("a", 0, 0), ("a", 1, 1)]
    assert trace.candidate.steps[0].saw.text == '{"data": {"n": 1}}'


def test_a_case_that_agrees_keeps_nothing(tmp_path: Path) -> None:
    assert gate(tmp_path, once, once, cases()).traces == ()


def test_only_so_many_are_kept_and_unknown_ones_first(tmp_path: Path) -> None:
    entry = Known(rule="GL101", case="case-00*", reason="r", owner="o", expires=dt.date(2030, 1, 1), at_most=99)
    report = gate(tmp_path, once, twice, cases(MOST_CASES + 15), baseline=[entry])
    kept = [trace.case for trace in report.traces]
    assert len(report.findings) == MOST_CASES + 15
    assert kept == [f"case-{n:03d}" for n in range(10, MOST_CASES + 10)]


def test_supersteps_are_known_where_a_graph_runs() -> None:
    case = Case("diamond", "", DIAMOND, handlers=dict.fromkeys("abcd", lambda view: view.node))
    runs = observe(ReferenceEngine(), case), observe(CompiledEngine(), case)
    assert [item.superstep for item in runs[0].activations] == [None] * 4
    assert {item.node: item.superstep for item in runs[1].activations} == {"a": 1, "b": 2, "c": 2, "d": 3}


async def _later(view: Any) -> str:
    return str(view.node)


def test_supersteps_of_coroutines_and_of_a_teams_own_engine() -> None:
    def run(case: Case, handlers: Handlers) -> Any:
        return compile_workflow(DIAMOND, handlers).arun({})

    case = Case("diamond", "", DIAMOND, handlers=dict.fromkeys("abcd", _later))
    seen = observe(OutcomeEngine("theirs", "candidate", run), case)
    assert {item.node: item.superstep for item in seen.activations} == {"a": 1, "b": 2, "c": 2, "d": 3}


def test_the_graph_says_after_what_each_activation_began(tmp_path: Path) -> None:
    def uneven(case: Case, handlers: Handlers) -> Any:
        for name in ("a", "b", "d", "c", "d"):
            handlers[name]({})
        return {"success": True}

    def even(case: Case, handlers: Handlers) -> Any:
        for name in "abcd":
            handlers[name]({})
        return {"success": True}

    edges = {"b": ["a"], "c": ["a"], "d": ["b", "c"]}
    case = Case("x", "w", {}, handlers=dict.fromkeys("abcd", lambda data: None), edges=edges)
    (trace,) = gate(tmp_path, even, uneven, [case]).traces
    assert trace.graph is not None
    assert trace.graph.sources == {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
    told = [(step.node, step.activation, step.after) for step in trace.candidate.steps if step.node == "d"]
    assert told == [("d", 0, ("b",)), ("d", 1, ("c",))]


def test_what_an_activation_came_after_is_seen_through_groups_and_conditions(tmp_path: Path) -> None:
    nodes = [
        {"kind": "task", "name": "a", "next": ["group"]},
        {"kind": "parallel", "name": "group", "branches": ["x", "y"], "next": ["size"]},
        {"kind": "task", "name": "x"},
        {"kind": "task", "name": "y"},
        {"kind": "condition", "name": "size", "condition": "True", "branches": {"true": "b"}},
        {"kind": "task", "name": "b"},
    ]
    flow = parse_workflow({"style": "successor", "name": "flow", "start": "a", "nodes": nodes})

    def run(*names: str) -> Any:
        return lambda case, handlers: {"success": not [handlers[name]({}) for name in names] or True}

    case = Case("x", "w", flow, handlers=dict.fromkeys("abxy", lambda data: None))
    (trace,) = gate(tmp_path, run("a", "x", "y", "b"), run("a", "x", "y", "b", "b"), [case]).traces
    assert [(step.node, step.after) for step in trace.legacy.steps] == [
        ("a", ()),
        ("x", ("a",)),
        ("y", ("a",)),
        ("b", ("x", "y")),
    ]


def test_where_values_differ(tmp_path: Path) -> None:
    def other(case: Case, handlers: Handlers) -> Any:
        return {"success": True, "data": {"n": handlers["a"]({"n": 2}), "more": [1, {"x": 3}]}}

    (trace,) = gate(tmp_path, once, other, cases()).traces
    assert [(item.what, item.node, item.rows) for item in trace.differences] == [
        ("saw", "a", (("data.n", "1", "2"),)),
        ("returned", "a", (("", "1", "2"),)),
        ("final data", None, (("n", "1", "2"), ("more", "absent", '[1, {"x": 3}]'))),
    ]


def test_a_long_run_is_cut_around_the_divergence(tmp_path: Path) -> None:
    def run(count: int) -> Any:
        def call(case: Case, handlers: Handlers) -> Any:
            for n in range(300):
                handlers["a"]({"n": count if n == 200 else n})
            return {"success": True}

        return call

    (trace,) = gate(tmp_path, run(0), run(1), cases()).traces
    assert trace.first == ("a", 200)
    assert (trace.legacy.total, len(trace.legacy.steps), trace.legacy.counts) == (300, MOST_STEPS, {"a": 300})
    assert trace.legacy.first < 200 < trace.legacy.first + MOST_STEPS
    assert trace.legacy.steps[200 - trace.legacy.first].activation == 200


def test_a_large_graph_is_cut_around_the_divergence(tmp_path: Path) -> None:
    def run(skip: str) -> Any:
        def call(case: Case, handlers: Handlers) -> Any:
            for name in handlers:
                if name != skip:
                    handlers[name]({})
            return {"success": True}

        return call

    names = [f"n{number:03d}" for number in range(400)]
    edges = {name: [before] for before, name in itertools.pairwise(names)}
    case = Case("x", "w", {}, handlers=dict.fromkeys(names, lambda data: None), edges=edges)
    (trace,) = gate(tmp_path, run(""), run("n300"), [case]).traces
    assert trace.graph is not None
    assert (len(trace.graph.sources), trace.graph.left_out) == (MOST_NODES, 400 - MOST_NODES)
    assert {"n299", "n300", "n301"} <= trace.graph.sources.keys()


def test_traces_survive_their_file(tmp_path: Path) -> None:
    report = gate(tmp_path, once, twice, cases(3))
    data = json.loads(json.dumps(report.to_json()))["traces"]
    assert traces_from_json(data) == report.traces


@pytest.mark.parametrize("broken", [[{}], [3], [{"case": "x", "legacy": [], "candidate": {}}], 7])
def test_what_is_no_trace(broken: Any) -> None:
    with pytest.raises(UsageError, match="traces cannot be read"):
        traces_from_json(broken)


def test_a_long_value_is_broken_into_lines_and_cut() -> None:
    value = Value.of({"name": "x" * 40, "items": [{"a": 1, "b": [1, 2]}, "y" * 30], "none": {}})
    assert shown(value, 1_000).text.splitlines() == [
        "{",
        '  "name": "' + "x" * 40 + '",',
        '  "items": [{"a": 1, "b": [1, 2]}, "' + "y" * 30 + '"],',
        '  "none": {}',
        "}",
    ]
    assert shown(value, 10).text == '{\n  "name"… (130 more characters)'


TEXTS = st.text() | st.sampled_from(["\u202e", "\ud800", "</script>", "\x1b[2J", "a\r\nb"])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(DATA, st.integers(1, 200))
def test_every_value_can_be_printed(data: Any, limit: int) -> None:
    text = shown(Value.of(data), limit).text
    assert all(char == "\n" or char.isprintable() for char in text)
    assert len(text) <= limit + 40
    assert printable("\ud800\u202e\n") == "\\ud800\\u202e\\n"


@given(DATA, DATA, st.sampled_from([1, 10_000]), st.sampled_from([1, 10_000]))
def test_places_are_told_exactly_where_values_differ(one: Any, other: Any, left: int, right: int) -> None:
    values = record(one, keep=left), record(other, keep=right)
    rows, more = differing_places(*values)
    assert bool(rows) == (values[0].digest != values[1].digest)
    assert more == 0 or len(rows) == 20


@given(DATA, DATA)
def test_any_names_and_values_make_a_trace_that_is_utf8(one: Any, other: Any) -> None:
    def run(value: Any) -> Any:
        return lambda case, handlers: {"success": True, "data": {"x": handlers["\ud800<"]({"v": value})}}

    case = Case("x", "w", {}, handlers={"\ud800<": lambda data: data["v"]}, edges={"\ud800<": ["y\n"]})
    runs = [
        observe(OutcomeEngine(side, side, run(value)), case)  # type: ignore[arg-type]
        for side, value in (("legacy", one), ("candidate", other))
    ]
    trace: CaseTrace = trace_case("x", [Divergence("GL101", "run count", "\ud800<")], *runs)
    text = json.dumps(trace.to_json(), ensure_ascii=False)
    assert traces_from_json([json.loads(text.encode())]) == (trace,)
    assert trace.first == ("\\ud800<", 0)

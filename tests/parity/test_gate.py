"""The gate: what counts as a divergence, what is flaky, what follows from what, and what makes a report green."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters import ConfigurationError, UsageError
from graphlift.parity import Case, Engine, Observation, Tap
from graphlift.parity.baseline import Known
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.gate import run_gate
from graphlift.parity.observing import observe
from graphlift.parity.report import Report
from graphlift.parity.rules import builtin_rules

Run = Callable[[Mapping[str, Callable[..., Any]]], Any]


def engine(side: Any, run: Run, sources: tuple[str, ...] = ("walker.py",)) -> OutcomeEngine:
    return OutcomeEngine(f"the {side}", side, lambda case, handlers: run(handlers), sources)


def case(case_id: str = "one", **more: Any) -> Case:
    handlers = dict.fromkeys("abcd", lambda data=None: data)
    return Case(case_id, "flow", {"steps": ["a"]}, handlers=more.pop("handlers", handlers), **more)


def gate(tmp_path: Path, legacy: Run, candidate: Run, *cases: Case, **more: Any) -> Report:
    pair = [engine("legacy", legacy), engine("candidate", candidate)]
    return run_gate(pair, cases or [case()], builtin_rules(), root=tmp_path, today=dt.date(2030, 1, 1), **more)


def walk(*names: str, **result: Any) -> Run:
    def run(handlers: Mapping[str, Callable[..., Any]]) -> Any:
        for name in names:
            handlers[name]()
        return {"success": True, "data": {}, "nodes": {}, **result}

    return run


def found(report: Report) -> list[tuple[str, str | None]]:
    return [(item.divergence.rule, item.divergence.node) for item in report.findings]


def test_an_engine_against_itself_is_green(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b"), walk("a", "b"))
    assert report.green
    assert (report.findings, report.flaky, report.problems, report.unseen) == ((), (), (), ())
    assert {name: item["verdict"] for name, item in report.verdicts().items()} == dict.fromkeys(
        report.families, "green"
    )


def test_a_difference_is_red_in_its_family_only(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b"), walk("a", "b", "b"))
    assert not report.green
    assert found(report) == [("GL101", "b")]
    red = [name for name, item in report.verdicts().items() if item["verdict"] == "red"]
    assert red == ["run count"]


def test_divergences_follow_the_trace_and_fold_under_the_first(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b", "c"), walk("a", "b", "b", "c", "c", data={"n": 1}))
    assert [(item.divergence.rule, item.divergence.node, item.follows) for item in report.findings] == [
        ("GL101", "b", None),
        ("GL101", "c", "GL101 at b"),
        ("GL151", None, "GL101 at b"),
    ]


def test_nodes_at_once_do_not_follow_from_each_other(tmp_path: Path) -> None:
    import asyncio

    def together(*names: str) -> Run:
        async def main(handlers: Mapping[str, Callable[..., Any]]) -> Any:
            await asyncio.gather(*(handlers[name]() for name in names))
            return {"success": True, "data": {}, "nodes": {}}

        return main

    async def handler() -> None:
        await asyncio.sleep(0)

    report = gate(
        tmp_path, together("a", "b"), together("a", "a", "b", "b"), case(handlers=dict.fromkeys("ab", handler))
    )
    assert [(item.divergence.node, item.follows) for item in report.findings] == [("a", None), ("b", None)]


# flaky


def changing(*runs: Run) -> Run:
    """An engine that behaves otherwise from run to run."""
    turns = itertools.cycle(runs)
    return lambda handlers: next(turns)(handlers)


def test_what_one_engine_does_not_repeat_is_flaky_and_no_divergence(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b"), changing(walk("a", "b", "b"), walk("a", "b")))
    assert found(report) == []
    assert [(item.rule, item.node, item.cause) for item in report.flaky] == [
        ("GL101", "b", "differs between two runs of the candidate engine: on the legacy engine it ran after a, after b")
    ]
    assert not report.green


def test_flaky_in_one_node_hides_nothing_at_another(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b"), changing(walk("a", "b", "b", "a"), walk("a", "b", "a")))
    assert found(report) == [("GL101", "a")]
    assert [item.node for item in report.flaky] == ["b"]


def test_flaky_in_one_key_of_the_state_hides_nothing_at_another(tmp_path: Path) -> None:
    legacy = walk(data={"stamp": 0, "total": 1})
    report = gate(tmp_path, legacy, changing(walk(data={"stamp": 1, "total": 2}), walk(data={"stamp": 2, "total": 2})))
    assert [item.divergence.subject for item in report.findings] == ["total"]
    assert [item.subject for item in report.flaky] == ["stamp"]


def test_flaky_on_both_engines_is_flaky(tmp_path: Path) -> None:
    stamps = itertools.count()

    def run(handlers: Any) -> Any:
        return {"success": True, "data": {"stamp": next(stamps)}, "nodes": {}}

    report = gate(tmp_path, run, run)
    assert found(report) == []
    assert len(report.flaky) == 2


def raising(handlers: Any) -> Any:
    raise RuntimeError("no")


def test_an_engine_that_raises_every_time_is_a_divergence(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), raising)
    assert (found(report), report.flaky) == ([("GL200", None)], ())


def test_an_engine_that_raises_in_its_second_run_is_flaky(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), changing(walk("a"), raising))
    assert (found(report), [item.rule for item in report.flaky]) == ([], ["GL200"])
    assert not report.green


def observed(traces: Mapping[str, Iterable[tuple[str, ...]]]) -> Any:
    """An observer that shows given orders, in turn, and the order while every activation is held open under seed 3."""
    iterators: dict[str, Iterator[tuple[str, ...]]] = {side: iter(orders) for side, orders in traces.items()}

    def observer(engine: Engine, case: Case, seed: int) -> Observation:
        names = next(iterators[engine.side])
        return observe(OutcomeEngine("e", engine.side, lambda _, handlers: walk(*names)(handlers)), case)

    return observer


def test_an_order_that_was_luck_is_no_difference(tmp_path: Path) -> None:
    # Both times a and b ran one after the other; held open, the candidate shows no order that is opposite.
    traces = {"legacy": [("a", "b")] * 3, "candidate": [("b", "a"), ("b", "a"), ("a", "b")]}
    report = gate(tmp_path, walk(), walk(), observer=observed(traces))
    assert (found(report), report.flaky) == ([], ())


def test_an_order_that_holds_is_a_difference(tmp_path: Path) -> None:
    traces = {"legacy": [("a", "b")] * 3, "candidate": [("b", "a")] * 3}
    assert found(gate(tmp_path, walk(), walk(), observer=observed(traces))) == [("GL120", "b")]


# known divergences


def known(**more: Any) -> Known:
    entry = {"rule": "GL101", "case": "one", "reason": "r", "owner": "ada", "expires": dt.date(2031, 1, 1)}
    return Known.model_validate({**entry, **more})


def test_a_known_divergence_is_green_and_counted(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), walk("a", "a"), baseline=[known()])
    assert report.green
    assert report.verdicts()["run count"] == {"verdict": "green", "count": 1, "known": 1}


@pytest.mark.parametrize("entry", [known(expires=dt.date(2029, 1, 1)), known(case="two"), known(node="b")])
def test_an_entry_that_does_not_cover_it_is_red(tmp_path: Path, entry: Known) -> None:
    assert not gate(tmp_path, walk("a"), walk("a", "a"), baseline=[entry]).green


def test_an_entry_that_is_not_needed_is_red(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), walk("a"), baseline=[known()])
    assert ([item.kind for item in report.problems], report.green) == (["unmatched"], False)


# which cases, which engines


def test_only_the_cases_that_are_asked_for(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), walk("a"), case("one"), case("two"), only=["two"])
    assert (report.cases, report.partial, report.stopped, report.clean, report.green) == (
        ("two",),
        True,
        False,
        True,
        False,
    )


def test_a_case_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no case 'three'") as caught:
        gate(tmp_path, walk(), walk(), case("one"), case("two"), only=["three"])
    assert caught.value.mend == "the cases are one, two"


def test_two_cases_with_one_id(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="two cases have the id 'one'"):
        gate(tmp_path, walk(), walk(), case(), case())


def test_no_case_at_all_is_no_success(tmp_path: Path) -> None:
    pair = [engine("legacy", walk()), engine("candidate", walk())]
    with pytest.raises(ConfigurationError, match="no plugin gives a case"):
        run_gate(pair, [], builtin_rules(), root=tmp_path)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ([], "exactly one legacy engine; the plugins give none"),
        (["legacy"], "exactly one candidate engine; the plugins give none"),
        (["legacy", "legacy", "candidate"], "exactly one legacy engine; the plugins give the legacy, the legacy"),
    ],
)
def test_engines_that_are_missing_or_too_many(tmp_path: Path, sides: list[str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        run_gate([engine(side, walk()) for side in sides], [case()], builtin_rules(), root=tmp_path)


def test_an_interrupt_gives_a_partial_report_of_what_was_compared(tmp_path: Path) -> None:
    def progress(cases: Iterable[Case]) -> Iterator[Case]:
        for index, item in enumerate(cases):
            if index == 1:
                raise KeyboardInterrupt
            yield item

    report = gate(tmp_path, walk("a"), walk("a", "a"), case("one"), case("two"), progress=progress)
    assert (report.cases, report.partial, report.stopped) == (("one",), True, True)
    assert found(report) == [("GL101", "a")]


def test_handlers_are_opened_afresh_for_every_run(tmp_path: Path) -> None:
    opened: list[str] = []

    @contextmanager
    def world() -> Iterator[dict[str, Callable[..., Any]]]:
        rows: list[int] = []
        opened.append("open")
        yield {"a": lambda: rows.append(1) or list(rows)}  # type: ignore[func-returns-value]
        opened.append("close")

    def run(handlers: Any) -> Any:
        return {"success": True, "data": {"rows": handlers["a"]()}, "nodes": {}}

    report = gate(tmp_path, run, run, case(handlers=world))
    assert report.green
    assert opened == ["open", "close"] * 4


def test_handlers_are_closed_when_the_engine_raises(tmp_path: Path) -> None:
    opened: list[str] = []

    @contextmanager
    def world() -> Iterator[dict[str, Callable[..., Any]]]:
        try:
            yield {}
        finally:
            opened.append("close")

    gate(tmp_path, raising, raising, case(handlers=world))
    assert opened == ["close"] * 4


# what could not be seen, and evidence


def test_what_could_not_be_compared_is_said(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), lambda handlers: {"success": True})
    assert [item for item in report.unseen if "candidate" in item] == [
        "one: the candidate engine shows no node results",
        "one: the candidate engine shows no final data",
        "one: no handler call was tapped on the candidate engine, so its trace is empty",
    ]


def test_evidence_that_could_never_become_stale_is_said(tmp_path: Path) -> None:
    pair = [engine("legacy", walk("a")), engine("candidate", walk("a"), sources=())]
    cases = [Case("one", "flow", object(), handlers={"a": lambda: None})]
    report = run_gate(pair, cases, builtin_rules(), root=tmp_path)
    assert report.unseen == (
        "the candidate engine names no sources: its evidence never becomes stale",
        "one: its definition has no content that can be hashed, and its `files` name none",
    )


def test_evidence_names_every_file_with_its_digest(tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    for name in ("engines/graph.py", "engines/note.txt", "walker.py", "flow.yaml"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    pair = [engine("legacy", walk("a")), engine("candidate", walk("a"), sources=("engines",))]
    report = run_gate(pair, [case(files=("flow.yaml",))], builtin_rules(), root=tmp_path, files=["graphlift.toml"])
    files = report.evidence.files
    assert list(files) == ["walker.py", "engines/graph.py", "graphlift.toml", "flow.yaml"]
    assert files["graphlift.toml"] == "absent"
    assert set(report.evidence.engines) == {"legacy", "candidate"}


def test_evidence_is_of_the_files_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "walker.py"
    path.write_text("before", encoding="utf-8")

    def run(handlers: Any) -> Any:
        path.write_text("after", encoding="utf-8")
        return walk("a")(handlers)

    during = gate(tmp_path, run, run).evidence
    path.write_text("before", encoding="utf-8")
    assert gate(tmp_path, walk("a"), walk("a")).evidence == during


@pytest.mark.parametrize(
    "other",
    [
        case("two"),
        case(inputs={"x": 1}),
        case(options={"x": 1}),
        Case("one", "flow", {"steps": ["b"]}),
        Case("one", "w", {}),
    ],
)
def test_a_fingerprint_changes_with_what_the_case_is(other: Case) -> None:
    assert case().fingerprint != other.fingerprint
    assert case().fingerprint == case().fingerprint


def test_a_report_is_the_same_every_time(tmp_path: Path) -> None:
    cases = [case(name) for name in ("two", "one", "three")]
    first = gate(tmp_path, walk("a", "b"), walk("a", "b", "b"), *cases)
    second = gate(tmp_path, walk("a", "b"), walk("a", "b", "b"), *reversed(cases))
    assert first.to_json() == second.to_json()
    assert first.cases == ("one", "three", "two")


def test_an_engine_that_is_an_object_of_its_own(tmp_path: Path) -> None:
    class Walker:
        name, sources = "walker", ("walker.py",)

        def __init__(self, side: Any) -> None:
            self.side = side

        async def run(self, case: Case, tap: Tap) -> Any:
            from graphlift.parity import outcome_of

            tap.handlers["a"]()
            return outcome_of({"success": True, "data": {}, "nodes": {}})

    report = run_gate([Walker("legacy"), Walker("candidate")], [case()], builtin_rules(), root=tmp_path)
    assert report.green

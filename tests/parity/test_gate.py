"""The gate: what counts as a divergence, what is flaky, what follows from what, and what makes a report green."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters import ConfigurationError, UsageError
from graphlift.parity import Case, Tap
from graphlift.parity.baseline import Known
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.gate import run_gate
from graphlift.parity.judging import Judged
from graphlift.parity.report import Report
from graphlift.parity.reporters.terminal import text
from graphlift.parity.rules import builtin_rules
from graphlift.parity.running import InProcess, Task

Run = Callable[[Mapping[str, Callable[..., Any]]], Any]


def engine(side: Any, run: Run, sources: tuple[str, ...] = ("walker.py",)) -> OutcomeEngine:
    return OutcomeEngine(f"the {side}", side, lambda case, handlers: run(handlers), sources)


def case(case_id: str = "one", **more: Any) -> Case:
    handlers = dict.fromkeys("abcd", lambda data=None: data)
    return Case(case_id, "flow", {"steps": ["a"]}, **{"handlers": handlers, **more})


def gate(tmp_path: Path, legacy: Run, candidate: Run, *cases: Case, **more: Any) -> Report:
    (tmp_path / "walker.py").touch()
    pair = [engine("legacy", legacy), engine("candidate", candidate)]
    return run_gate(pair, cases or [case()], builtin_rules(), root=tmp_path, today=dt.date(2030, 1, 1), **more)


def walk(*names: str, **result: Any) -> Run:
    """An engine that calls handlers in turn."""

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
    assert (report.findings, report.flaky, report.problems) == ((), (), ())
    assert report.unseen == ("liveness: the graph is not known: give the case `edges`",)
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


def test_branches_do_not_follow_from_each_other(tmp_path: Path) -> None:
    fork = case(edges={"a": (), "b": ("a",), "c": ("a",), "d": ("c",)})
    report = gate(tmp_path, walk("a", "b", "c", "d"), walk("a", "b", "b", "c", "c", "d", "d"), fork)
    assert [(item.divergence.node, item.follows) for item in report.findings] == [
        ("b", None),
        ("c", None),
        ("d", "GL101 at c"),
    ]


# what is chance


def changing(*runs: Run) -> Run:
    """An engine that behaves otherwise from run to run."""
    turns = itertools.cycle(runs)
    return lambda handlers: next(turns)(handlers)


def test_where_the_legacy_engine_differs_from_itself_nothing_is_judged(tmp_path: Path) -> None:
    report = gate(tmp_path, changing(walk("a", "b", "b"), walk("a", "b")), walk("a", "b"))
    assert found(report) == []
    assert [(item.side, item.family, item.node) for item in report.flaky] == [("legacy", "run count", "b")]


def test_a_flaky_place_is_told_in_its_familys_verdict_and_is_enough_to_fail_where_that_is_asked_for(
    tmp_path: Path,
) -> None:
    report = gate(tmp_path, changing(walk("a", "b", "b"), walk("a", "b")), walk("a", "b"))
    assert report.verdicts()["run count"] == {
        "verdict": "green",
        "count": 0,
        "known": 0,
        "flaky": 1,
        "complete": False,
    }
    (line,) = [line for line in text(report).splitlines() if line.startswith("run count ")]
    assert line.split(None, 3)[2:] == ["green", "1 flaky place, not judged there"]
    assert report.green
    strict = replace(report, flaky_fails=True)
    assert (strict.green, strict.holds_in_part, strict.verdicts()["run count"]["verdict"]) == (False, False, "red")
    assert text(strict).endswith("red: 1 case, 0 divergences, 1 flaky")
    assert strict.verdicts()["status"]["verdict"] == "green"


def test_flaky_in_one_node_hides_nothing_at_another(tmp_path: Path) -> None:
    report = gate(tmp_path, changing(walk("a", "b", "b", "a"), walk("a", "b", "a")), walk("a", "b"))
    assert found(report) == [("GL101", "a")]
    assert [item.node for item in report.flaky] == ["b"]


def test_flaky_in_one_key_of_the_state_hides_nothing_at_another(tmp_path: Path) -> None:
    legacy = changing(walk(data={"stamp": 1, "total": 2}), walk(data={"stamp": 2, "total": 2}))
    report = gate(tmp_path, legacy, walk(data={"stamp": 0, "total": 1}))
    assert [item.divergence.subject for item in report.findings] == ["total"]
    assert [item.subject for item in report.flaky] == ["stamp"]


def test_a_candidate_that_alone_differs_from_itself_diverges(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a", "b"), changing(walk("a", "b", "b"), walk("a", "b")))
    assert found(report) == [("GL101", "b")]
    assert report.findings[0].divergence.schedule == "under one of two completion orders only"
    assert report.flaky == ()


def raising(handlers: Any) -> Any:
    handlers["a"]()
    raise RuntimeError("no")


def test_an_engine_that_raises_is_a_divergence(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), raising)
    assert found(report)[0] == ("GL203", None)
    assert report.findings[0].divergence.candidate == "raises RuntimeError: no"


def test_both_engines_that_raise_the_same_agree(tmp_path: Path) -> None:
    assert found(gate(tmp_path, raising, raising)) == []


def together(*names: str) -> Run:
    async def main(handlers: Mapping[str, Callable[..., Any]]) -> Any:
        await asyncio.gather(*(handlers[name]() for name in names))
        return {"success": True, "data": {}, "nodes": {}}

    return main


async def patient() -> None:
    await asyncio.sleep(0)


def in_turn(*names: str) -> Run:
    async def main(handlers: Mapping[str, Callable[..., Any]]) -> Any:
        for name in names:
            await handlers[name]()
        return {"success": True, "data": {}, "nodes": {}}

    return main


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_nodes_that_one_engine_starts_at_once_have_no_order(tmp_path: Path, names: tuple[str, ...]) -> None:
    shared = case(handlers=dict.fromkeys("ab", patient), edges={"a": (), "b": ()})
    assert found(gate(tmp_path, in_turn(*names), together("a", "b"), shared)) == []
    assert found(gate(tmp_path, together("a", "b"), together(*names), shared)) == []


def test_an_order_that_holds_is_a_difference(tmp_path: Path) -> None:
    assert found(gate(tmp_path, walk("a", "b"), walk("b", "a"), case(edges={"a": (), "b": ("a",)}))) == [("GL120", "b")]


# known divergences


def known(**more: Any) -> Known:
    entry = {"rule": "GL101", "case": "one", "reason": "r", "owner": "ada", "expires": dt.date(2031, 1, 1)}
    return Known.model_validate({**entry, **more})


def test_a_known_divergence_is_green_and_counted(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), walk("a", "a"), baseline=[known()])
    assert report.green
    assert report.verdicts()["run count"] == {
        "verdict": "green",
        "count": 1,
        "known": 1,
        "flaky": 0,
        "complete": True,
    }


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
    with pytest.raises(UsageError, match="two cases have the id 'one'"):
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
    def progress(judged: Iterable[Judged], total: int) -> Iterator[Judged]:
        assert total == 2
        yield next(iter(judged))
        raise KeyboardInterrupt

    report = gate(tmp_path, walk("a"), walk("a", "a"), case("one"), case("two"), progress=progress)
    assert (report.cases, report.partial, report.stopped) == (("one",), True, True)
    assert found(report) == [("GL101", "a")]


def test_a_case_whose_runs_never_come_back_is_not_green(tmp_path: Path) -> None:
    class Losing(InProcess):
        def submit(self, task: Task) -> None:
            if task.case != "two":
                super().submit(task)

    report = gate(tmp_path, walk("a"), walk("a"), case("one"), case("two"), pool=Losing)
    assert report.cases == ("one",)
    assert (report.partial, report.green) == (True, False)


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
            yield {"a": lambda: None}
        finally:
            opened.append("close")

    gate(tmp_path, raising, raising, case(handlers=world))
    assert opened == ["close"] * 4


# what could not be seen, and evidence


def test_what_could_not_be_compared_is_said(tmp_path: Path) -> None:
    report = gate(tmp_path, walk("a"), lambda handlers: {"success": True}, case("one"), case("two"))
    assert "values: the candidate engine shows no final data" in report.unseen
    assert "status: the candidate engine shows no node results" in report.unseen


def test_a_value_that_could_only_be_told_by_its_type_is_said(tmp_path: Path) -> None:
    def run(handlers: Any) -> Any:
        handlers["a"](threading.Lock())
        return {"success": True, "data": {}, "nodes": {}}

    assert "values: a _thread.lock has no content that could be compared" in gate(tmp_path, run, run).unseen


def test_evidence_that_could_never_become_stale_is_said(tmp_path: Path) -> None:
    pair = [engine("legacy", walk("a"), sources=()), engine("candidate", walk("a"), sources=())]
    report = run_gate(pair, [case()], builtin_rules(), root=tmp_path)
    assert [item for item in report.unseen if item.startswith("evidence")] == [
        f"evidence: the {side} engine names no sources, so a change of its code is not seen"
        for side in ("candidate", "legacy")
    ]


def test_a_definition_without_content_is_refused_unless_its_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="case 'one': a object in its definition has no content that can be hashed"):
        gate(tmp_path, walk(), walk(), Case("one", "flow", object()))
    assert gate(tmp_path, walk(), walk(), Case("one", "flow", object(), files=("flow.yaml",))).green


def test_a_source_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"its source 'wlaker\.py' does not exist"):
        run_gate(
            [engine("legacy", walk(), ("wlaker.py",)), engine("candidate", walk(), ())], [case()], (), root=tmp_path
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

    (tmp_path / "walker.py").touch()
    report = run_gate([Walker("legacy"), Walker("candidate")], [case()], builtin_rules(), root=tmp_path)
    assert report.green


def test_engines_that_show_nothing_prove_nothing(tmp_path: Path) -> None:
    def silent(handlers: Any) -> Any:
        return {"success": True}

    report = gate(tmp_path, silent, silent)
    assert not report.green
    told = "gate: a case shows neither activations, node results nor final data, so it proves nothing"
    assert told in report.unseen
    assert gate(tmp_path, walk("a"), walk("a")).green


def test_a_new_file_in_a_source_folder_makes_the_evidence_stale(tmp_path: Path) -> None:
    from graphlift.parity.evidence import stale_files

    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("x = 1\n", encoding="utf-8")
    pair = [engine("legacy", walk("a"), sources=("pkg",)), engine("candidate", walk("a"), sources=("pkg",))]
    evidence = run_gate(pair, [case()], builtin_rules(), root=tmp_path).evidence
    assert stale_files(tmp_path, evidence.files, evidence.folders) == ()
    (tmp_path / "pkg" / "b.py").write_text("", encoding="utf-8")
    assert stale_files(tmp_path, evidence.files, evidence.folders) == ("pkg/",)


def test_an_engine_that_calls_no_handler_where_the_other_does_is_not_green(tmp_path: Path) -> None:
    def computes(handlers: Any) -> Any:
        return {"success": True, "data": {}, "nodes": {}}

    report = gate(tmp_path, computes, walk("a"))
    assert not report.green
    assert [text for text in report.unseen if text.startswith("gate: ")] == [
        "gate: the legacy engine called none of the case's handlers, the other one did: what they do was not compared"
    ]


SILENT = case(handlers={})
"""A case without handlers: engines are compared on what they show."""


def gives(data: Any) -> Run:
    return lambda handlers: {"success": True, "data": data}


def test_values_of_the_final_state_that_could_not_be_compared_are_named(tmp_path: Path) -> None:
    report = gate(tmp_path, gives({"x": threading.Lock()}), gives({"x": threading.Lock()}), SILENT)
    assert "values: a _thread.lock has no content that could be compared" in report.unseen


def test_a_key_of_the_final_state_is_not_the_text_that_looks_like_it(tmp_path: Path) -> None:
    assert gate(tmp_path, gives({1: "a"}), gives({1: "a"}), SILENT).green
    assert not gate(tmp_path, gives({1: "a"}), gives({"1": "a"}), SILENT).green


def test_chance_is_the_same_in_every_run_and_another_under_the_other_schedule(tmp_path: Path) -> None:
    def draws(handlers: Any) -> Any:
        return {"success": True, "data": {"x": random.random()}}

    state = random.getstate()
    reports = [gate(tmp_path, draws, draws, SILENT) for _ in range(2)]
    assert [(report.green, len(report.flaky) > 0) for report in reports] == [(True, True)] * 2
    assert reports[0].flaky == reports[1].flaky
    assert random.getstate() == state


def test_a_candidate_alone_that_depends_on_chance_is_red_every_time(tmp_path: Path) -> None:
    def lucky(handlers: Any) -> Any:
        return {"success": True, "data": {"x": random.random()}}

    def sure(handlers: Any) -> Any:
        return {"success": True, "data": {"x": 0.25}}

    assert {found(gate(tmp_path, sure, lucky))[0] for _ in range(5)} == {("GL151", None)}


def test_cases_whose_handlers_nobody_calls_prove_nothing(tmp_path: Path) -> None:
    report = gate(tmp_path, gives({}), gives({}))
    assert "gate: neither engine called any of a case's handlers, so what it shows proves nothing" in report.unseen
    assert not report.green
    shown = walk()
    assert gate(tmp_path, shown, shown).green


@pytest.mark.parametrize("more", [{"recorded": ("e",)}, {"stubs": {"e": 1}}, {"recorded": ("a", "x*")}])
def test_a_misspelt_stub_or_recorded_handler_is_refused_before_anything_runs(tmp_path: Path, more: Any) -> None:
    def never(handlers: Any) -> Any:
        raise AssertionError

    with pytest.raises(UsageError, match=r"case 'one': (recorded|stubs): '(e|x\*)' is none of its nodes"):
        gate(tmp_path, never, never, case(**more))

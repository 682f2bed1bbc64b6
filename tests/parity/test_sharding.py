"""Jobs and shards change where cases run, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlift.adapters.errors import UsageError
from graphlift.parity import Case, Report, run_gate
from graphlift.parity.baseline import Known
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.forking import Forking
from graphlift.parity.rules import builtin_rules
from graphlift.parity.sharding import Shard, merge_reports

TODAY = dt.date(2026, 12, 1)
COUNT = {"calls": 0}


def walker(case: Case, handlers: dict[str, Callable[..., Any]]) -> Any:
    COUNT["calls"] += 1  # a state that would leak from case to case, if runs shared a process
    return {"success": True, "data": {"n": handlers["a"]({"n": case.inputs["n"]}), "calls": COUNT["calls"]}}


def graph(case: Case, handlers: dict[str, Callable[..., Any]]) -> Any:
    COUNT["calls"] += 1
    if case.inputs["n"] % 5 == 3:
        handlers["a"]({"n": -1})
    return {"success": True, "data": {"n": handlers["a"]({"n": case.inputs["n"]}), "calls": COUNT["calls"]}}


ENGINES = [OutcomeEngine("walker", "legacy", walker), OutcomeEngine("graph", "candidate", graph)]
CASES = [Case(f"case-{n:02d}", "w", {"w": n}, {"n": n}, {"a": lambda data: data["n"] * 2}) for n in range(20)]
KNOWN = [
    Known(rule="GL101", case="case-*", reason="r", owner="o", expires=TODAY, at_most=2),
    Known(rule="GL113", case="case-*", reason="r", owner="o", expires=TODAY, at_most=4),
    Known(rule="GL170", case="case-*", reason="never happens", owner="o", expires=TODAY),
]


def gate(root: Path, jobs: int = 1, together: int = 1, **more: Any) -> Report:
    return run_gate(
        ENGINES,
        CASES,
        builtin_rules(),
        root=root,
        today=TODAY,
        baseline=KNOWN,
        pool=lambda engines, cases: Forking(engines, cases, jobs=jobs, timeout=60, together=together),
        **more,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return gate(tmp_path_factory.mktemp("root"))


def test_every_run_starts_from_one_state(whole: Report) -> None:
    assert {item.divergence.rule for item in whole.findings} == {"GL101", "GL113", "GL150"}
    assert {item.divergence.case for item in whole.findings} == {"case-03", "case-08", "case-13", "case-18"}


@pytest.mark.parametrize("jobs", [2, 7])
def test_the_number_of_jobs_changes_nothing(whole: Report, tmp_path: Path, jobs: int) -> None:
    assert gate(tmp_path, jobs).to_json() == whole.to_json()


def test_the_shards_together_are_the_whole(whole: Report, tmp_path: Path) -> None:
    parts = [json.loads(json.dumps(gate(tmp_path, shard=Shard(index, 3)).to_json())) for index in (3, 1, 2)]
    assert [part["shard"] for part in parts] == ["3/3", "1/3", "2/3"]
    assert all(part["partial"] and part["verdict"] == "red" for part in parts)
    merged = merge_reports(parts, KNOWN, TODAY)
    assert merged.to_json() == whole.to_json()
    assert {item.kind for item in merged.problems} == {"exceeded", "unmatched"}


@given(st.lists(st.text(), unique=True), st.integers(1, 9))
def test_every_case_is_in_exactly_one_shard(names: list[str], count: int) -> None:
    for name in names:
        assert sum(Shard(index, count).has(name) for index in range(1, count + 1)) == 1


def test_a_case_stays_in_its_shard() -> None:
    assert Shard(3, 8).has("checkout/happy")  # the same in every process and version
    assert Shard.parse("2/8") == Shard(2, 8)


@pytest.mark.parametrize("text", ["", "1", "0/8", "9/8", "1/0", "a/b", "1/8/2", "-1/8"])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(UsageError, match="is no shard"):
        Shard.parse(text)


def part(shard: str | None, **more: Any) -> dict[str, Any]:
    evidence = {"definitions": "d", "engines": {}, "files": {}}
    empty: dict[str, Any] = {"case_ids": [], "families": {}, "divergences": [], "flaky": [], "unseen": []}
    return {"schema": 1, "shard": shard, "evidence": evidence, **empty, **more}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([], "no report to merge"),
        ([part("1/2")], "not all shards of one run: 1/2"),
        ([part("1/2"), part("1/2")], "not all shards"),
        ([part("1/2"), part(None)], "not all shards"),
        ([part("1/2"), part("2/2", schema=2)], "another schema"),
        ([part("1/2"), part("2/2", evidence={})], "not of the same code and cases"),
    ],
)
def test_reports_that_are_not_one_run_are_refused(parts: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        merge_reports(parts, [], TODAY)


def test_a_shard_that_was_stopped_makes_the_whole_partial() -> None:
    merged = merge_reports([part("1/2", case_ids=["a"]), part("2/2", case_ids=["b"], stopped=True)], [], TODAY)
    assert (merged.partial, merged.green) == (True, False)


def about(**files: str) -> dict[str, Any]:
    return {"definitions": "d", "engines": {}, "files": files, "folders": {"src": "x"}}


def test_a_shard_may_have_loaded_what_another_did_not() -> None:
    merged = merge_reports(
        [part("1/2", evidence=about(a="1", b="2")), part("2/2", evidence=about(a="1", c="3"))], [], TODAY
    )
    assert merged.evidence.files == {"a": "1", "b": "2", "c": "3"}
    assert merged.evidence.folders == {"src": "x"}
    with pytest.raises(UsageError, match="not of the same code"):
        merge_reports([part("1/2", evidence=about(a="1")), part("2/2", evidence=about(a="2"))], [], TODAY)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 4), st.integers(1, 3), st.sampled_from([1, 2, 7, 250]))
def test_neither_shards_nor_jobs_nor_shared_processes_change_the_whole(
    whole: Report, tmp_path: Path, count: int, jobs: int, together: int
) -> None:
    shards = [Shard(index, count) for index in range(1, count + 1)]
    parts = [gate(tmp_path, jobs, together, shard=shard).to_json() for shard in shards]
    assert merge_reports(json.loads(json.dumps(parts)), KNOWN, TODAY).to_json() == whole.to_json()

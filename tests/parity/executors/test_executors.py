"""Executors: which one an address means, and what is told where it cannot be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters.errors import EnvironmentProblem, UsageError
from graphlift.parity import Case
from graphlift.parity.cassette import Answer, Tape
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.executors import builtin_executors
from graphlift.parity.executors.executor import Plan, make_pool
from graphlift.parity.executors.portion import Portion, difference
from graphlift.parity.forking import Forking
from graphlift.parity.running import Task

SIDES: dict[Any, Any] = {
    side: OutcomeEngine("e", side, lambda case, handlers: {"success": True}, ("engine.py",))
    for side in ("legacy", "candidate")
}
CASE = Case("one", "flow", {"a": 1})


def load() -> Any:
    return list(SIDES.values()), [CASE]


def plan(root: Path) -> Plan:
    return Plan(load, root, jobs=2)


def test_local_is_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.active_count", lambda: 1)
    pool = make_pool(builtin_executors(), "local", plan(tmp_path))(SIDES, {"one": CASE})
    assert isinstance(pool, Forking)
    assert pool.shares


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("moon", "there is no executor 'moon'"),
        ("ray://host:1", "there is no executor 'ray'"),
        ("", "there is no executor ''"),
        ("local://here", "'local' takes no address"),
        ("dask", "dask:// is no address of a scheduler"),
        ("dask://host", "dask://host is no address"),
        ("dask://host:port", "is no address"),
        ("dask://a b:1", "is no address"),
    ],
)
def test_what_means_no_executor(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_pool(builtin_executors(), text, plan(tmp_path))


def test_a_plugin_s_executor_is_found_by_its_scheme(tmp_path: Path) -> None:
    class Moon:
        id, summary = "moon", "far away"

        def pool(self, address: str, plan: Plan) -> Any:
            return address, plan.jobs

    assert make_pool([*builtin_executors(), Moon()], "moon://sea:7", plan(tmp_path)) == ("sea:7", 2)


def test_without_distributed_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        EnvironmentProblem, match=r"needs the package distributed\n.*pip install 'graphlift\[dask\]'"
    ) as caught:
        make_pool(builtin_executors(), "dask://host:8786", plan(tmp_path))
    assert caught.value.exit_code == 3


def test_a_portion_comes_back_from_json(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("A = 1\n", encoding="utf-8")
    tape = Tape("none", (Answer("one", "a", 0, "digest", {"x": 1}),))
    tasks = [Task("one", "candidate", 1, tape, alone=True), Task("one", "legacy", 0)]
    portion = Portion.of(tasks, SIDES, {"one": CASE}, tmp_path, timeout=3.0, together=7)
    again = Portion.from_json(portion.to_json())
    assert again == portion
    assert [(task.tape, task.alone) for task in again.tasks] == [(tape, True), (Tape(), False)]


def evidence(root: Path, content: str, case: Case = CASE, engines: Any = SIDES) -> Any:
    (root / "engine.py").write_text(content, encoding="utf-8")
    return Portion.of([Task("one", "legacy", 0)], engines, {case.id: case}, root, timeout=1, together=1).evidence


def test_what_another_host_has_otherwise_is_told(tmp_path: Path) -> None:
    here = evidence(tmp_path, "A = 1\n")
    assert difference(here, evidence(tmp_path, "A = 1\n")) is None
    assert difference(here, evidence(tmp_path, "A = 2\n")) == "another content of engine.py"
    changed = Case("one", "flow", {"a": 2})
    assert (
        difference(here, evidence(tmp_path, "A = 1\n", changed))
        == "other cases, or other definitions and inputs of them"
    )
    renamed = {**SIDES, "legacy": OutcomeEngine("other", "legacy", SIDES["legacy"].function, ("engine.py",))}
    said = "another legacy engine, or another version of what it runs on"
    assert difference(here, evidence(tmp_path, "A = 1\n", engines=renamed)) == said

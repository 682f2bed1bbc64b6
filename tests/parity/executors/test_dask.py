"""A dask cluster gives what this host gives, and says which worker is not fit. Real clusters, of this host."""

from __future__ import annotations

import importlib
import socket
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters.errors import EnvironmentProblem
from graphlift.parity import Report, run_gate
from graphlift.parity.executors import builtin_executors
from graphlift.parity.executors.executor import Plan, make_pool
from graphlift.parity.rules import builtin_rules

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
distributed = pytest.importorskip("distributed")

MODULE = """
    import os, pathlib, signal, sys, threading
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine

    HERE = pathlib.Path(__file__).parent

    def double(data):
        return data["n"] * 2

    def leave(data):
        os._exit(7)

    def helper_dies(data):
        os.kill(os.getppid(), signal.SIGKILL)
        threading.Event().wait()

    def worker_dies(data):
        stat = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
        threading.Event().wait()

    def helper_dies_once(data):
        try:
            os.mkdir(HERE / "died")
        except FileExistsError:
            return "lives"
        helper_dies(data)

    HANDLERS = {step.__name__: step for step in (double, leave, helper_dies, helper_dies_once, worker_dies)}

    def walker(case, handlers):
        return {"success": True, "data": {"out": handlers[case.definition["step"]]({"n": case.inputs["n"]})}}

    def graph(case, handlers):
        wrong = case.inputs["n"] == 3
        return {"success": True, "data": {"out": handlers[case.definition["step"]]({"n": -1 if wrong else case.inputs["n"]})}}

    def case(number, step="double"):
        return Case(f"{number:02d}-{step}", "flow", {"step": step}, {"n": number}, HANDLERS, timeout=20)

    CASES = [*map(case, range(12)), case(20, "leave")]
    LOST = [case(1), case(2, "helper_dies"), case(3, "helper_dies_once")]

    KILLED = [case(1), case(2, "worker_dies")]

    def engines():
        return [OutcomeEngine("walker", "legacy", walker, ("cluster_shop.py",)), OutcomeEngine("graph", "candidate", graph)]

    def load():
        return engines(), CASES

    def load_lost():
        return engines(), LOST

    def load_killed():
        return engines(), KILLED

    def load_broken():
        raise ValueError("no such database")

    def load_other():
        return engines(), [Case("00-double", "flow", {"step": "other"}, {"n": 0}, HANDLERS)]
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The module above, in a folder that workers find too."""
    path = tmp_path_factory.mktemp("cluster")
    (path / "cluster_shop.py").write_text(textwrap.dedent(MODULE), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(path))
        patch.syspath_prepend(str(path))
        yield importlib.import_module("cluster_shop")
    sys.modules.pop("cluster_shop", None)


@pytest.fixture(scope="module")
def cluster(shop: Any) -> Iterator[str]:
    """The address of a scheduler with two workers."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as started:
        yield f"dask://{started.scheduler_address.removeprefix('tcp://')}"


def gate(shop: Any, executor: str, load: str = "load", cases: Any = None, root: Path | None = None) -> Report:
    root = root or Path(shop.__file__).parent
    plan = Plan(getattr(shop, load), root, jobs=2, timeout=20)
    pool = make_pool(builtin_executors(), executor, plan)
    return run_gate(shop.engines(), cases or shop.CASES, builtin_rules(), root=root, pool=pool)


def test_a_cluster_gives_what_this_host_gives(shop: Any, cluster: str) -> None:
    here = gate(shop, "local")
    assert {item.divergence.case for item in here.findings} == {"03-double", "20-leave"}
    assert gate(shop, cluster).to_json() == here.to_json()


def test_a_worker_that_is_lost_costs_a_retry_and_then_its_case(shop: Any, cluster: str) -> None:
    report = gate(shop, cluster, "load_lost", shop.LOST)
    assert len(report.cases) == 3
    assert not report.partial
    assert endings(report) == {("02-helper_dies", LOST)}


def test_a_worker_process_that_is_killed_is_a_worker_that_is_lost(shop: Any) -> None:
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as started,
    ):
        address = f"dask://{started.scheduler_address.removeprefix('tcp://')}"
        report = gate(shop, address, "load_killed", shop.KILLED)
    assert len(report.cases) == 2
    assert endings(report) == {("02-worker_dies", LOST)}


LOST = "its worker was lost, and lost again when retried"


def endings(report: Report) -> set[tuple[str, str]]:
    """The cases that ended without a result, with what is told of it."""
    items = [item.divergence for item in report.findings if item.divergence.family == "ending"]
    return {(item.case, LOST if LOST in str(item.to_json()) else str(item.to_json())) for item in items}


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ("load_broken", "ValueError: no such database"),
        ("load_other", "it has other cases, or other definitions and inputs of them"),
    ],
)
def test_a_worker_that_is_not_fit_is_named(shop: Any, cluster: str, load: str, said: str) -> None:
    with pytest.raises(EnvironmentProblem, match=rf"the dask worker tcp://\S+ cannot run the cases: {said}") as caught:
        gate(shop, cluster, load, shop.CASES[:1])
    assert caught.value.exit_code == 3


def test_a_folder_that_workers_do_not_have_is_named(shop: Any, cluster: str, tmp_path: Path) -> None:
    (tmp_path / "cluster_shop.py").write_text("")
    plan = Plan(shop.load, tmp_path / "gone", jobs=1)
    pool = make_pool(builtin_executors(), cluster, plan)
    with pytest.raises(EnvironmentProblem, match=r"the dask worker tcp://\S+ cannot run the cases: there is no folder"):
        run_gate(shop.engines(), shop.CASES, builtin_rules(), root=tmp_path, pool=pool)


def test_a_scheduler_that_does_not_answer(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.executors.dask.WAIT_SECONDS", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EnvironmentProblem, match=f"no dask scheduler answers at {address}"):
        gate(shop, f"dask://{address}")


def test_a_cluster_without_workers(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlift.parity.executors.dask.WAIT_SECONDS", 2)
    with distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        address = empty.scheduler_address.removeprefix("tcp://")
        with pytest.raises(EnvironmentProblem, match="the dask cluster has no worker"):
            gate(shop, f"dask://{address}")

"""Isolation: whatever one run does to its process, the next one runs, and the report says what happened."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters import EnvironmentProblem
from graphlift.parity import Case, Observation
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.isolation import Isolated

MODULE = """
    import asyncio, os, signal, subprocess, sys, threading, time
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine

    def step(name):
        return lambda data=None: name

    def hang(data=None):
        threading.Event().wait()

    def leave(data=None):
        os._exit(7)

    def killed(data=None):
        os.kill(os.getpid(), signal.SIGKILL)

    def shouts(data=None):
        print("x" * 1_000_000)
        os.write(1, b"raw " * 100_000)
        return "done"

    def orphan(data=None):
        # Holds the pipe open after its parent has gone.
        if os.fork() == 0:
            time.sleep(60)
        os._exit(9)

    def counts(data=None, seen=[]):
        seen.append(1)
        return len(seen)

    def child(data=None):
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(os.environ["GRAPHLIFT_TEST_PID"], "w") as file:
            file.write(str(process.pid))
        threading.Event().wait()

    def interrupt(data=None):
        raise KeyboardInterrupt

    HANDLERS = {
        "hang": hang, "leave": leave, "killed": killed, "shouts": shouts, "orphan": orphan, "counts": counts,
        "child": child, "interrupt": interrupt, "ok": step("ok"), "exit": lambda data=None: sys.exit(3),
    }

    def run(case, handlers):
        output = None
        for name in case.definition["steps"]:
            output = handlers[name]()
        if case.id == "later":
            late = handlers["ok"]
            threading.Thread(target=lambda: (time.sleep(0.05), late())).start()
        return {"success": True, "data": {"output": output}}

    def load():
        definition = lambda *steps: {"steps": steps}
        # A lock cannot be pickled: a worker makes its own.
        unpicklable = {"steps": ["ok"], "lock": threading.Lock()}
        cases = [Case(name, "flow", definition("ok", name), handlers=HANDLERS) for name in HANDLERS]
        cases.append(Case("unpicklable", "flow", unpicklable, handlers=HANDLERS))
        cases.append(Case("quick", "flow", definition("ok", "hang"), handlers=HANDLERS, timeout=0.5))
        cases.append(Case("later", "flow", definition("ok"), handlers=HANDLERS))
        return [OutcomeEngine("e", side, run) for side in ("legacy", "candidate")], cases

    def broken():
        raise ValueError("no such database")

    def gone():
        os._exit(5)
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The module above, in a folder that a worker finds."""
    path = tmp_path_factory.mktemp("isolated")
    (path / "isolated_shop.py").write_text(textwrap.dedent(MODULE), encoding="utf-8")
    sys.path.insert(0, str(path))
    yield importlib.import_module("isolated_shop")
    sys.path.remove(str(path))
    sys.modules.pop("isolated_shop", None)


@pytest.fixture(scope="module")
def worker(shop: Any) -> Iterator[Isolated]:
    with Isolated(shop.load, timeout=30) as isolated:
        yield isolated


def run(worker: Isolated, name: str, timeout: float | None = None) -> Observation:
    case = Case(name, "flow", {}, timeout=timeout)
    return worker(OutcomeEngine("e", "candidate", lambda case, handlers: None), case, 1)


def trace(observation: Observation) -> list[tuple[str, bool]]:
    return [(item.node, item.end is not None) for item in observation.trace]


def test_a_run_that_ends_is_observed_whole(worker: Isolated) -> None:
    found = run(worker, "ok")
    assert (found.engine, found.side, found.ended, found.error) == ("e", "candidate", "result", None)
    assert trace(found) == [("ok", True), ("ok", True)]
    assert found.trace[0].returned is not None
    assert found.trace[0].returned.shown == "ok"
    assert found.outcome is not None
    assert found.outcome.success


def test_a_hang_is_a_timeout_with_the_trace_up_to_it(worker: Isolated) -> None:
    found = run(worker, "hang", timeout=0.5)
    assert (found.ended, found.error) == ("timeout", "no result within 0.5 s")
    assert trace(found) == [("ok", True), ("hang", False)]


@pytest.mark.parametrize(
    ("name", "error"),
    [("leave", "exit code 7"), ("killed", f"killed by signal {int(signal.SIGKILL)}"), ("orphan", "exit code 9")],
)
def test_a_process_that_goes_away_is_a_crash_with_the_trace_up_to_it(worker: Isolated, name: str, error: str) -> None:
    found = run(worker, name)
    assert (found.ended, found.error) == ("crashed", error)
    assert trace(found) == [("ok", True), (name, False)]


def test_the_next_run_has_a_process_of_its_own(worker: Isolated) -> None:
    assert run(worker, "leave").ended == "crashed"
    assert run(worker, "ok").ended == "result"
    assert run(worker, "hang", timeout=0.5).ended == "timeout"
    assert run(worker, "ok").ended == "result"


def test_an_exit_by_exception_is_observed_and_costs_no_process(worker: Isolated) -> None:
    found = run(worker, "exit")
    assert (found.ended, found.error) == ("raised", "SystemExit: 3")


def test_an_interrupt_that_a_handler_raises_is_not_ours(worker: Isolated) -> None:
    assert run(worker, "interrupt").ended == "crashed"


def test_a_flood_of_output_blocks_nothing(worker: Isolated, capfd: pytest.CaptureFixture[str]) -> None:
    found = run(worker, "shouts")
    assert (found.ended, trace(found)) == ("result", [("ok", True), ("shouts", True)])
    assert capfd.readouterr().out == ""


def test_a_definition_that_cannot_be_pickled_runs(worker: Isolated) -> None:
    assert run(worker, "unpicklable").ended == "result"


def test_a_thread_that_outlives_its_run_is_not_told_of_the_next(worker: Isolated) -> None:
    assert trace(run(worker, "later")) == [("ok", True)]
    assert [trace(run(worker, "ok")) for _ in range(5)] == [[("ok", True), ("ok", True)]] * 5


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups")
def test_what_a_hanging_run_started_ends_with_it(worker: Isolated, tmp_path: Path, shop: Any) -> None:
    path = tmp_path / "pid"
    os.environ["GRAPHLIFT_TEST_PID"] = str(path)
    try:
        with Isolated(shop.load, timeout=30) as isolated:
            # Long enough for the child to be started, and no assertion on how long.
            while not path.exists() or not path.read_text(encoding="utf-8"):
                assert run(isolated, "child", timeout=2.0).ended == "timeout"
    finally:
        del os.environ["GRAPHLIFT_TEST_PID"]
    pid = int(path.read_text(encoding="utf-8"))
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(("function", "message"), [("broken", "ValueError: no such database"), ("gone", "exit code 5")])
def test_a_worker_that_cannot_load_is_a_problem_of_the_environment(shop: Any, function: str, message: str) -> None:
    with (
        Isolated(getattr(shop, function), timeout=5) as isolated,
        pytest.raises(EnvironmentProblem, match=message) as caught,
    ):
        run(isolated, "ok")
    assert caught.value.exit_code == 3


def test_the_worker_ends_with_the_block(shop: Any) -> None:
    with Isolated(shop.load, timeout=30) as isolated:
        run(isolated, "ok")
        pid = isolated.pid
        assert pid is not None
        assert is_running(pid)
    assert not is_running(pid)

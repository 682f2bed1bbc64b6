"""Isolation, in forked children and in a spawned worker: whatever one run does to its process, the next one runs, and the report says what happened."""

from __future__ import annotations

import importlib
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from graphlift.adapters import EnvironmentProblem
from graphlift.parity import Observation, observe
from graphlift.parity.forking import Forking
from graphlift.parity.isolation import Spawned
from graphlift.parity.observation import SIDES
from graphlift.parity.running import Task

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

    def told(data=None):
        with open(os.environ["GRAPHLIFT_TEST_PID"], "w") as file:
            file.write(str(os.getpid()))
        threading.Event().wait()

    def after(data=None):
        # Ends once its sibling is sure to be running.
        path = os.environ["GRAPHLIFT_TEST_PID"]
        while not os.path.exists(path) or not open(path).read():
            time.sleep(0.01)

    HANDLERS = {
        "told": told, "after": after, "pid": lambda data=None: os.getpid(), "asks": lambda data=None: input(),
        "hang": hang, "leave": leave, "killed": killed, "shouts": shouts, "orphan": orphan, "counts": counts,
        "child": child, "ok": step("ok"), "exit": lambda data=None: sys.exit(3),
    }

    def run(case, handlers):
        output = None
        for name in case.definition["steps"]:
            output = handlers[name]()
        if case.id == "later":
            late = handlers["ok"]
            threading.Thread(target=lambda: (time.sleep(0.05), late())).start()
        more = {f"key{n}": "x" * 100 for n in range(5000)} if case.id == "large" else {}
        return {"success": True, "data": {"output": output, **more}}

    def load():
        definition = lambda *steps: {"steps": steps}
        # A lock cannot be pickled: a worker makes its own.
        unpicklable = {"steps": ["ok"], "lock": threading.Lock()}
        limits = {"child": 2.0}
        cases = [
            Case(name, "flow", definition("ok", name), handlers=HANDLERS, timeout=limits.get(name)) for name in HANDLERS
        ]
        cases.append(Case("large", "flow", definition("ok"), handlers=HANDLERS))
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


POOLS = ["forked", "spawned"]


class Runs:
    """Runs of single cases under one pool."""

    def __init__(self, kind: str, shop: Any, load: str = "load") -> None:
        engines, cases = shop.load()
        self.cases = {case.id: case for case in cases}
        sides = {engine.side: engine for engine in engines}
        if kind == "forked":
            self.pool: Any = Forking(sides, self.cases, timeout=20)
        else:
            self.pool = Spawned(sides, self.cases, getattr(shop, load), timeout=20, keep=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self.pool, Spawned):
            self.pool.close()

    def __call__(self, name: str) -> Observation:
        self.pool.submit(Task(name, "candidate", 0))
        found: list[tuple[Task, Observation]] = list(self.pool.finished())
        assert [task.case for task, _ in found] == [name]
        return found[0][1]


@pytest.fixture(params=POOLS)
def runs(request: pytest.FixtureRequest, shop: Any) -> Iterator[Runs]:
    with Runs(request.param, shop) as runs:
        yield runs


def trace(observation: Observation) -> list[tuple[str, bool]]:
    return [(item.node, item.end is not None) for item in observation.activations]


def broken(observation: Observation) -> tuple[str, str] | None:
    return (observation.broken.kind, observation.broken.error) if observation.broken else None


def test_a_run_that_ends_is_observed_whole(runs: Runs) -> None:
    found = runs("ok")
    assert (found.engine, found.side, found.broken) == ("e", "candidate", None)
    assert trace(found) == [("ok", True), ("ok", True)]
    assert found.outcome is not None
    assert found.outcome.data is not None
    assert found.outcome.data["output"].content == "ok"


def test_it_is_observed_as_in_this_process(runs: Runs, shop: Any) -> None:
    engines, _ = shop.load()
    assert runs("ok") == observe(engines[1], runs.cases["ok"])


def test_a_hang_is_a_timeout_with_the_trace_up_to_it(runs: Runs) -> None:
    found = runs("quick")
    assert broken(found) == ("timeout", "did not end within 0.5 s")
    assert trace(found) == [("ok", True), ("hang", False)]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("leave", "its process ended with exit code 7"),
        ("killed", "its process was killed by SIGKILL"),
        ("orphan", "its process ended with exit code 9"),
    ],
)
def test_a_process_that_goes_away_is_a_crash_with_the_trace_up_to_it(runs: Runs, name: str, error: str) -> None:
    found = runs(name)
    assert broken(found) == ("crashed", error)
    assert trace(found) == [("ok", True), (name, False)]


def test_the_next_run_is_not_touched(runs: Runs) -> None:
    assert [broken(runs(name)) and name for name in ("leave", "ok", "quick", "ok")] == ["leave", None, "quick", None]


def test_an_exit_by_exception_is_observed(runs: Runs) -> None:
    assert broken(runs("exit")) == ("raised", "SystemExit: 3")


def test_a_flood_of_output_blocks_nothing_and_is_not_shown(runs: Runs, capfd: pytest.CaptureFixture[str]) -> None:
    found = runs("shouts")
    assert trace(found) == [("ok", True), ("shouts", True)]
    assert capfd.readouterr().out == ""


def test_nothing_can_be_read_from_the_terminal(runs: Runs) -> None:
    assert broken(runs("asks")) == ("raised", "EOFError: EOF when reading a line")


def test_a_definition_that_cannot_be_pickled_runs(runs: Runs) -> None:
    assert broken(runs("unpicklable")) is None


def test_a_thread_that_outlives_its_run_is_not_told_of_the_next(runs: Runs) -> None:
    assert trace(runs("later"))[0] == ("ok", True)
    assert [trace(runs("ok")) for _ in range(3)] == [[("ok", True), ("ok", True)]] * 3


def test_a_large_result_comes_through(runs: Runs) -> None:
    found = runs("large")
    assert found.outcome is not None
    assert found.outcome.data is not None
    assert len(found.outcome.data) == 5001


def test_forked_runs_start_from_one_state(shop: Any) -> None:
    with Runs("forked", shop) as forked:
        outputs = [forked("counts").activations[-1].returned for _ in range(3)]
    assert [value and value.content for value in outputs] == [1, 1, 1]


def test_several_jobs_give_every_task_once(shop: Any) -> None:
    engines, cases = shop.load()
    pool = Forking({engine.side: engine for engine in engines}, {case.id: case for case in cases}, jobs=3, timeout=20)
    tasks = [Task(name, side, 0) for name in ("ok", "leave", "quick", "shouts") for side in SIDES]
    for task in tasks:
        pool.submit(task)
    found = dict(pool.finished())
    assert set(found) == set(tasks)
    assert {task.case: broken(found[task]) and found[task].broken.kind for task in tasks} == {  # type: ignore[union-attr]
        "ok": None,
        "leave": "crashed",
        "quick": "timeout",
        "shouts": None,
    }


def is_running(pid: int) -> bool:
    """Whether a process still runs a moment later: to be killed is not to be gone at once."""
    deadline = time.monotonic() + 10
    while _is_alive(pid):
        if time.monotonic() > deadline:
            return True
    return False


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("kind", POOLS)
def test_what_a_hanging_run_started_ends_with_it(
    kind: str, shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pid"
    monkeypatch.setenv("GRAPHLIFT_TEST_PID", str(path))
    with Runs(kind, shop) as runs:
        while not path.exists() or not path.read_text(encoding="utf-8"):
            assert broken(runs("child")) == ("timeout", "did not end within 2 s")
        assert not is_running(int(path.read_text(encoding="utf-8")))


def test_closing_the_iterator_ends_what_still_runs(shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLIFT_TEST_PID", str(tmp_path / "pid"))
    engines, cases = shop.load()
    pool = Forking({engine.side: engine for engine in engines}, {case.id: case for case in cases}, jobs=2, timeout=20)
    pool.submit(Task("told", "legacy", 0))
    pool.submit(Task("after", "legacy", 0))
    finished = pool.finished()
    assert next(finished)[0].case == "after"
    finished.close()  # type: ignore[attr-defined]
    assert not is_running(int((tmp_path / "pid").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("function", "message"),
    [("broken", "ValueError: no such database"), ("gone", "its process ended with exit code 5")],
)
def test_a_worker_that_cannot_load_is_a_problem_of_the_environment(shop: Any, function: str, message: str) -> None:
    with Runs("spawned", shop, function) as runs, pytest.raises(EnvironmentProblem, match=message) as caught:
        runs("ok")
    assert caught.value.exit_code == 3


def test_a_worker_ends_with_its_iterator_unless_it_is_kept(shop: Any) -> None:
    engines, cases = shop.load()
    pool = Spawned({engine.side: engine for engine in engines}, {case.id: case for case in cases}, shop.load)
    pool.submit(Task("pid", "legacy", 0))
    ((_, found),) = pool.finished()
    assert found.outcome is not None
    assert found.outcome.data is not None
    assert not is_running(found.outcome.data["output"].content)

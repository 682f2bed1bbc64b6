"""Runs that share a process on trial: a batch-mate that breaks, hangs, or leaves something behind changes nothing for the others."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlift.parity import Observation, run_gate
from graphlift.parity.forking import TRIES, Forking
from graphlift.parity.rules import builtin_rules
from graphlift.parity.running import Task

MODULE = """
    import asyncio, atexit, contextvars, itertools, locale, logging, os, random, signal, socket, subprocess, sys, threading, time
    import warnings
    from functools import lru_cache
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine

    SEEN = {"calls": 0}
    NUMBERS = itertools.count()
    DICE = random.Random(1)
    WHO = contextvars.ContextVar("who", default="nobody")
    log = logging.getLogger(__name__)

    class Store:
        kept = []

    def adds(n):
        SEEN["calls"] += 1

    def flips(n):
        SEEN["flag"] = not SEEN.get("flag", False)

    def on_class(n):
        Store.kept.append(n)

    def on_function(n, memory={}):
        memory[len(memory)] = n

    def attribute(n):
        adds.noted = object

    def counts(n):
        next(NUMBERS)

    def rolls(n):
        DICE.random()

    def level(n):
        log.setLevel(logging.DEBUG)

    def root_level(n):
        logging.getLogger().setLevel(logging.DEBUG)

    def caches(n):
        remembered(len(remembered.__dict__))

    @lru_cache
    def remembered(n):
        return [n]

    def moves(n):
        os.chdir("/")

    def environment(n):
        os.environ["GRAPHLIFT_LEFT"] = "1"

    def handler(n):
        signal.signal(signal.SIGUSR1, lambda *_: None)

    def thread(n):
        threading.Thread(target=threading.Event().wait, daemon=True).start()

    def child(n):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    def opens(n):
        os.open(os.devnull, os.O_RDONLY)

    def path(n):
        sys.path.append("/nowhere")

    def module(n):
        sys.modules["left_behind"] = type(sys)("left_behind")

    def patches(n):
        time.perf_counter = lambda: 0.0

    def filters(n):
        warnings.simplefilter("ignore", BytesWarning)

    def at_exit(n):
        atexit.register(print)

    def recursion(n):
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)

    def sockets(n):
        socket.setdefaulttimeout(5)

    def leaves(n):
        os._exit(3)

    def dies(n):
        os.kill(os.getpid(), signal.SIGKILL)

    def hangs(n):
        threading.Event().wait()

    def bomb(n):
        for _ in range(200):
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def exits(n):
        sys.exit(4)

    # What is set back for each run.
    def random_number(n):
        return random.random()

    def variable(n):
        was = WHO.get()
        WHO.set("me")
        return was

    def thread_name(n):
        names = []
        thread = threading.Thread(target=lambda: names.append(threading.current_thread().name))
        thread.start()
        thread.join()
        return names

    LEAVE = [adds, flips, on_class, on_function, attribute, counts, rolls, level, root_level, caches, moves, environment, handler,
             thread, child, opens, path, module, patches, filters, at_exit, recursion, sockets]
    BREAK = [leaves, dies, hangs, bomb, exits]
    SET_BACK = [variable, thread_name]

    def state(n):
        return [SEEN, Store.kept, str(NUMBERS), DICE.random(), log.level, logging.getLogger().level, os.getcwd(),
                os.environ.get("GRAPHLIFT_LEFT"), len(sys.path), "left_behind" in sys.modules, threading.active_count(),
                sys.getrecursionlimit(), time.perf_counter() > 0, socket.getdefaulttimeout(), on_function.__defaults__]

    def clean(n):
        return {"n": n * 2}

    def run(case, handlers):
        return {"success": True, "data": {"output": handlers[case.definition["step"]](case.inputs["n"])}}

    ENGINES = [OutcomeEngine("walker", "legacy", run), OutcomeEngine("graph", "candidate", run)]
    HANDLERS = {step.__name__: step for step in [*LEAVE, *BREAK, *SET_BACK, random_number, state, clean]}

    def case(name, n=0, step=None):
        step = step or name
        return Case(name, "flow", {"step": step}, {"n": n}, {step: HANDLERS[step]}, timeout=0.6 if step == "hangs" else 20)
"""


@pytest.fixture(autouse=True)
def _shop_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What test modules hold is not what these tests are about."""
    monkeypatch.setattr("graphlift.parity.residue.user_modules", lambda: ["sharing_shop"])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("sharing")
    (path / "sharing_shop.py").write_text(textwrap.dedent(MODULE), encoding="utf-8")
    sys.path.insert(0, str(path))
    yield importlib.import_module("sharing_shop")
    sys.path.remove(str(path))
    sys.modules.pop("sharing_shop", None)


def observed(shop: Any, cases: list[Any], together: int) -> tuple[dict[str, Observation], Forking]:
    """What is seen of each case under the candidate, and the pool."""
    engines = {engine.side: engine for engine in shop.ENGINES}
    pool = Forking(engines, {case.id: case for case in cases}, timeout=20, together=together)
    for case in cases:
        pool.submit(Task(case.id, "candidate", 0))
    return {task.case: found for task, found in pool.finished()}, pool


def around(shop: Any, *names: str) -> list[Any]:
    """The cases between others that show what was left behind; the first two of a gate have processes of their own."""
    first = [shop.case(f"first-{n}", n, "clean") for n in range(2)]
    return [
        *first,
        shop.case("before", 1, "clean"),
        *map(shop.case, names),
        shop.case("state"),
        shop.case("after", 2, "clean"),
    ]


def names(shop: Any, group: str) -> list[str]:
    return [step.__name__ for step in getattr(shop, group)]


def test_what_leaves_nothing_behind_shares_a_process(shop: Any) -> None:
    cases = [shop.case(f"clean-{n}", n, "clean") for n in range(10)]
    found, pool = observed(shop, cases, 4)
    assert found == observed(shop, cases, 1)[0]
    assert pool.spoiled is None
    assert pool.processes == 2 + 2


def test_what_is_set_back_shares_a_process(shop: Any) -> None:
    cases = around(shop, *names(shop, "SET_BACK"))
    cases += [shop.case(f"{name} again", 0, name) for name in names(shop, "SET_BACK")]
    cases = [case for case in cases if case.id != "state"]
    found, pool = observed(shop, cases, 50)
    assert pool.spoiled is None
    assert found == observed(shop, cases, 1)[0]


LEFT = {
    **dict.fromkeys(["adds", "flips", "on_class", "on_function", "attribute"], "an object of the user's"),
    **dict.fromkeys(["counts", "rolls", "level", "caches", "patches"], "an object of the user's"),
    "root_level": "logging",
    "moves": "the working directory",
    "environment": "the environment",
    "handler": "signal handlers",
    "thread": "a thread",
    "bomb": "a thread",
    "child": "a child process",
    "opens": "open files",
    "path": "the import system",
    "module": "imported modules",
    "filters": "warnings",
    "at_exit": "functions to call at exit",
    "recursion": "limits",
    "sockets": "the timeout of sockets",
    **dict.fromkeys(["leaves", "dies", "hangs"], "a run that did not end"),
}
QUICK = ("adds", "environment", "leaves")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in LEFT])
def test_a_batch_mate_that_leaves_something_or_breaks_costs_only_itself(shop: Any, name: str) -> None:
    cases = around(shop, name)
    found, pool = observed(shop, cases, 50)
    assert pool.spoiled == LEFT[name]
    assert found == observed(shop, cases, 1)[0]


def test_every_leak_of_the_shop_is_tried_above(shop: Any) -> None:
    assert {*LEFT, "exits"} == {*names(shop, "LEAVE"), *names(shop, "BREAK")}


def test_what_cannot_be_looked_into_is_not_taken_for_unchanged(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop, "ROWS", (n for n in range(3)), raising=False)
    found, pool = observed(shop, around(shop), 50)
    assert pool.spoiled == "a builtins.generator"
    assert len(found) == 5


def test_trials_end_where_they_fail(shop: Any) -> None:
    cases = [shop.case(f"adds-{n}", n, "adds") for n in range(12)]
    found, pool = observed(shop, cases, 2)
    assert pool.processes == 2 + TRIES + 10
    assert {str(item.outcome) for item in found.values()} == {str(found["adds-0"].outcome)}


def test_a_recorded_handler_runs_once(shop: Any, tmp_path: Path) -> None:
    """Its effects cannot be taken back, so its run is not on trial."""
    from dataclasses import replace

    log = tmp_path / "log"

    def notes(n: int) -> None:
        with log.open("a") as file:
            file.write(f"{n}\n")

    cases = [replace(shop.case(f"rec-{n}", n, "clean"), recorded=("*",), handlers={"clean": notes}) for n in range(4)]
    cases += [shop.case(f"adds-{n}", n, "adds") for n in range(4)]
    report = gate(shop, cases, 50, 1)
    assert not report.findings
    assert sorted(log.read_text().split()) == ["0", "1", "2", "3"]


def gate(shop: Any, cases: list[Any], together: int, jobs: int) -> Any:
    def pool(engines: Any, known: Any) -> Forking:
        return Forking(engines, known, jobs=jobs, timeout=20, together=together)

    return run_gate(shop.ENGINES, cases, builtin_rules(), root=Path(shop.__file__).parent, pool=pool)


@pytest.mark.parametrize("together", [1, 50])
def test_chance_is_chance_in_a_shared_process_too(shop: Any, together: int) -> None:
    cases = [shop.case(f"random-{n}", n, "random_number") for n in range(4)]
    report = gate(shop, cases, together, 1)
    assert not report.findings
    assert {item.case for item in report.flaky} == {case.id for case in cases}


def test_a_difference_that_runs_together_would_show_is_not_told(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a leak overlooked, the run by itself would still be what is judged."""
    monkeypatch.setattr("graphlift.parity.forked._Watch.look", lambda *_, **__: None)
    cases = [shop.case(f"state-{n}", n, step) for n, step in enumerate(["clean", "adds", "state", "adds", "state"])]
    assert not gate(shop, cases, 50, 1).findings


STEPS = ["clean", "adds", "flips", "leaves", "state", "environment", "exits"]


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=12), st.integers(2, 9), st.integers(1, 3))
def test_neither_batch_nor_jobs_change_a_report(shop: Any, steps: list[str], together: int, jobs: int) -> None:
    cases = [shop.case(f"{number:02d}-{step}", number, step) for number, step in enumerate(steps)]
    assert gate(shop, cases, together, jobs).to_json() == gate(shop, cases, 1, 1).to_json()

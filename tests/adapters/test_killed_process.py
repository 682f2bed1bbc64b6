"""A process killed with SIGKILL in the middle of a run, and another that goes on with its thread."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")

PROGRAM = """
import json, os, signal, sys, threading, time
from graphlift.adapters import *
from graphlift.adapters import frontier, group_running
from langgraph.checkpoint.sqlite import SqliteSaver

folder, style, kill_at, delay, form = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5]
log = open(folder + "/log", "a")

def note(word, view):
    log.write(f"{word} {view.node} {view.iteration} {json.dumps(sorted(view.results))}\\n"); log.flush(); os.fsync(log.fileno())

def handler(view):
    note("begin", view)
    if kill_at == f"{view.node}{view.iteration}" and not os.path.exists(folder + "/killed"):
        open(folder + "/killed", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002)
    note("end", view)
    return view.iteration if view.node == "l" else {view.node: len(view.results)}

def task(name, *following): return TaskNode(name=name, next=following)
def step(name, *needs, **more): return DependencyStep(name=name, depends_on=needs, **more)

FLOWS = {
    "successor": SuccessorWorkflow(name="s", start="a", nodes=(
        task("a", "b", "c"), task("b", "g"), task("c", "d"), task("d", "q"),
        ParallelNode(name="g", branches=("p1", "p2"), next=("e",)), task("p1"), task("p2"),
        ConditionNode(name="q", condition="len(results) > 3", branches={"true": "f"}), task("e"), task("f"))),
    "dependency": DependencyWorkflow(name="d", steps=(
        step("a"), step("b", "a"), step("c", "a"), step("l", "c", loop_until="results.l >= 2"),
        step("skip", "a", when="False"), step("d", "b", "l", "skip"), step("e", "d"), step("f", "d"), step("g", "e", "f"))),
}
flow = FLOWS[style]
if form == "groups":
    frontier.NAMED_UP_TO = group_running.HEAD_START = 0
names = [item.name for item in (flow.nodes if style == "successor" else flow.steps)]
with SqliteSaver.from_conn_string(folder + "/threads.db") as saver:
    compiled = compile_workflow(flow, dict.fromkeys(names, handler), checkpointer=saver, **({} if form == "edges" else {"frontier_above": 0}))
    if delay:
        threading.Thread(target=lambda: (time.sleep(delay), os.kill(os.getpid(), signal.SIGKILL)), daemon=True).start()
    result = compiled.run({"x": 1}, thread_id="t")
def plain(node): return [node.node_id, node.status.value, node.output, node.error, node.runs, [plain(child) for child in node.children]]
print(json.dumps([[plain(node) for node in result.context.node_results.values()], result.context.data, result.success]))
"""


def launch(folder: Path, style: str, kill_at: str = "-", delay: float = 0.0, form: str = "edges") -> Any:
    """One process; gives its result, or None when it was killed."""
    arguments = [sys.executable, "-c", PROGRAM, str(folder), style, kill_at, str(delay), form]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def uninterrupted(style: str, form: str) -> tuple[Any, list[str]]:
    """The result and the log of a run that nothing kills; one a session, since every process imports LangGraph."""
    with tempfile.TemporaryDirectory() as folder:
        return launch(Path(folder), style, form=form), lines(Path(folder))


def lines(folder: Path) -> list[str]:
    path = folder / "log"
    return path.read_text().splitlines() if path.exists() else []


def fresh(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


FORMS = pytest.mark.parametrize("form", ["edges", "frontier", pytest.param("groups", marks=pytest.mark.slow)])


def _point(style: str, at: str) -> Any:
    """Every process imports LangGraph, so only a few points are in the quick suite."""
    return pytest.param(style, at, marks=() if at in ("c0", "l1") else pytest.mark.slow)


POINTS = [
    ("successor", ["a0", "b0", "c0", "p10", "d0", "e0", "f0"]),
    ("dependency", ["a0", "b0", "l0", "l1", "l2", "d0", "f0", "g0"]),
]


@FORMS
@pytest.mark.parametrize(("style", "at"), [_point(style, at) for style, points in POINTS for at in points])
def test_killed_inside_a_step(tmp_path: Path, style: str, at: str, form: str) -> None:
    folder = fresh(tmp_path, "killed")
    expected, whole = uninterrupted(style, form)
    assert launch(folder, style, at, form=form) is None
    before = lines(folder)
    assert launch(folder, style, at, form=form) == expected
    assert expected[2] is True
    ended = [line for line in before if line.startswith("end")]
    again = lines(folder)[len(before) :]
    # What had ended is not run again, but for what shared a superstep (or a group) with the step that was killed.
    repeated = set(ended) & set(again)
    assert {line.split()[1] for line in repeated} <= {"p1", "p2"} | SIBLINGS.get(at, set())
    activations = {line for line in lines(folder) if line.startswith("end")}
    assert activations == {line for line in whole if line.startswith("end")}


SIBLINGS = {"l0": set[str](), "b0": {"c"}, "f0": {"e"}}


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("style", ["successor", "dependency"])
def test_killed_at_random_moments_again_and_again(tmp_path: Path, style: str, form: str) -> None:
    expected, whole = uninterrupted(style, form)
    complete = Counter(line for line in whole if line.startswith("end"))
    assert set(complete.values()) == {1}
    chance, all_kills = random.Random(7), 0
    for round_ in range(5):
        folder, kills, result = fresh(tmp_path, f"r{round_}"), 0, None
        while result is None:
            # A run takes about 50 ms; ever later kills let every round end.
            result = launch(folder, style, delay=chance.random() * 0.05 * (kills + 1), form=form)
            kills += result is None
        assert result == expected
        ended = Counter(line for line in lines(folder) if line.startswith("end"))
        assert set(ended) == set(complete)
        # Only what was in flight at a kill can have run again, and a superstep here has at most two steps.
        assert sum(ended.values()) - sum(complete.values()) <= 2 * kills
        all_kills += kills
    assert all_kills > 0

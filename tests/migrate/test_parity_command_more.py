"""`graphlift parity` beyond the plain run: shards, cassettes, fuzz."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from graphlift.parity.sharding import Shard

GATE = """
    import os
    from graphlift.adapters import DependencyWorkflow
    from graphlift.parity import Case
    from graphlift.parity.engines import CompiledEngine, OutcomeEngine, ReferenceEngine
    from graphlift.plugins import hookimpl
    from shop import BREAK

    class Candidate(CompiledEngine):
        def run(self, case, tap):
            print("running")
            return super().run(BREAK(case), tap)

    def pay(view):
        with open("calls.txt", "a") as file:
            file.write(f"{view.node}\\n")
        return {"paid": view.inputs["n"]}

    FLOW = DependencyWorkflow(
        name="w",
        steps=[{"name": "price"}, {"name": "pay", "depends_on": ["price"]}, {"name": "mail", "depends_on": ["price", "pay"]}],
    )
    HANDLERS = {"price": lambda view: 3, "pay": pay, "mail": lambda view: sorted(view.results)}

    @hookimpl
    def graphlift_engines(project):
        return [ReferenceEngine(sources=("shop.py",)), Candidate(sources=("shop.py",))]

    @hookimpl
    def graphlift_cases(project):
        return [
            Case(f"order/{number}", "w", FLOW, {"n": number}, HANDLERS, recorded=("pay",), files=("gate.py",))
            for number in range(6)
        ]
"""
SAME = "def BREAK(case):\n    return case\n"
LOSES_AN_EDGE = """
from dataclasses import replace

def BREAK(case):
    steps = [
        step.model_copy(update={"depends_on": step.depends_on[:-1]}) for step in getattr(case.definition, "steps", ())
    ]
    return replace(case, definition=case.definition.model_copy(update={"steps": tuple(steps)})) if steps else case
"""
BY_NAME = """
from dataclasses import replace

def BREAK(case):
    steps = sorted(getattr(case.definition, "steps", ()), key=lambda step: step.name)
    if len(steps) < 2:
        return case
    last = steps[-1].model_copy(update={"when": "False"})
    return replace(case, definition=case.definition.model_copy(update={"steps": (*steps[:-1], last)}))
"""


def project(sandbox: Any, shop: str = SAME) -> Any:
    sandbox.files({"graphlift.toml": 'plugins = ["gate"]\n', "gate.py": textwrap.dedent(GATE), "shop.py": shop})
    return sandbox


def calls(sandbox: Any) -> int:
    path = sandbox.root / "calls.txt"
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


# shards


def test_shards_cover_every_case_once_and_merge_into_the_whole(sandbox: Any) -> None:
    project(sandbox)
    parts = []
    for number in (1, 2):
        ran = sandbox.run("parity", "--shard", f"{number}/2", "--report", f"json=part{number}.json")
        assert ran.code == 0
        parts.append(json.loads((sandbox.root / f"part{number}.json").read_text(encoding="utf-8")))
    assert not (sandbox.root / ".graphlift/parity.json").exists()
    assert all(part["partial"] and part["cases"] for part in parts)
    merged = sandbox.run("parity", "--merge", "part1.json", "--merge", "part2.json", "--format", "json")
    assert (merged.code, merged.json()["verdict"], merged.json()["cases"]) == (0, "green", 6)
    evidence = (sandbox.root / ".graphlift/parity.json").read_text(encoding="utf-8")
    whole = sandbox.run("parity", "--format", "json")
    assert whole.json() == merged.json()
    assert (sandbox.root / ".graphlift/parity.json").read_text(encoding="utf-8") == evidence


def test_shards_of_one_case_are_not_the_whole(sandbox: Any) -> None:
    project(sandbox)
    for number in (1, 2):
        sandbox.run("parity", "--shard", f"{number}/2", "--case", "order/1", "--report", f"json=part{number}.json")
    merged = sandbox.run("parity", "--merge", "part1.json", "--merge", "part2.json")
    assert (merged.code, "without --case" in merged.err) == (2, True)
    assert not (sandbox.root / ".graphlift/parity.json").exists()


def test_a_shard_without_a_case_is_no_failure(sandbox: Any) -> None:
    numbers = range(1, 41)
    empty = next(n for n in numbers if not any(Shard(n, 40).has(f"order/{number}") for number in range(6)))
    ran = project(sandbox).run("parity", "--shard", f"{empty}/40", "--format", "json")
    assert (ran.code, ran.json()["case_ids"], ran.json()["verdict"]) == (0, [], "red")


def test_a_missing_shard_proves_nothing(sandbox: Any) -> None:
    project(sandbox).run("parity", "--shard", "1/2", "--report", "json=part1.json")
    ran = sandbox.run("parity", "--merge", "part1.json")
    assert (ran.code, "these are not all shards of one run: 1/2" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shard", "3/2"), "'3/2' is no shard"),
        (("--merge", "nothing.json"), "nothing.json cannot be read"),
        (("--merge", "shop.py"), "shop.py cannot be read"),
        (("--record", "some"), "--record: 'some' is none of none, once, all"),
        (("--cassette", "shop.py"), "shop.py:1"),
    ],
)
def test_options_that_are_wrong(sandbox: Any, arguments: tuple[str, ...], message: str) -> None:
    ran = project(sandbox).run("parity", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


# cassettes


@pytest.mark.slow
def test_handlers_with_effects_run_once_and_are_replayed(sandbox: Any) -> None:
    project(sandbox)
    assert sandbox.run("parity").code == 0
    assert calls(sandbox) == 6
    assert sandbox.run("parity", "--cassette", "answers.jsonl").code == 0
    assert calls(sandbox) == 12
    cassette = (sandbox.root / "answers.jsonl").read_text(encoding="utf-8")
    assert len(cassette.splitlines()) == 7
    assert sandbox.run("parity", "--cassette", "answers.jsonl").code == 0
    assert sandbox.run("parity", "--cassette", "answers.jsonl", "--record", "none").code == 0
    assert calls(sandbox) == 12
    assert sandbox.run("parity", "--cassette", "answers.jsonl", "--record", "all").code == 0
    assert calls(sandbox) == 18
    assert (sandbox.root / "answers.jsonl").read_text(encoding="utf-8") == cassette


def test_what_a_case_redacts_is_not_in_the_file_and_replays(sandbox: Any) -> None:
    hide = "redact=lambda node, value: {**value, 'paid': 0}, files="
    sandbox.files({"graphlift.toml": 'plugins = ["gate"]\n', "shop.py": SAME})
    sandbox.files({"gate.py": textwrap.dedent(GATE).replace("files=", hide)})
    only = ("--cassette", "answers.jsonl", "--case", "order/3")
    assert sandbox.run("parity", *only).code == 0
    assert '"returned": {"paid": 0}' in (sandbox.root / "answers.jsonl").read_text(encoding="utf-8")
    assert sandbox.run("parity", *only, "--record", "none").code == 0
    assert calls(sandbox) == 1


def test_an_effect_that_was_not_recorded_is_refused(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--cassette", "answers.jsonl", "--record", "none", "--case", "order/1")
    assert ran.code == 1
    assert calls(sandbox) == 0
    assert not (sandbox.root / "answers.jsonl").exists()


def test_a_replay_that_asks_for_something_else_is_a_divergence(sandbox: Any) -> None:
    ran = project(sandbox, LOSES_AN_EDGE).run("parity", "--case", "order/1", "--format", "json")
    assert ran.code == 1
    missed = [item for item in ran.json()["divergences"] if item["family"] == "cassette"]
    assert [item["node"] for item in missed] == ["pay"]
    assert calls(sandbox) == 1


# fuzz


def test_fuzz_finds_nothing_where_there_is_nothing(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--fuzz", "10", "--seed", "3")
    assert (ran.code, ran.out) == (0, "green: 10 workflows drawn from seed 3, no difference\n")
    assert not (sandbox.root / ".graphlift").exists()


@pytest.mark.slow
def test_fuzz_tells_the_smallest_workflow_and_writes_it_as_a_test(sandbox: Any) -> None:
    project(sandbox, LOSES_AN_EDGE)
    ran = sandbox.run("parity", "--fuzz", "200", "--write-test", "test_found.py", "--format", "json")
    assert ran.code == 1
    found = ran.json()
    assert found["verdict"] == "red"
    assert len(found["counterexample"]["definition"]["steps"]) <= 4
    assert found["divergences"]
    ran = run_tests(sandbox)
    assert ran.returncode == 1
    assert found["divergences"][0]["cause"] in ran.stdout
    project(sandbox)
    assert run_tests(sandbox).returncode == 0


def run_tests(sandbox: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_found.py"]
    return subprocess.run(command, cwd=sandbox.root, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_fuzz_says_the_same_for_one_seed(sandbox: Any) -> None:
    project(sandbox, BY_NAME)
    first = sandbox.run("parity", "--fuzz", "100", "--seed", "1")
    shutil.rmtree(sandbox.root / "graphlift-regressions", ignore_errors=True)
    second = sandbox.run("parity", "--fuzz", "100", "--seed", "1")
    assert (first.code, first.out) == (second.code, second.out)
    assert first.out.startswith("red: the engines differ on a workflow of ")


@pytest.mark.slow
def test_what_fuzz_found_once_is_replayed_before_anything_is_drawn(sandbox: Any) -> None:
    found = project(sandbox, LOSES_AN_EDGE).run("parity", "--fuzz", "200", "--format", "json").json()
    (path,) = (sandbox.root / "graphlift-regressions").iterdir()
    assert found["kept"] == f"graphlift-regressions/{path.name}"
    ran = sandbox.run("parity", "--fuzz", "5", "--format", "json")
    again = ran.json()
    assert (ran.code, again["examples"], again["kept"]) == (1, 0, None)
    assert again["counterexample"] == found["counterexample"]
    assert [one["name"] for one in again["regressions"]] == [path.name]
    ran = sandbox.run("parity", "--fuzz", "5")
    assert ran.out.startswith("red: the engines differ on 1 of 1 regressions; nothing was drawn\n")
    ran = project(sandbox).run("parity", "--fuzz", "5")
    assert (ran.code, ran.out) == (0, "green: 1 regression replayed, 5 workflows drawn from seed 0, no difference\n")
    path.write_text("{}", encoding="utf-8")
    ran = sandbox.run("parity", "--fuzz", "5")
    assert (ran.code, f"graphlift-regressions/{path.name}: is a regression of version None" in ran.err) == (2, True)


def test_a_drawn_workflow_that_crashes_an_engine_is_a_counterexample(sandbox: Any) -> None:
    shop = "import os\n\n\ndef BREAK(case):\n    return case if len(case.definition.by_name()) < 3 else os._exit(5)\n"
    ran = project(sandbox, shop).run("parity", "--fuzz", "10", "--format", "json")
    found = ran.json()["divergences"]
    assert (ran.code, found[0]["rule"], found[0]["candidate"]) == (1, "GL201", "its process ended with exit code 5")


def test_fuzz_refuses_engines_that_cannot_run_drawn_workflows(sandbox: Any) -> None:
    shop = 'def BREAK(case):\n    raise TypeError("only our own YAML")\n'
    ran = project(sandbox, shop).run("parity", "--fuzz", "10")
    assert ran.code == 2
    assert "the candidate engine cannot run a drawn workflow: TypeError: only our own YAML" in ran.err


# coverage


def test_coverage_is_a_line_a_list_and_a_threshold(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--coverage", "--case", "order/1")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == ["no case reaches:", "  w, failure paths: mail fails; pay fails; price fails"]
    line = "coverage: 57 % of 7 paths (edges 3 of 3, joins 1 of 1, failure paths 0 of 3)"
    assert ran.out.splitlines()[-2] == line
    low = sandbox.run("parity", "--min-coverage", "58", "--format", "json")
    assert (low.code, low.json()["coverage"]["percent"], low.json()["verdict"]) == (1, 57, "green")
    assert "coverage is 57 %, --min-coverage asks for 58 %" in low.err
    assert sandbox.run("parity", "--min-coverage", "57").code == 0


# what production showed, and how much the gate sees


SIGHTING = {
    "shadow": 1,
    "case": "order/1",
    "workflow": "w",
    "failed": None,
    "divergences": [
        {
            "rule": "GL101",
            "family": "run count",
            "case": "order/1",
            "node": "pay",
            "activation": 1,
            "legacy": "ran 1 time",
            "candidate": "ran 2 times",
            "cause": "an uneven join",
            "mend": "",
            "paths": [],
            "schedule": "",
            "subject": "",
            "under": None,
        }
    ],
}


def sightings(sandbox: Any, *lines: dict[str, Any]) -> None:
    sandbox.files({"shadow.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})


def test_what_a_shadow_saw_is_judged_by_the_baseline(sandbox: Any) -> None:
    project(sandbox)
    sightings(sandbox, SIGHTING, SIGHTING, {**SIGHTING, "case": "order/2", "divergences": []})
    ran = sandbox.run("parity", "--from-shadow", "shadow.jsonl", "--format", "json")
    assert ran.code == 1
    assert (ran.json()["case_ids"], len(ran.json()["divergences"])) == (["order/1", "order/2"], 1)
    assert not (sandbox.root / ".graphlift").exists()
    accept = ("--accept", "GL101", "--case", "order/1", "--reason", "r", "--owner", "o", "--expires", "2999-01-01")
    assert sandbox.run("parity", *accept).code == 0
    assert sandbox.run("parity", "--from-shadow", "shadow.jsonl").code == 0


def test_a_live_shadow_writes_what_the_gate_judges(sandbox: Any) -> None:
    """From a caller that is served, through the sink's file, to a verdict with a cause, and to the baseline."""
    project(sandbox, LOSES_AN_EDGE)
    served = """
        import sys
        from pathlib import Path
        from gate import Candidate, FLOW, HANDLERS
        from graphlift.adapters import run_dependency
        from graphlift.parity import Case
        from graphlift.parity.shadow import JsonLines, Mirror

        shadow = Mirror(Candidate(), sinks=[JsonLines(Path("seen.jsonl"))])
        case = Case("live", "w", FLOW, {"n": 7}, HANDLERS)
        for _ in range(2):
            result = shadow.serve_sync(case, lambda tap: run_dependency(FLOW, tap.registry(HANDLERS), {"n": 7}))
            assert result.success
        shadow.drain()
    """
    sandbox.files({"serve.py": textwrap.dedent(served)})
    done = subprocess.run([sys.executable, "serve.py"], cwd=sandbox.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert calls(sandbox) == 2  # the effect of each served run, and none of the shadow's
    ran = sandbox.run("parity", "--from-shadow", "seen.jsonl", "--format", "json")
    assert (ran.code, ran.json()["case_ids"]) == (1, ["live"])
    leading = [item for item in ran.json()["divergences"] if item["follows"] is None and item["family"] != "cassette"]
    assert [(item["rule"], item["node"], item["cause"]) for item in leading] == [
        ("GL110", "pay", "under the candidate, pay began before price did")
    ]
    (trace,) = ran.json()["traces"]
    assert (trace["case"], trace["first"]) == ("live", ["pay", 0])
    rules = {item["rule"] for item in ran.json()["divergences"]}
    wanted = (argument for rule in sorted(rules) for argument in ("--accept", rule))
    more = ("--case", "live", "--reason", "r", "--owner", "o", "--expires", "2999-01-01", "--at-most", "9")
    assert sandbox.run("parity", *wanted, *more).code == 0
    assert sandbox.run("parity", "--from-shadow", "seen.jsonl").code == 0


def test_a_run_that_could_not_be_shadowed_fails(sandbox: Any) -> None:
    project(sandbox)
    sightings(sandbox, {**SIGHTING, "divergences": [], "failed": "the candidate did not end"})
    ran = sandbox.run("parity", "--from-shadow", "shadow.jsonl")
    assert ran.code == 1
    assert "shadow: order/1: the candidate did not end" in ran.out


def test_a_file_that_is_no_shadows(sandbox: Any) -> None:
    project(sandbox)
    ran = sandbox.run("parity", "--from-shadow", "shop.py")
    assert (ran.code, "shop.py:1: is no sighting" in ran.err) == (2, True)
    ran = sandbox.run("parity", "--from-shadow", "nothing.jsonl")
    assert (ran.code, "nothing.jsonl does not exist" in ran.err) == (2, True)


def test_a_file_without_a_sighting_proves_nothing(sandbox: Any) -> None:
    project(sandbox)
    sightings(sandbox)
    assert sandbox.run("parity", "--from-shadow", "shadow.jsonl").code == 1


@pytest.mark.slow
def test_the_gate_is_measured(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--mutants", "20", "--format", "json")
    assert (ran.code, ran.json()["verdict"]) == (0, "green")
    assert ran.json()["rate"] >= 0.95
    assert {item["id"] for item in ran.json()["mutants"]} >= {"run-twice", "always-success"}

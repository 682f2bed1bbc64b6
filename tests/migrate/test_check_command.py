"""`graphlift check`, as a user runs it on a small project."""

from __future__ import annotations

import textwrap
from typing import Any

GATE = """
    from graphlift.adapters import DependencyWorkflow
    from graphlift.parity import Case, NodeEnd, Outcome
    from graphlift.parity.engines import CompiledEngine, ReferenceEngine
    from graphlift.plugins import hookimpl
    from shop import BREAK

    class Candidate(CompiledEngine):
        def run(self, case, tap):
            print("running")
            return super().run(BREAK(case), tap)

    FLOW = DependencyWorkflow(
        name="w",
        steps=[{"name": "price"}, {"name": "pay", "depends_on": ["price"]}, {"name": "mail", "depends_on": ["pay"]}],
    )
    HANDLERS = {"price": lambda view: 3, "pay": lambda view: view.inputs["n"], "mail": lambda view: sorted(view.results)}

    @hookimpl
    def graphlift_engines(project):
        return [ReferenceEngine(sources=("shop.py",)), Candidate(sources=("shop.py",))]

    @hookimpl
    def graphlift_cases(project):
        return [Case(f"order/{number}", "w", FLOW, {"n": number}, HANDLERS) for number in (1, 2)]
"""
SAME = "def BREAK(case):\n    return case\n"
BY_NAME = """
from dataclasses import replace

def BREAK(case):
    steps = sorted(getattr(case.definition, "steps", ()), key=lambda step: step.name)
    if len(steps) < 2:
        return case
    last = steps[-1].model_copy(update={"when": "False"})
    return replace(case, definition=case.definition.model_copy(update={"steps": (*steps[:-1], last)}))
"""
STALLS = """
def BREAK(case):
    raise SystemExit(3)
"""


def project(sandbox: Any, shop: str = SAME) -> Any:
    sandbox.files({"graphlift.toml": 'plugins = ["gate"]\n', "gate.py": textwrap.dedent(GATE), "shop.py": shop})
    return sandbox


def test_engines_hold_on_workflows_written_otherwise(sandbox: Any) -> None:
    ran = project(sandbox).run("check", "--case", "order/1")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "green: legacy engine reference: 1 case, 3 written otherwise",
        "green: candidate engine langgraph: 1 case, 3 written otherwise",
    ]


def test_an_engine_that_depends_on_names_is_found_and_told_in_the_words_of_one_engine(sandbox: Any) -> None:
    ran = project(sandbox, BY_NAME).run("check", "--engine", "candidate", "--case", "order/1")
    assert ran.code == 1
    assert ran.out.splitlines()[:5] == [
        "GL103  order/1, node price",
        "  engine      candidate (langgraph) when its steps are renamed",
        "  as written  skipped",
        "  otherwise   ran 1 time",
        "  cause       the workflow as it is written skipped price (condition), the workflow written otherwise ran it",
    ]
    assert ran.out.splitlines()[-1] == ("red: candidate engine langgraph: 1 case, 3 written otherwise, 3 differences")


def test_the_other_engine_is_not_touched(sandbox: Any) -> None:
    ran = project(sandbox, BY_NAME).run("check", "--engine", "legacy", "--format", "json")
    found = ran.json()
    assert (ran.code, found["verdict"], found["divergences"], found["not_checked"]) == (0, "green", [], [])
    assert found["engines"] == [
        {
            "side": "legacy",
            "name": "reference",
            "verdict": "green",
            "cases": ["order/1", "order/2"],
            "written_otherwise": 6,
        }
    ]


def test_json_names_the_relation(sandbox: Any) -> None:
    found = project(sandbox, BY_NAME).run("check", "--case", "order/1", "--format", "json").json()
    first = found["divergences"][0]
    assert (first["engine"], first["relation"], first["as_written"], first["otherwise"]) == (
        "candidate",
        "its steps are renamed",
        "skipped",
        "ran 1 time",
    )


def test_what_cannot_be_checked_is_said_and_nothing_checked_is_red(sandbox: Any) -> None:
    ran = project(sandbox, STALLS).run("check", "--engine", "candidate", "--in-process")
    assert ran.code == 1
    assert ran.out.splitlines()[-4:] == [
        "not checked:",
        "  candidate, everything of order/1, order/2: the run ended without a result: SystemExit: 3",
        "",
        "red: candidate engine langgraph: no case could be checked, 2 differences",
    ]


def test_a_crash_costs_one_case(sandbox: Any) -> None:
    crash = "import os\n\n\ndef BREAK(case):\n    return case if case.inputs['n'] == 1 else os._exit(4)\n"
    ran = project(sandbox, crash).run("check", "--engine", "candidate", "--format", "json")
    found = ran.json()
    assert ran.code == 1
    assert [(item["rule"], item["case"], item["shown"]) for item in found["divergences"]] == [
        ("GL201", "order/2", "its process ended with exit code 4")
    ]
    assert found["engines"][0]["cases"] == ["order/1"]


def test_a_case_that_is_not_there_and_an_engine_that_is_not_there(sandbox: Any) -> None:
    assert project(sandbox).run("check", "--case", "other").code == 2
    assert sandbox.run("check", "--engine", "both-of-them").code == 2

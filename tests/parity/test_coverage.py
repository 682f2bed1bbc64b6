"""How much of their workflows the cases of a gate reach, from what was observed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphlift.adapters import parse_workflow
from graphlift.parity import Case, Outcome, Report, Tap, run_gate
from graphlift.parity.coverage import Coverage, coverage_from_json, merge_coverages
from graphlift.parity.engines import CompiledEngine, OutcomeEngine, ReferenceEngine
from graphlift.parity.reporters.terminal import text
from graphlift.parity.rules import builtin_rules

ENGINES = (ReferenceEngine(), CompiledEngine())


def gate(tmp_path: Path, *cases: Case, engines: Any = ENGINES) -> Report:
    return run_gate(engines, cases, builtin_rules(), root=tmp_path)


def missed(found: Coverage) -> dict[str, list[str]]:
    by_kind: dict[str, list[str]] = {}
    for path in sorted(found.missed):
        by_kind.setdefault(path.kind, []).append(path.text)
    return by_kind


def fail(view: Any) -> Any:
    raise ValueError("no")


STEPS = [
    {"name": "a"},
    {"name": "b", "depends_on": ["a"], "when": "inputs.n > 1"},
    {"name": "c", "depends_on": ["a"], "loop_until": "iteration_is_over", "loop_max": 3},
    {"name": "d", "depends_on": ["b", "c"]},
]
FLOW = parse_workflow({"style": "dependency", "name": "w", "steps": STEPS})


def flow(name: str, n: int, turns: int = 1, **handlers: Any) -> Case:
    given = {**{step: lambda view: 1 for step in "abcd"}, **handlers}
    conditions = {"iteration_is_over": lambda view: view.iteration + 1 >= turns}
    options = {"conditions": conditions, "failure_policy": "skip-dependents"}
    return Case(name, "w", FLOW, {"n": n}, given, options=options)


def test_what_one_case_reaches_and_what_it_does_not(tmp_path: Path) -> None:
    found = gate(tmp_path, flow("one", 2)).coverage
    assert found.kinds == {
        "edges": (4, 4),
        "joins": (1, 1),
        "skip paths": (0, 1),
        "failure paths": (0, 4),
        "loops": (0, 2),
    }
    assert missed(found) == {
        "failure paths": ["a fails", "b fails", "c fails", "d fails"],
        "loops": ["c ends at its bound", "c repeats"],
        "skip paths": ["b is skipped"],
    }
    assert (found.percent, found.unmeasured) == (41, ())


def test_cases_add_up(tmp_path: Path) -> None:
    cases = [
        flow("two", 2),
        flow("skipped", 1),
        flow("long", 1, 9),
        *(flow(f"{x}-fails", 2, **{x: fail}) for x in "abcd"),
    ]
    found = gate(tmp_path, *cases).coverage
    assert (found.percent, missed(found)) == (100, {})


def test_a_step_that_a_failure_skips_is_no_skip_path(tmp_path: Path) -> None:
    found = gate(tmp_path, flow("fails", 1, a=fail)).coverage
    assert missed(found)["skip paths"] == ["b is skipped"]


def test_a_join_of_which_one_source_was_skipped_is_not_reached(tmp_path: Path) -> None:
    assert missed(gate(tmp_path, flow("skipped", 1)).coverage)["joins"] == ["d after b and c"]


ROUTED = parse_workflow(
    {
        "style": "successor",
        "name": "r",
        "start": "k",
        "nodes": [
            {
                "kind": "condition",
                "name": "k",
                "condition": "inputs.n",
                "branches": {"0": "g", "1": None},
                "default": "z",
            },
            {"kind": "parallel", "name": "g", "branches": ["p", "q"], "join": "all", "next": ["z"]},
            {"kind": "task", "name": "p"},
            {"kind": "task", "name": "q"},
            {"kind": "task", "name": "z"},
        ],
    }
)


def routed(n: int) -> Case:
    return Case(f"r{n}", "r", ROUTED, {"n": n}, {name: lambda view: {} for name in "pqz"})


def test_branch_labels_groups_and_the_default(tmp_path: Path) -> None:
    first, both = (gate(tmp_path, *map(routed, numbers)).coverage for numbers in ([0], [0, 1, 7]))
    assert missed(first)["branch labels"] == ["k: 1 -> the end", "k: any other label -> z"]
    assert first.kinds["joins"] == (1, 1)  # z cannot come after k and g in one run
    assert (both.kinds["branch labels"], both.kinds["edges"]) == ((3, 3), (3, 3))


@dataclass(frozen=True)
class Walker:
    """Shows that handlers ran, and nothing of its conditions."""

    side: Any
    name: str = "walker"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        for name in case.options["path"]:
            tap.handlers[name]({})
        return Outcome(True, {})


WALKERS = (Walker("legacy"), Walker("candidate"))


def test_a_condition_that_the_engine_does_not_show_is_named_and_not_counted(tmp_path: Path) -> None:
    case = replace(routed(0), options={"path": "pqz"})
    found = gate(tmp_path, case, engines=WALKERS).coverage
    assert "branch labels" not in found.kinds
    assert found.unmeasured == ("r: the engine does not show which label k chose",)


def test_edges_that_a_case_gives_are_measured_and_the_rest_is_named(tmp_path: Path) -> None:
    case = Case(
        "o",
        "ours",
        {"of": "ours"},
        {},
        dict.fromkeys("abc", lambda data: {}),
        {"path": "ab"},
        edges={"b": ["a"], "c": ["a?"]},
    )
    found = gate(tmp_path, case, engines=WALKERS).coverage
    assert missed(found) == {"edges": ["a -> c"], "failure paths": ["a fails", "b fails", "c fails"]}
    assert found.unmeasured == ("ours: branch labels, skips and loops are not known from its edges",)


def test_a_definition_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    case = Case("o", "ours", {"of": "ours"}, {}, dict.fromkeys("ab", lambda data: {}), {"path": "ab"})
    report = gate(tmp_path, case, engines=WALKERS)
    assert report.coverage.percent is None
    assert report.coverage.unmeasured == (
        "ours: its definition is not one of graphlift's own, and the case gives no `edges`",
    )
    assert text(report).splitlines()[-2] == "coverage: not measured, --coverage says why"


def test_engines_that_show_nothing_are_said(tmp_path: Path) -> None:
    engines = [
        OutcomeEngine(side, side, lambda case, handlers: {"success": True, "data": {}})
        for side in ("legacy", "candidate")
    ]  # type: ignore[arg-type]
    found = gate(tmp_path, replace(routed(0), handlers={}), engines=engines).coverage
    assert (found.percent, found.unmeasured) == (None, ("r: neither engine shows which nodes ran",))


def test_the_report_has_one_line_and_the_list_when_asked(tmp_path: Path) -> None:
    report = gate(tmp_path, flow("one", 2))
    line = (
        "coverage: 41 % of 12 paths (edges 4 of 4, joins 1 of 1, skip paths 0 of 1, failure paths 0 of 4, loops 0 of 2)"
    )
    assert text(report).splitlines()[-2] == line
    assert "no case reaches" not in text(report)
    assert text(report, coverage=True).splitlines()[:4] == [
        "no case reaches:",
        "  w, failure paths: a fails; b fails; c fails; d fails",
        "  w, loops: c ends at its bound; c repeats",
        "  w, skip paths: b is skipped",
    ]


def test_shards_are_covered_together(tmp_path: Path) -> None:
    parts = [gate(tmp_path, case).coverage for case in (flow("one", 2), flow("two", 1))]
    there = [coverage_from_json(part.to_json()) for part in parts]
    assert there == parts
    assert merge_coverages(there) == gate(tmp_path, flow("one", 2), flow("two", 1)).coverage

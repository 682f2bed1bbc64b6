"""The pytest plugin: parity cases as tests, and the fixture for parity tests written by hand."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest_plugins = ["pytester"]

GATE = """
    import os, sys, threading
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine
    from graphlift.plugins import hookimpl
    from shop import DIFFERENT, HANGING

    def walker(case, handlers):
        return {"success": True, "data": handlers["pay"]({"n": 1}), "nodes": {}}

    def graph(case, handlers):
        if case.id in DIFFERENT:
            handlers["pay"]({"n": 1})
        if case.id in HANGING:
            threading.Event().wait()
        return walker(case, handlers)

    @hookimpl
    def graphlift_engines(project):
        return [
            OutcomeEngine("walker", "legacy", walker, sources=("shop.py",)),
            OutcomeEngine("graph", "candidate", graph, sources=("shop.py",)),
        ]

    @hookimpl
    def graphlift_cases(project):
        return [
            Case("order", "order", {"lock": 1}, handlers={"pay": lambda data: data}, matrix={"workers": [1, 4]}),
            Case("refund/late", "refund", {}, handlers={"pay": lambda data: data}),
        ]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    return write(pytester)


def write(pytester: pytest.Pytester, different: tuple[str, ...] = (), hanging: tuple[str, ...] = ()) -> pytest.Pytester:
    pytester.path.joinpath(".git").mkdir(exist_ok=True)
    files = {
        "graphlift.toml": 'plugins = ["gate"]\n[parity]\ntimeout = 20\n',
        "gate.py": textwrap.dedent(GATE),
        "shop.py": f"DIFFERENT = {different!r}\nHANGING = {hanging!r}\n",
        "tests/test_own.py": "def test_own():\n    pass\n",
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
    }
    for name, content in files.items():
        path = pytester.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return pytester


ORDER_1, ORDER_4, REFUND = (
    f"graphlift.toml::{name}" for name in ("order[[]workers=1]", "order[[]workers=4]", "refund/late")
)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:randomly", *arguments)


def test_nothing_happens_unless_asked_for(project: pytest.Pytester) -> None:
    result = run(project, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*graphlift.toml::*")


def test_every_case_is_a_test_beside_the_others(project: pytest.Pytester) -> None:
    result = run(project, "-v", "--graphlift-parity")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines_random(
        [f"{name} PASSED*" for name in ("tests/test_own.py::test_own", ORDER_1, ORDER_4, REFUND)]
    )


def test_the_ini_option_adds_them_to_a_whole_run(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\ngraphlift_parity = true\n", encoding="utf-8")
    run(project).assert_outcomes(passed=4)


@pytest.mark.slow
def test_the_ini_option_leaves_a_run_of_named_tests_alone(project: pytest.Pytester) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\ngraphlift_parity = true\n", encoding="utf-8")
    run(project, "tests/test_own.py").assert_outcomes(passed=1)
    run(project, "graphlift.toml::refund/late").assert_outcomes(passed=1)
    run(project).assert_outcomes(passed=4)


def test_a_divergence_fails_its_case_with_the_report_and_no_traceback(pytester: pytest.Pytester) -> None:
    result = run(write(pytester, different=("refund/late",)), "--graphlift-parity")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*parity case refund/late*",
            "GL101  refund/late, node pay*",
            "  legacy     ran 1 time",
            "  candidate  ran 2 times",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*plugins/pytest_parity.py*")


def test_a_hang_fails_one_case(pytester: pytest.Pytester) -> None:
    write(pytester, hanging=("refund/late",))
    (pytester.path / "graphlift.toml").write_text('plugins = ["gate"]\n[parity]\ntimeout = 1\n', encoding="utf-8")
    result = run(pytester, "--graphlift-parity")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["GL202  refund/late*", "  candidate  did not end within 1 s"])


def test_one_case_by_its_id(project: pytest.Pytester) -> None:
    result = run(project, "--graphlift-parity", "-v", "graphlift.toml::order[workers=4]")
    result.assert_outcomes(passed=1)


@pytest.mark.slow
def test_k_and_marker(project: pytest.Pytester) -> None:
    run(project, "--graphlift-parity", "-k", "refund").assert_outcomes(passed=1, deselected=3)
    run(project, "--graphlift-parity", "-m", "graphlift_parity").assert_outcomes(passed=3, deselected=1)
    run(project, "--graphlift-parity", "-m", "not graphlift_parity").assert_outcomes(passed=1, deselected=3)


@pytest.mark.slow
def test_last_failed(pytester: pytest.Pytester) -> None:
    run(write(pytester, different=("refund/late",)), "--graphlift-parity").assert_outcomes(passed=3, failed=1)
    write(pytester)
    result = run(pytester, "--graphlift-parity", "--lf", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"{REFUND} PASSED*"])


def test_junit(pytester: pytest.Pytester) -> None:
    run(write(pytester, different=("refund/late",)), "--graphlift-parity", "--junitxml", "out.xml")
    cases = {case.get("name"): case for case in ET.parse(pytester.path / "out.xml").iter("testcase")}
    assert set(cases) == {"test_own", "order[workers=1]", "order[workers=4]", "refund/late"}
    failed = cases["refund/late"]
    failure = failed.find("failure")
    assert failure is not None
    assert "GL101  refund/late, node pay" in (failure.text or "")
    assert [(item.get("name"), item.get("value")) for item in failed.iter("property")] == [
        ("graphlift_divergence", "GL101 pay")
    ]


@pytest.mark.slow
def test_workers_of_xdist_share_the_cases(pytester: pytest.Pytester) -> None:
    result = run(write(pytester, different=("refund/late",)), "--graphlift-parity", "-n", "2", "-v")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines_random([f"*FAILED*{REFUND}*", f"*PASSED*{ORDER_1}*", f"*PASSED*{ORDER_4}*"])
    result.stdout.fnmatch_lines(["GL101  refund/late, node pay*"])


KNOWN = """
[[divergence]]
rule = "GL101"
case = "refund/late"
reason = "the graph retries"
owner = "ada"
expires = 2999-01-01
"""


def test_a_known_divergence_passes(pytester: pytest.Pytester) -> None:
    write(pytester, different=("refund/late",))
    (pytester.path / "graphlift-divergences.toml").write_text(KNOWN, encoding="utf-8")
    run(pytester, "--graphlift-parity").assert_outcomes(passed=4)


def test_an_entry_that_is_not_needed_fails_its_case(project: pytest.Pytester) -> None:
    (project.path / "graphlift-divergences.toml").write_text(KNOWN, encoding="utf-8")
    result = run(project, "--graphlift-parity")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["  unmatched: GL101 in refund/late*"])


def test_an_entry_for_several_cases_is_not_called_unneeded_by_one(pytester: pytest.Pytester) -> None:
    write(pytester, different=("refund/late",))
    (pytester.path / "graphlift-divergences.toml").write_text(KNOWN.replace("refund/late", "*"), encoding="utf-8")
    run(pytester, "--graphlift-parity").assert_outcomes(passed=4)


def test_a_project_in_a_folder_of_its_own(project: pytest.Pytester) -> None:
    below = project.path / "service"
    below.mkdir()
    for name in ("graphlift.toml", "gate.py", "shop.py"):
        (project.path / name).rename(below / name)
    result = run(project, "--graphlift-parity", "--graphlift-project", "service", "-v")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["service/graphlift.toml::refund/late PASSED*"])


def test_a_configuration_in_pyproject(project: pytest.Pytester) -> None:
    (project.path / "graphlift.toml").unlink()
    (project.path / "pyproject.toml").write_text('[tool.graphlift]\nplugins = ["gate"]\n', encoding="utf-8")
    result = run(project, "--graphlift-parity", "-v")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["pyproject.toml::refund/late PASSED*"])


def test_without_a_configuration_it_is_a_usage_error(project: pytest.Pytester) -> None:
    (project.path / "graphlift.toml").unlink()
    result = run(project, "--graphlift-parity")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: graphlift: no graphlift.toml*", "*graphlift init*"])


def test_a_plugin_that_fails_is_a_collection_error_without_a_traceback(project: pytest.Pytester) -> None:
    (project.path / "gate.py").write_text(
        "import nothing_like_this\ndef graphlift_cases(project): ...\n", encoding="utf-8"
    )
    result = run(project, "--graphlift-parity")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*plugin 'gate' cannot be imported: ModuleNotFoundError*"])
    result.stdout.no_fnmatch_line("*Traceback*")


HAND = """
    import pytest
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine

    def engines(times):
        def run(count):
            def walk(case, handlers):
                data = [handlers["pay"]({}) for _ in range(count)][0]
                return {"success": True, "data": data, "nodes": {}}
            return walk
        return [OutcomeEngine("w", "legacy", run(1)), OutcomeEngine("g", "candidate", run(times))]

    CASE = Case("mine", "flow", {}, handlers={"pay": lambda data: {"paid": True}})
"""


def test_the_fixture(project: pytest.Pytester) -> None:
    project.makepyfile(
        textwrap.dedent(HAND)
        + textwrap.dedent(
            """
            def test_equal(graphlift_gate):
                assert graphlift_gate(CASE, engines=engines(1)).green

            def test_different(graphlift_gate):
                with pytest.raises(AssertionError, match="ran 2 times") as caught:
                    graphlift_gate(CASE, engines=engines(2))
                assert [item.divergence.rule for item in caught.value.report.new] == ["GL101"]

            def test_expected(graphlift_gate):
                report = graphlift_gate.judge(CASE, engines=engines(2))
                assert [(item.divergence.rule, item.divergence.node) for item in report.findings] == [("GL101", "pay")]

            def test_of_the_project(graphlift_gate):
                assert graphlift_gate(CASE).cases == ("mine",)

            def test_every_case_of_a_matrix(graphlift_gate):
                from dataclasses import replace
                case = replace(CASE, matrix={"workers": [1, 2]})
                assert graphlift_gate(case, engines=engines(1)).cases == ("mine[workers=1]", "mine[workers=2]")

            def test_in_threads(graphlift_gate):
                import threading
                done = threading.Event()
                thread = threading.Thread(target=done.wait)
                thread.start()
                try:
                    assert graphlift_gate(CASE, engines=engines(1)).green
                finally:
                    done.set()
                    thread.join()

            @pytest.mark.xfail(strict=True)
            def test_it_fails_a_test(graphlift_gate):
                graphlift_gate(CASE, engines=engines(2))
            """
        )
    )
    run(project, "test_the_fixture.py").assert_outcomes(passed=6, xfailed=1)


IMPORTED = """
import sys
import graphlift.plugins.pytest_plugin
heavy = {"pydantic", "langgraph", "libcst", "typer", "rich", "networkx", "pathspec", "hypothesis", "yaml"}
print(sorted(heavy & set(sys.modules)))
"""


def test_loading_it_costs_nothing() -> None:
    import graphlift

    environment = {**os.environ, "PYTHONPATH": str(Path(next(iter(graphlift.__path__))).parent)}
    ran = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout == "[]\n"


def test_its_entry_point() -> None:
    import importlib.metadata

    points: Any = importlib.metadata.entry_points(group="pytest11")
    assert points["graphlift"].value == "graphlift.plugins.pytest_plugin"

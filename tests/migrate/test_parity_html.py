"""`graphlift parity --report html=FILE`: the page of a run, and of shards that were merged."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from graphlift.adapters.errors import EnvironmentProblem
from graphlift.migrate.gate_files import reporters
from graphlift.parity.reporters import builtin_reporters

GATE = """
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine
    from graphlift.plugins import hookimpl

    @hookimpl
    def graphlift_engines(project):
        return [OutcomeEngine(f"the {side}", side, run, ("gate.py",)) for side, run in (("legacy", walk), ("candidate", twice))]

    def walk(case, handlers):
        return {"success": True, "data": {"total": handlers["price"]({"n": case.inputs["n"]})}}

    def twice(case, handlers):
        if case.inputs["n"] % 2:
            walk(case, handlers)
        return walk(case, handlers)

    @hookimpl
    def graphlift_cases(project):
        price = lambda data: data["n"] * 2
        return [Case(f"order/{n}", "order", {}, {"n": n}, {"price": price}, edges={"price": []}) for n in range(4)]
"""


@pytest.fixture
def project(sandbox: Any) -> Any:
    sandbox.files({"graphlift.toml": 'plugins = ["gate"]\n', "gate.py": textwrap.dedent(GATE)})
    return sandbox


@pytest.mark.slow
def test_shards_that_are_merged_give_the_page_of_the_whole(project: Any) -> None:
    assert project.run("parity", "--report", "html=whole.html").code == 1
    for number in (1, 2):
        project.run("parity", "--shard", f"{number}/2", "--report", f"json=part{number}.json")
    merged = ("parity", "--merge", "part1.json", "--merge", "part2.json", "--report", "html=merged.html")
    assert project.run(*merged).code == 1
    whole, joined = (Path(project.root, name).read_text(encoding="utf-8") for name in ("whole.html", "merged.html"))
    assert joined == whole
    assert whole.count("<svg") == 4
    assert "order/3 under the candidate: 1 nodes; 2 activations" in whole
    assert str(project.root) not in whole


def test_a_library_that_is_missing_is_told_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plugins:
        def gather(self, hook: str) -> list[Any]:
            return list(builtin_reporters())

    monkeypatch.setattr("graphlift.parity.reporters.html_page.find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match="needs jinja2"):
        reporters(Plugins(), ["html=page.html"])  # type: ignore[arg-type]
    assert len(reporters(Plugins(), ["junit=page.xml"])) == 1  # type: ignore[arg-type]

"""`graphlift parity`, as a user runs it on a small project."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

GATE = """
    import os, threading, time
    from graphlift.parity import Case
    from graphlift.parity.engines import OutcomeEngine
    from graphlift.plugins import hookimpl

    print("imported")

    def once(case, handlers):
        return {"success": True, "data": handlers["a"](dict(case.inputs)), "nodes": {"a": {"status": "completed"}}}

    def graph(case, handlers):
        from shop import behaviour
        print("x" * 100_000)
        what = behaviour.WHAT.get(case.id, "same")
        if what == "twice":
            handlers["a"](dict(case.inputs))
        if what == "hang":
            handlers["b"]({})
        if what == "leave":
            os._exit(4)
        if what == "forks":
            if os.fork() == 0:
                return once(case, handlers)
            os.wait()
            handlers["a"](dict(case.inputs))
            return {**once(case, handlers), "data": {}}
        if what == "forks and leaves":
            if os.fork() == 0:
                return once(case, handlers)
            os.wait()
            os._exit(0)
        if what == "scribbles":
            for descriptor in range(3, 40):
                try:
                    os.write(descriptor, b"x\\n")
                except OSError:
                    pass  # not open, or nothing that is written to
        if what == "adds":
            return {**once(case, handlers), "data": {**case.inputs, "done": True, "trace": 5}}
        if what == "loses":
            return {**once(case, handlers), "data": {**case.inputs}}
        return once(case, handlers)

    def stuck(data):
        path = os.environ.get("GRAPHLIFT_TEST_STUCK")
        if path:
            open(path, "w").close()
        threading.Event().wait()

    HANDLERS = {"a": lambda data: {**data, "done": True}, "b": stuck}

    @hookimpl
    def graphlift_engines(project):
        return [
            OutcomeEngine("walker", "legacy", once, sources=("shop/walker.py",)),
            OutcomeEngine("graph", "candidate", graph, sources=("shop",)),
        ]

    @hookimpl
    def graphlift_cases(project):
        lock = threading.Lock()  # cannot be pickled
        return [
            Case(name, "order", {"steps": ["a"], "lock": lock}, {"n": 1}, HANDLERS, files=("flow.yaml",))
            for name in ("large", "small")
        ]
"""
CONFIG = """
plugins = ["gate"]
[parity]
timeout = 60
"""


def project(sandbox: Any, config: str = CONFIG, **what: str) -> Any:
    sandbox.files(
        {
            "graphlift.toml": config,
            "gate.py": textwrap.dedent(GATE),
            "shop/__init__.py": "",
            "shop/walker.py": "# the walker\n",
            "shop/behaviour.py": f"WHAT = {what!r}\n",
            "flow.yaml": "steps: [a]\n",
        }
    )
    return sandbox


def evidence(sandbox: Any) -> Any:
    return json.loads((sandbox.root / ".graphlift/parity.json").read_text(encoding="utf-8"))


def test_equal_engines_are_green(sandbox: Any) -> None:
    ran = project(sandbox).run("parity")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "green: 2 cases, 0 divergences")


def test_a_divergence_exits_with_1_and_says_why(sandbox: Any) -> None:
    ran = project(sandbox, small="twice").run("parity")
    assert ran.code == 1
    assert ran.out.splitlines()[:4] == [
        "GL101  small, node a, activation 2",
        "  legacy     ran 1 time",
        "  candidate  ran 2 times",
        "  cause      under the candidate, a#2 saw the same as a#1, and no other node began in between",
    ]
    assert ran.out.splitlines()[-1] == "red: 2 cases, 1 divergence"


def test_a_crash_and_a_hang_cost_one_case_each(sandbox: Any) -> None:
    config = CONFIG.replace("60", "2")
    ran = project(sandbox, config, small="leave", large="hang").run("parity", "--format", "json")
    assert ran.code == 1
    first = [item for item in ran.json()["divergences"] if item["follows"] is None]
    assert [(item["rule"], item["case"], item["node"], item["candidate"]) for item in first] == [
        ("GL202", "large", "b", "did not end within 2 s"),
        ("GL201", "small", None, "its process ended with exit code 4"),
    ]


def test_what_user_code_prints_does_not_touch_the_report(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--format", "json")
    assert ran.json()["verdict"] == "green"
    assert ran.err == "imported\n"
    ran = sandbox.run("parity", "--in-process", "--format", "json")
    assert ran.json()["verdict"] == "green"
    assert "x" * 1000 in ran.err


def test_in_process_gives_the_same_report(sandbox: Any) -> None:
    project(sandbox, small="twice")
    isolated, here = (sandbox.run("parity", *more, "--format", "json") for more in ((), ("--in-process",)))
    assert (isolated.code, isolated.out) == (here.code, here.out)


def test_the_evidence_file(sandbox: Any) -> None:
    project(sandbox, small="twice").run("parity")
    found = evidence(sandbox)
    assert (found["schema"], found["verdict"], found["cases"], found["partial"]) == (1, "red", 2, False)
    assert found["families"]["run count"] == {"verdict": "red", "count": 1, "known": 0, "flaky": 0, "complete": True}
    assert found["families"]["values"] == {"verdict": "green", "count": 0, "known": 0, "flaky": 0, "complete": True}
    assert sorted(found["evidence"]["files"]) == [
        "flow.yaml",
        "gate.py",
        "graphlift-divergences.toml",
        "graphlift.toml",
        "shop/__init__.py",
        "shop/behaviour.py",
        "shop/walker.py",
    ]
    assert found["evidence"]["files"]["graphlift-divergences.toml"] == "absent"
    assert set(found["evidence"]["engines"]) == {"legacy", "candidate"}
    (divergence,) = found["divergences"]
    assert divergence == {
        "rule": "GL101",
        "case": "small",
        "node": "a",
        "activation": 1,
        "family": "run count",
        "legacy": "ran 1 time",
        "candidate": "ran 2 times",
        "cause": "under the candidate, a#2 saw the same as a#1, and no other node began in between",
        "mend": "look for what starts a: its edges do not explain a second call",
        "paths": [],
        "schedule": "",
        "subject": "",
        "known": False,
        "reason": None,
        "follows": None,
    }
    assert (sandbox.root / ".graphlift/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_evidence_is_the_same_twice_and_changes_with_a_source(sandbox: Any) -> None:
    project(sandbox)
    sandbox.run("parity")
    first = evidence(sandbox)
    sandbox.run("parity")
    assert evidence(sandbox) == first
    sandbox.files({"shop/walker.py": "# another walker\n"})
    sandbox.run("parity")
    changed = evidence(sandbox)["evidence"]
    assert changed["engines"]["legacy"] != first["evidence"]["engines"]["legacy"]
    assert changed["files"]["shop/walker.py"] != first["evidence"]["files"]["shop/walker.py"]


def test_one_case_alone_leaves_the_evidence_of_the_whole(sandbox: Any) -> None:
    project(sandbox, small="twice").run("parity")
    before = evidence(sandbox)
    ran = sandbox.run("parity", "--case", "large")
    assert (ran.code, ran.out.splitlines()[-1]) == (
        0,
        "red: 1 case, 0 divergences, partial: not every case ran, so nothing is proved",
    )
    assert evidence(sandbox) == before
    assert sandbox.run("parity", "--case", "small").code == 1


def test_a_case_that_does_not_exist(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--case", "medium")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no case 'medium'" in ran.err
    assert "the cases are large, small" in ran.err


def test_list(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--list")
    assert (ran.code, ran.out.splitlines()) == (
        0,
        ["legacy     walker", "candidate  graph", "case       large  (order)", "case       small  (order)"],
    )
    listed = sandbox.run("parity", "--list", "--format", "json").json()
    assert [item["id"] for item in listed["cases"]] == ["large", "small"]
    assert {item["side"]: item["name"] for item in listed["engines"]} == {"legacy": "walker", "candidate": "graph"}
    assert not (sandbox.root / ".graphlift").exists()


def test_explain(sandbox: Any) -> None:
    ran = sandbox.run("parity", "--explain", "GL101")
    assert ran.code == 0
    assert ran.out.startswith("GL101 (run count): a node ran a different number of times\n\n")
    page = sandbox.run("parity", "--explain", "GL101", "--format", "json").json()
    assert set(page) == {"id", "family", "summary", "explanation", "mend"}


def test_explain_a_rule_that_does_not_exist(sandbox: Any) -> None:
    ran = sandbox.run("parity", "--explain", "GL999")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no rule 'GL999'" in ran.err
    assert "GL101" in ran.err


ACCEPT = ("--accept", "GL101", "--case", "small", "--reason", "the graph retries", "--owner", "ada")


def test_accept_makes_it_green_until_it_expires(sandbox: Any) -> None:
    project(sandbox, small="twice")
    ran = sandbox.run("parity", *ACCEPT, "--expires", "2999-01-01")
    assert (ran.code, ran.out) == (0, "graphlift-divergences.toml: listed GL101 in small, until 2999-01-01\n")
    assert ran.err.splitlines()[-1] == "warning: 2999-01-01 is more than a year away, which is as good as never"
    ran = sandbox.run("parity")
    assert ran.code == 0
    assert "known:\n  GL101  small, node a, activation 2: the graph retries\n" in ran.out
    ran = sandbox.run("parity", *ACCEPT, "--expires", "2998-01-01")
    assert ran.out == "graphlift-divergences.toml: renewed GL101 in small, until 2998-01-01\n"
    path = sandbox.root / "graphlift-divergences.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("2998", "2001"), encoding="utf-8")
    ran = sandbox.run("parity")
    assert ran.code == 1
    assert "expired: GL101 in small expired on 2001-01-01" in ran.out


def test_several_rules_and_cases_are_accepted_at_once_and_what_people_wrote_stays(sandbox: Any) -> None:
    project(sandbox, small="twice", large="twice")
    sandbox.files({"graphlift-divergences.toml": "# Ask Ada before you add one.\n"})
    ran = sandbox.run("parity", *ACCEPT, "--case", "large", "--expires", "2999-01-01")
    assert (ran.code, len(ran.out.splitlines())) == (0, 2)
    assert sandbox.run("parity").out.splitlines()[-1] == "green: 2 cases, 0 divergences, 2 known"
    ran = sandbox.run("parity", *ACCEPT, "--accept", "GL110", "--expires", "2999-01-01", "--format", "json")
    assert [(item["entry"]["rule"], item["entry"]["case"], item["renewed"]) for item in ran.json()["accepted"]] == [
        ("GL101", "small", True),
        ("GL110", "small", False),
    ]
    assert (sandbox.root / "graphlift-divergences.toml").read_text(encoding="utf-8").startswith("# Ask Ada")
    assert "unmatched: GL110 in small" in sandbox.run("parity").out


def test_more_of_a_known_divergence_than_its_entry_allows_fails(sandbox: Any) -> None:
    project(sandbox, small="twice", large="twice")
    sandbox.run("parity", *ACCEPT[:3], "*", *ACCEPT[4:], "--expires", "2999-01-01")
    ran = sandbox.run("parity")
    assert ran.code == 1
    assert "exceeded: GL101 in * was found 2 times, at most 1 are listed" in ran.out
    sandbox.run("parity", *ACCEPT[:3], "*", *ACCEPT[4:], "--expires", "2999-01-01", "--at-most", "2")
    assert sandbox.run("parity").code == 0


def test_the_ratchet_caps_the_known_divergences(sandbox: Any) -> None:
    project(sandbox, small="twice")
    sandbox.run("parity", *ACCEPT, "--expires", "2999-01-01")
    sandbox.files({"ratchet.toml": '[[rule]]\nid = "known"\nmetric = "divergences"\n'})
    ran = sandbox.run("ratchet", "--absolute")
    assert (ran.code, "1, and the cap is 0 [grown] (divergences:GL101::small)" in ran.out) == (1, True)


def test_an_entry_that_is_not_needed_any_more_fails(sandbox: Any) -> None:
    project(sandbox).run("parity", *ACCEPT, "--expires", "2999-01-01")
    ran = sandbox.run("parity")
    assert ran.code == 1
    assert "unmatched: GL101 in small does not happen (any more): delete the entry" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (ACCEPT, "--accept needs --expires"),
        ((*ACCEPT, "--expires", "soon"), "--expires: 'soon' is not a date"),
        ((*ACCEPT, "--expires", "2001-01-01"), "--expires: 2001-01-01 is past"),
        ((*ACCEPT, "--expires", "2999-01-01", "--verdict", "fine"), "--verdict"),
        ((*ACCEPT[:2], *ACCEPT[4:], "--expires", "2999-01-01"), "--accept needs a --case"),
        (("--accept", "GL9", *ACCEPT[2:], "--expires", "2999-01-01"), "there is no rule 'GL9'"),
        ((*ACCEPT[:6], "--expires", "2999-01-01"), "--accept needs --owner"),
    ],
)
def test_accept_refuses_what_is_incomplete(sandbox: Any, arguments: tuple[str, ...], message: str) -> None:
    ran = project(sandbox).run("parity", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert not (sandbox.root / "graphlift-divergences.toml").exists()


def test_a_baseline_that_is_wrong_is_told_with_its_line(sandbox: Any) -> None:
    project(sandbox)
    sandbox.files({"graphlift-divergences.toml": "# ours\n\n[[divergence]]\nrule = 'GL101'\n"})
    ran = sandbox.run("parity")
    assert ran.code == 2
    assert "graphlift-divergences.toml:3: divergence 1: case: Field required" in ran.err


def test_reports(sandbox: Any) -> None:
    project(sandbox, small="twice")
    names = {"junit": "j.xml", "markdown": "m.md", "github": "g.txt", "text": "t.txt", "json": "r.json"}
    ran = sandbox.run("parity", *(item for pair in names.items() for item in ("--report", "=".join(pair))))
    assert ran.code == 1
    files = {name: (sandbox.root / path).read_text(encoding="utf-8") for name, path in names.items()}
    assert files["text"] == ran.out
    assert json.loads(files["json"]) == evidence(sandbox)
    assert ET.fromstring(files["junit"])[0].get("failures") == "1"
    assert files["markdown"].startswith("## Parity gate\n")
    assert files["github"].startswith("::error title=GL101 small%2C node a%2C activation 2::")


@pytest.mark.parametrize("wanted", ["junit", "junit=", "=x", "nothing=x"])
def test_a_report_that_does_not_exist(sandbox: Any, wanted: str) -> None:
    ran = project(sandbox).run("parity", "--report", wanted)
    assert (ran.code, ran.out) == (2, "")
    assert "the ids are github, " in ran.err


def test_a_report_that_cannot_be_written(sandbox: Any) -> None:
    ran = project(sandbox).run("parity", "--report", "junit=nowhere/j.xml")
    assert (ran.code, "j.xml cannot be written" in ran.err) == (2, True)


def test_without_a_configuration(sandbox: Any) -> None:
    ran = sandbox.run("parity")
    assert (ran.code, "run `graphlift init`" in ran.err) == (2, True)


def test_without_an_engine(sandbox: Any) -> None:
    sandbox.files({"graphlift.toml": ""})
    ran = sandbox.run("parity")
    assert (ran.code, "the parity gate needs exactly one legacy engine" in ran.err) == (2, True)


def test_a_plugin_that_cannot_be_imported(sandbox: Any) -> None:
    sandbox.files(
        {"graphlift.toml": CONFIG, "gate.py": "import nothing_like_this\n\ndef graphlift_engines(project): ...\n"}
    )
    ran = sandbox.run("parity")
    assert (ran.code, "plugin 'gate' cannot be imported: ModuleNotFoundError" in ran.err) == (3, True)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_out_of_the_project_is_not_followed(sandbox: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project(sandbox)
    (sandbox.root / ".graphlift").symlink_to(outside)
    ran = sandbox.run("parity")
    assert (ran.code, ".graphlift/parity.json is a link" in ran.err) == (2, True)
    (sandbox.root / "graphlift-divergences.toml").symlink_to(outside / "x.toml")
    ran = sandbox.run("parity", *ACCEPT, "--expires", "2999-01-01")
    assert (ran.code, "graphlift-divergences.toml is a link" in ran.err) == (2, True)
    assert list(outside.iterdir()) == []


def test_a_folder_below_the_root_works_too(sandbox: Any) -> None:
    project(sandbox)
    ran = sandbox.run("-C", "shop", "parity")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "green: 2 cases, 0 divergences")
    assert evidence(sandbox)["verdict"] == "green"


def _interrupted(sandbox: Any, stuck: Path) -> tuple[int, str]:
    """Run the gate, and press Ctrl-C once its last case hangs: the exit code and the output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "graphlift.migrate", "parity", "-j", "1"],
        cwd=sandbox.root,
        env={**os.environ, "GRAPHLIFT_TEST_STUCK": str(stuck)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        # Whoever started the tests in the background may have them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        while not stuck.exists():
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_leaves_a_partial_report(sandbox: Any, tmp_path: Path) -> None:
    project(sandbox, small="hang")
    code, out = _interrupted(sandbox, tmp_path / "stuck")
    assert code == 1
    assert out.splitlines()[-1] == "red: 1 case, 0 divergences, partial: not every case ran, so nothing is proved"
    found = evidence(sandbox)
    assert (found["partial"], found["verdict"], found["case_ids"]) == (True, "red", ["large"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_that_found_nothing_takes_no_evidence_away(sandbox: Any, tmp_path: Path) -> None:
    assert project(sandbox).run("parity").code == 0
    before = evidence(sandbox)
    project(sandbox, small="hang")
    assert _interrupted(sandbox, tmp_path / "stuck")[0] == 1
    assert evidence(sandbox) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_child_of_the_run_does_not_answer_in_its_place(sandbox: Any) -> None:
    ran = project(sandbox, small="forks", large="forks and leaves").run("parity", "--format", "json")
    first = {(item["case"], item["rule"]) for item in ran.json()["divergences"]}
    assert {("small", "GL101"), ("small", "GL151"), ("large", "GL201")} <= first
    assert ran.code == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="/proc")
def test_who_writes_into_the_gates_pipe_costs_its_own_case(sandbox: Any) -> None:
    ran = project(sandbox, small="scribbles").run("parity", "--format", "json")
    assert ran.code == 1
    first, *rest = ran.json()["divergences"]
    told = "its process wrote into the gate's own pipe, which it did not open"
    assert (first["case"], first["rule"], first["candidate"]) == ("small", "GL201", told)
    assert {item["case"] for item in rest} <= {"small"}


def test_without_its_own_rules_the_gate_does_not_run(sandbox: Any) -> None:
    ran = project(sandbox).run("--no-plugin", "rules", "parity")
    assert (ran.code, ran.out) == (2, "")
    assert "the gate lacks GL101, GL102, GL103 and" in ran.err
    assert not (sandbox.root / ".graphlift").exists()


@pytest.mark.parametrize("text", ["{}", "[]", "null", "", '{"schema": 1}', '{"schema": 1, "evidence": 3}'])
def test_what_is_no_report_is_not_merged(sandbox: Any, text: str) -> None:
    project(sandbox).files({"bad.json": text})
    ran = sandbox.run("parity", "--merge", "bad.json")
    assert (ran.code, "bad.json" in ran.err or "another schema" in ran.err) == (2, True)


def test_an_entry_is_about_the_places_that_the_last_run_showed(sandbox: Any) -> None:
    project(sandbox, small="adds")
    assert sandbox.run("parity").code == 1
    arguments = ("--accept", "GL151", "--case", "small", "--reason", "r", "--owner", "o", "--expires", "2999-01-01")
    ran = sandbox.run("parity", *arguments)
    assert ran.out == "graphlift-divergences.toml: listed GL151 in small (trace), until 2999-01-01\n"
    assert sandbox.run("parity").out.splitlines()[-1] == "green: 2 cases, 0 divergences, 1 known"
    project(sandbox, small="loses")
    ran = sandbox.run("parity")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "red: 2 cases, 1 divergence, 1 baseline entry out of order")
    ran = sandbox.run("parity", *arguments[:3], "smal", *arguments[4:])
    assert (ran.code, "the last run of the gate had no case 'smal'" in ran.err) == (2, True)


def test_a_part_that_is_red_leaves_no_older_green_evidence_behind(sandbox: Any) -> None:
    import json

    path = project(sandbox, large="twice").root / ".graphlift" / "parity.json"
    assert sandbox.run("parity").code == 1
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "verdict": "green"}), encoding="utf-8")
    assert sandbox.run("parity", "--case", "small").code == 0
    assert json.loads(path.read_text(encoding="utf-8"))["verdict"] == "green"
    assert sandbox.run("parity", "--case", "large").code == 1
    assert json.loads(path.read_text(encoding="utf-8"))["verdict"] == "red"


def test_a_report_never_replaces_a_source_file_or_follows_a_link(sandbox: Any, tmp_path: Any) -> None:
    (project(sandbox).root / "link.xml").symlink_to(tmp_path / "outside.xml")
    before = (sandbox.root / "shop" / "walker.py").read_text(encoding="utf-8")
    for name in ("shop/walker.py", "link.xml"):
        ran = sandbox.run("parity", "--report", f"junit={name}")
        assert (ran.code, "--report: " in ran.err) == (2, True)
    assert (sandbox.root / "shop" / "walker.py").read_text(encoding="utf-8") == before
    assert not (tmp_path / "outside.xml").exists()
    sandbox.files({"graphlift.toml": CONFIG + 'report = "shop/walker.py"\n'})
    assert "graphlift.toml:5: parity.report" in sandbox.run("parity").err

"""The pipelines that `graphlift ci` writes, the action and the hooks: well-formed, and their shell does what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphlift.migrate.ci import steps

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the services run these scripts in a Linux shell")
ROOT = Path(__file__).parents[3]
TOML = 'plugins = ["cases"]\n[[symbol]]\nlegacy = "old.Walker"\nto = "new.Runner"\n'
FILES = {
    "graphlift.toml": TOML + '[parity]\ntimeout = 20\n',
    "old.py": "class Walker:\n    def run(self, names):\n        return {'success': True, 'data': {'names': list(names)}}\n",
    "new.py": "class Runner:\n    def run(self, names):\n        return {'success': True, 'data': {'names': list(names)}}\n",
    "app.py": "from old import Walker\n\n\ndef go():\n    return Walker().run('ab')\n",
    "cases.py": '''\
from graphlift.plugins import hookimpl


@hookimpl
def graphlift_engines(project):
    from graphlift.parity.engines import OutcomeEngine
    from new import Runner
    from old import Walker

    return [
        OutcomeEngine("walker", "legacy", lambda case, _: Walker().run(case.inputs["names"]), ("old.py",)),
        OutcomeEngine("graph", "candidate", lambda case, _: Runner().run(case.inputs["names"]), ("new.py",)),
    ]


@hookimpl
def graphlift_cases(project):
    from graphlift.parity import Case

    return [Case("ab", "flow", {}, {"names": "ab"}, {})]
''',
    "ratchet.toml": '[[rule]]\nid = "app"\nmetric = "lines"\npaths = ["app.py"]\n',
    "ratchet.lock": "5 lines:app.py\n",
    ".gitignore": ".graphlift/\n__pycache__/\n",
}  # fmt: skip


@pytest.fixture
def shop(repo: Any) -> Any:
    repo.files(FILES)
    repo.commit()
    return repo


def printed(repo: Any, service: str) -> Any:
    said = repo.run("ci", service, "--format", "json")
    assert said.code == 0
    return yaml.safe_load(said.json()["files"][0]["text"])


def named(job: Any, name: str) -> Any:
    return next(step for step in job["steps"] if step.get("name") == name)


# The shapes: only keys that the services know, of the kinds that they take.

STEP = {"name": str, "id": str, "if": str, "uses": str, "run": str, "with": dict, "env": dict, "shell": str,
        "working-directory": str, "continue-on-error": bool}  # fmt: skip
JOB = {
    "name": str,
    "needs": list,
    "if": str,
    "runs-on": str,
    "timeout-minutes": int,
    "permissions": dict,
    "steps": list,
}
EVENTS = {"pull_request", "merge_group", "push"}
RIGHTS = {"contents": {"read"}, "security-events": {"write"}, "pull-requests": {"write"}}
GITLAB_JOB = {"image": str, "rules": list, "variables": dict, "before_script": list, "script": list, "artifacts": dict,
              "extends": str, "needs": list}  # fmt: skip


def conforms(table: dict[str, Any], keys: dict[str, type]) -> None:
    for key, value in table.items():
        assert key in keys, key
        assert isinstance(value, keys[key]), (key, value)


def step_conforms(step: dict[str, Any]) -> None:
    conforms(step, STEP)
    assert ("run" in step) != ("uses" in step)
    assert re.fullmatch(r"[\w./-]+@v\d+", step.get("uses", "a/b@v1"))
    assert all(isinstance(value, str) for value in step.get("env", {}).values())


def test_the_workflow_has_the_shape_of_one(shop: Any) -> None:
    workflow = printed(shop, "github")
    triggers = workflow.pop(True)  # YAML 1.1 reads the key `on` as true, and so does GitHub's own reader allow it
    assert (set(triggers), triggers["push"]) == (EVENTS, {"branches": ["main"]})
    assert set(workflow) == {"name", "permissions", "concurrency", "defaults", "jobs"}
    for name, job in workflow["jobs"].items():
        conforms(job, JOB)
        assert set(job.get("needs", [])) <= set(workflow["jobs"]) - {name}
        assert all(value in RIGHTS[key] for key, value in job["permissions"].items())
        for step in job["steps"]:
            step_conforms(step)
            assert "${{" not in step.get("run", "")
    # What runs the project's own code may write nothing.
    assert workflow["jobs"]["parity"]["permissions"] == {"contents": "read"}


def test_the_history_is_fetched_where_the_ratchet_runs(shop: Any) -> None:
    jobs = printed(shop, "github")["jobs"]
    assert jobs["checks"]["steps"][0]["with"]["fetch-depth"] == 0
    assert printed(shop, "gitlab")[".graphlift"]["variables"] == {"GIT_DEPTH": "0"}


def test_the_pipeline_has_the_shape_of_one(shop: Any) -> None:
    jobs = printed(shop, "gitlab")
    assert list(jobs) == [
        ".graphlift",
        "graphlift-ratchet",
        "graphlift-inventory",
        "graphlift-parity",
        "graphlift-status",
    ]
    for name, job in jobs.items():
        conforms(job, GITLAB_JOB)
        assert ("script" in job) != name.startswith(".")
        assert all(isinstance(line, str) for line in (*job.get("script", []), *job.get("before_script", [])))
        assert job.get("extends", ".graphlift") == ".graphlift"
        assert all(need["job"] in jobs for need in job.get("needs", []))
        assert set(job.get("artifacts", {})) <= {"when", "paths", "reports"}


def test_only_what_the_project_has_is_in_it(repo: Any) -> None:
    repo.files({"graphlift.toml": '[[symbol]]\nlegacy = "old.Walker"\n'})
    workflow, pipeline = printed(repo, "github"), printed(repo, "gitlab")
    assert list(workflow["jobs"]) == ["checks", "status"]
    assert [step.get("name") for step in workflow["jobs"]["checks"]["steps"][2:4]] == ["Install graphlift", "Inventory"]
    assert list(pipeline) == [".graphlift", "graphlift-inventory", "graphlift-status"]
    assert "No ratchet yet" in repo.run("ci", "github").out


def test_the_project_is_installed_for_the_gate_only(shop: Any) -> None:
    shop.files({"requirements.txt": "flask\n", ".python-version": "3.13\n"})
    jobs = printed(shop, "github")["jobs"]
    assert jobs["parity"]["steps"][1]["with"] == {
        "python-version": "3.13", "cache": "pip", "cache-dependency-path": "requirements.txt\n",
    }  # fmt: skip
    assert named(jobs["parity"], "Install the project and graphlift")["run"].splitlines()[0] == (
        "python -m pip install --quiet -r requirements.txt"
    )
    assert "requirements" not in named(jobs["checks"], "Install graphlift")["run"]


# Writing.


def test_a_new_file_is_written_and_the_same_one_is_left(shop: Any) -> None:
    said = shop.run("ci", "github", "--write")
    assert (said.code, said.out) == (0, "wrote .github/workflows/graphlift.yml\n")
    assert shop.read(".github/workflows/graphlift.yml").rstrip() == shop.run("ci", "github").out.rstrip()
    said = shop.run("ci", "github", "--write")
    assert (said.code, said.out) == (0, ".github/workflows/graphlift.yml is up to date\n")


def test_a_file_that_differs_is_shown_and_kept(shop: Any) -> None:
    shop.run("ci", "github", "--write")
    edited = shop.read(".github/workflows/graphlift.yml").replace("ubuntu-latest", "ours")
    shop.files({".github/workflows/graphlift.yml": edited})
    said = shop.run("ci", "github", "--write")
    assert said.code == 1
    assert "-    runs-on: ours\n+    runs-on: ubuntu-latest\n" in said.out
    assert "differs from that and was not touched; --replace writes the new one" in said.out
    assert shop.read(".github/workflows/graphlift.yml") == edited
    said = shop.run("ci", "github", "--write", "--replace")
    assert (said.code, said.out) == (0, "replaced .github/workflows/graphlift.yml\n")
    assert "ours" not in shop.read(".github/workflows/graphlift.yml")


def test_gitlab_includes_it_or_says_so(shop: Any) -> None:
    assert shop.run("ci", "gitlab", "--write").out == "wrote .gitlab/graphlift.yml\nwrote .gitlab-ci.yml\n"
    assert yaml.safe_load(shop.read(".gitlab-ci.yml")) == {"include": [{"local": ".gitlab/graphlift.yml"}]}
    assert shop.run("ci", "--write").out == ".gitlab/graphlift.yml is up to date\n"
    shop.files({".gitlab-ci.yml": "stages: [test]\n"})
    said = shop.run("ci", "--write")
    assert said.out.endswith("add to .gitlab-ci.yml:\ninclude:\n  - local: .gitlab/graphlift.yml\n")
    assert shop.read(".gitlab-ci.yml") == "stages: [test]\n"


def test_a_project_inside_of_a_repository_is_told_where_the_file_belongs(repo: Any) -> None:
    inner = type(repo)(repo.root / "services" / "flows")
    inner.files({"graphlift.toml": '[[symbol]]\nlegacy = "old.Walker"\n'})
    said = inner.run("ci", "github", "--write")
    assert (said.code, "`working-directory: services/flows`" in said.error) == (2, True)
    assert inner.run("ci", "github").code == 0


def test_wrong_words(shop: Any) -> None:
    assert shop.run("ci", "jenkins").code == 2
    assert shop.run("ci", "github", "--replace").code == 2


def test_nothing_is_written_through_a_link(shop: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (shop.root / ".github").symlink_to(tmp_path / "elsewhere")
    assert shop.run("ci", "github", "--write").code == 3
    assert not list((tmp_path / "elsewhere").iterdir())


# The shell, step by step.


@pytest.fixture
def clone(shop: Any, runner: Any) -> Any:
    """What a runner has checked out: all history, a branch, and the remote's main."""
    runner.project = runner.root / "work"
    subprocess.run(["git", "clone", "--quiet", f"file://{shop.root}", str(runner.project)], check=True)
    found = type(shop)(runner.project)
    found.git("config", "user.name", "Tess Ter")
    found.git("config", "user.email", "tess@example.org")
    found.git("switch", "--quiet", "--create", "topic")
    runner.environment = {"GITHUB_REPOSITORY": "acme/shop", "GITHUB_BASE_REF": "main"}
    return found


def test_the_ratchet_step_compares_with_the_merge_base(clone: Any, runner: Any) -> None:
    step = named(printed(clone, "github")["jobs"]["checks"], "Ratchet")
    assert runner.step(step).returncode == 0
    clone.files({"app.py": FILES["app.py"] + "x = 1\n"})
    clone.commit()
    ran = runner.step(step)
    assert (ran.returncode, ran.stdout.startswith("::error file=app.py,line=1,")) == (1, True)


def test_the_install_steps_quote_what_they_install(clone: Any, runner: Any) -> None:
    clone.files({"requirements.txt": "flask\n", "app.py": "import langgraph.checkpoint.sqlite\n"})
    jobs = printed(clone, "github")["jobs"]
    assert runner.step(named(jobs["checks"], "Install graphlift")).returncode == 0
    assert runner.step(named(jobs["parity"], "Install the project and graphlift")).returncode == 0
    words = [call.replace("[-m] [pip] [install] [--quiet] ", "") for call in runner.calls]
    release = re.search(r"~=[\d.]+", words[0])[0]  # type: ignore[index]
    assert words == [
        f"python [graphlift{release}]", "python [-r] [requirements.txt]", f"python [graphlift[sqlite]{release}]",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_inventory_step_writes_sarif_also_where_it_is_red(clone: Any, runner: Any) -> None:
    step = named(printed(clone, "github")["jobs"]["checks"], "Inventory")
    assert runner.step(step).returncode == 0
    assert runner.summary.startswith("## Inventory\n\n6 references in 3 files")
    clone.files({"broken.py": "from old import Walker\nWalker(\n"})
    assert runner.step(step).returncode == 1
    sarif = json.loads((runner.root / "temp" / "inventory.sarif").read_text())
    assert sarif["version"] == "2.1.0"


@pytest.mark.slow
def test_the_gate_its_evidence_and_the_status(clone: Any, runner: Any) -> None:
    jobs = printed(clone, "github")["jobs"]
    gate = named(jobs["parity"], "Parity gate")
    assert runner.step(gate).returncode == 0
    kept = {step["name"]: step["with"]["path"] for step in jobs["parity"]["steps"] if "path" in step.get("with", {})}
    assert (clone.root / kept["Keep the evidence"]).is_file()
    reports = Path(runner.fill(kept["Keep the reports"], {}))
    assert sorted(path.name for path in reports.iterdir()) == ["annotations", "parity.md", "parity.xml"]
    assert runner.step(named(jobs["status"], "Status")).returncode == 0
    assert "engines agree | green: 1 case, 0 known divergences" in runner.summary
    clone.files({"new.py": FILES["new.py"].replace("list(names)", "sorted(names)[::-1]")})
    ran = runner.step(gate)
    assert (ran.returncode, "::error" in ran.stdout) == (1, True)


def comment(clone: Any, runner: Any) -> list[str]:
    (runner.root / "temp" / "status.md").write_text("### Migration: 1 of 7 stages\n")
    step = named(printed(clone, "github")["jobs"]["status"], "Comment on the pull request")
    ran = runner.step(step, **{"github.event.pull_request.number": "7"})
    assert ran.returncode == 0, ran.stderr
    return runner.calls  # type: ignore[no-any-return]


def test_the_comment_is_new_the_first_time(clone: Any, runner: Any) -> None:
    file = runner.root / "temp" / "status.md.comment"
    assert comment(clone, runner)[-1] == (
        f"gh [api] [--silent] [--method] [POST] [repos/acme/shop/issues/7/comments] [--field] [body=@{file}]"
    )
    assert file.read_text() == f"{steps.MARK}\n### Migration: 1 of 7 stages\n"


def test_the_comment_is_kept_up_to_date(clone: Any, runner: Any) -> None:
    runner.knows("41\n42\n")
    assert "[PATCH] [repos/acme/shop/issues/comments/41]" in comment(clone, runner)[-1]


GITLAB = {"CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_ID": "3", "STATUS": ".graphlift/status.md"}


@pytest.mark.slow
def test_every_script_of_the_gitlab_pipeline(clone: Any, runner: Any) -> None:
    jobs = printed(clone, "gitlab")
    for name, job in jobs.items():
        for script in (*job.get("before_script", []), *job.get("script", [])):
            ran = runner.run(script, **{**GITLAB, **job.get("variables", {})})
            assert ran.returncode == 0, (name, ran.stderr)
        for path in job.get("artifacts", {}).get("paths", []):
            assert (clone.root / path).is_file(), path
    assert "no comment: this is no merge request" in ran.stdout
    assert clone.git("status", "--porcelain") == ""
    runner.knows([{"id": 8, "body": "hello"}, {"id": 9, "body": f"{steps.MARK}\nold"}])
    ran = runner.run(jobs["graphlift-status"]["script"][0], CI_MERGE_REQUEST_IID="5", GRAPHLIFT_TOKEN="t", **GITLAB)
    assert ran.returncode == 0, ran.stderr
    assert "[--request] [PUT] [https://gitlab.example/api/v4/projects/3/merge_requests/5/notes/9]" in runner.calls[-1]
    runner.knows([])
    runner.run(jobs["graphlift-status"]["script"][0], CI_MERGE_REQUEST_IID="5", GRAPHLIFT_TOKEN="t", **GITLAB)
    assert "[--request] [POST] [https://gitlab.example/api/v4/projects/3/merge_requests/5/notes]" in runner.calls[-1]


# The composite action and the hooks of this repository.


def action() -> Any:
    return yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))


def test_the_action_has_the_shape_of_one() -> None:
    made = action()
    assert set(made) == {"name", "description", "inputs", "outputs", "runs"}
    assert all(set(item) == {"description", "default"} for item in made["inputs"].values())
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(made["runs"])))
    assert used == set(made["inputs"])
    for step in made["runs"]["steps"]:
        step_conforms(step)
        assert ("shell" in step) == ("run" in step)
        assert "${{" not in step.get("run", "")


def test_the_action_runs_what_the_workflow_runs(shop: Any) -> None:
    jobs = printed(shop, "github")["jobs"]
    for job, name in (("checks", "Ratchet"), ("checks", "Inventory"), ("parity", "Parity gate"), ("status", "Status")):
        assert named(action()["runs"], name)["run"] == named(jobs[job], name)["run"]


def test_the_action_installs_the_checkout_that_it_is_part_of(runner: Any) -> None:
    step = named(action()["runs"], "Install graphlift")
    assert runner.step(step, **{"inputs.extras": ""}).returncode == 0
    runner.environment["GITHUB_ACTION_PATH"] = "/somewhere/action"
    assert runner.step(step, **{"inputs.extras": "sqlite"}).returncode == 0
    assert runner.calls[-1] == "python [-m] [pip] [install] [--quiet] [/somewhere/action/..[sqlite]]"
    assert (runner.root / "output").read_text().splitlines()[-1] == f"files={runner.root}/temp/graphlift"
    assert (ROOT / "action" / ".." / "pyproject.toml").is_file()


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
HOOK = {"id": str, "name": str, "description": str, "entry": str, "language": str, "pass_filenames": bool,
        "always_run": bool, "stages": list, "types_or": list}  # fmt: skip


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_passes_and_fails(shop: Any, hook: dict[str, Any]) -> None:
    conforms(hook, HOOK)
    assert hook["language"] == "python"
    breaks = {
        "graphlift-ratchet": {"app.py": FILES["app.py"] + "x = 1\n"},
        "graphlift-inventory": {"broken.py": "from old import Walker\nWalker(\n"},
        "graphlift-lint": {
            "graph.py": "from langgraph.graph import StateGraph\n\n\ndef wire(g: StateGraph, needs):\n    for one in needs:\n        g.add_edge(one, 'join')\n"
        },
    }
    program, *words = hook["entry"].split()
    assert program == "graphlift"
    names = [] if hook.get("pass_filenames", True) is False else ["app.py"]
    assert shop.run(*words, *names).code == 0
    shop.files(breaks[hook["id"]])
    shop.git("add", "--all")
    names = [] if hook.get("pass_filenames", True) is False else ["app.py", "graph.py"]
    assert shop.run(*words, *names).code == 1
    assert sorted(item["id"] for item in HOOKS) == sorted(breaks)

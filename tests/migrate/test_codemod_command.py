"""`graphlift codemod` as a user runs it: plan, patch, apply, undo, selection, exit codes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

CONFIG = """\
[[symbol]]
legacy = "legacy.walker.BFSWalker"
called = "flows.engine.build_graph"
type = "flows.engine.GraphRunner"
arguments = { add = { strict = "False" } }
"""
FILES = {
    "graphlift.toml": CONFIG,
    "legacy/__init__.py": "from .walker import BFSWalker\n",
    "legacy/walker.py": "class BFSWalker:\n    def __init__(self, n): ...\n",
    "flows/__init__.py": "",
    "flows/engine.py": "def build_graph(n, strict): ...\nclass GraphRunner: ...\n",
    "app/__init__.py": "",
    "app/jobs.py": "from legacy.walker import BFSWalker\n\n\ndef go(n):\n    return BFSWalker(n)\n",
    "app/typed.py": "from legacy import BFSWalker\n\n\ndef f(w: BFSWalker): ...\n",
    "app/odd.py": "from legacy.walker import BFSWalker\n\n\nclass Odd(BFSWalker): ...\n",
    "tests/test_jobs.py": 'from unittest.mock import patch\n\nm = patch("app.jobs.BFSWalker")\n',
}
AFTER = {
    "app/jobs.py": "from flows.engine import build_graph\n\n\ndef go(n):\n    return build_graph(n, strict=False)\n",
    "app/typed.py": "from flows.engine import GraphRunner\n\n\ndef f(w: GraphRunner): ...\n",
    "tests/test_jobs.py": 'from unittest.mock import patch\n\nm = patch("app.jobs.build_graph")\n',
}


def git(root: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, input=stdin).stdout


@pytest.fixture
def shop(sandbox):
    sandbox.files(FILES)
    (sandbox.root / ".git").rmdir()
    git(sandbox.root, "init", "-q")
    git(sandbox.root, "add", "-A")
    git(sandbox.root, "commit", "-qm", "all")
    return sandbox


def held(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text() for name in FILES}


def test_the_plan_says_what_would_change_and_changes_nothing(shop) -> None:
    ran = shop.run("codemod")
    assert ran.code == 1
    assert "would change app/jobs.py" in ran.out
    assert "app/odd.py:4:11: subclass: " in ran.out
    assert "3 files to change, 1 place flagged" in ran.out
    assert held(shop.root) == FILES
    assert git(shop.root, "status", "--porcelain") == b""


def test_the_patch_is_what_apply_does(shop) -> None:
    ran = shop.run("codemod", "--diff")
    assert ran.code == 1
    git(shop.root, "apply", "--index", "-", stdin=ran.out.encode())
    patched = held(shop.root)
    git(shop.root, "reset", "-q", "--hard")
    assert shop.run("codemod", "--apply").code == 0
    assert held(shop.root) == patched == {**FILES, **AFTER}


def test_after_apply_there_is_nothing_to_do_and_undo_takes_it_back(shop) -> None:
    applied = shop.run("codemod", "--apply")
    assert applied.code == 0
    assert "3 files changed" in applied.out
    again = shop.run("codemod")
    assert again.code == 0
    assert "0 files to change, 1 place flagged" in again.out
    undone = shop.run("codemod", "--undo")
    assert undone.code == 0
    assert "put back app/jobs.py" in undone.out
    assert held(shop.root) == FILES
    assert shop.run("codemod", "--undo").code == 2


def test_json(shop) -> None:
    ran = shop.run("codemod", "--format", "json")
    assert ran.code == 1
    data = ran.json()
    assert [change["path"] for change in data["changes"]] == sorted(AFTER)
    assert [(flag["file"], flag["line"], flag["kind"]) for flag in data["flags"]] == [("app/odd.py", 4, "subclass")]
    assert data["counts"] == {"rewrite-calls": 1, "rewrite-imports": 2, "rewrite-string-targets": 1, "rewrite-types": 1}
    assert data["summary"] == {"files": 3, "flags": 1, "kinds": {"subclass": 1}}
    applied = shop.run("codemod", "--apply", "--format", "json").json()
    assert applied["written"] == sorted(AFTER)
    assert applied["refused"] == []


def test_only_skip_and_paths(shop) -> None:
    def changes(*arguments: str) -> list[str]:
        return [change["path"] for change in shop.run("codemod", "--format", "json", *arguments).json()["changes"]]

    assert changes("--only", "rewrite-types") == ["app/typed.py"]
    assert changes("--skip", "rewrite-types") == ["app/jobs.py", "tests/test_jobs.py"]
    assert changes("app") == ["app/jobs.py", "app/typed.py"]
    assert changes("app/typed.py") == ["app/typed.py"]
    # A patch target follows what is rewritten in the same run only.
    assert changes("tests") == []


def test_paths_are_relative_to_where_the_command_runs(shop) -> None:
    ran = shop.run("codemod", "--format", "json", "typed.py", cwd=shop.root / "app")
    assert [change["path"] for change in ran.json()["changes"]] == ["app/typed.py"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "rewrite-cals"), "did you mean rewrite-calls?"),
        (("--skip", "nonsense"), "there is no codemod 'nonsense'"),
        (("nowhere.py",), "nowhere.py: there is no such file"),
        (("..",), "is outside of the project"),
        (("--apply", "--diff"), "exclude each other"),
    ],
)
def test_wrong_usage(shop, arguments: tuple[str, ...], said: str) -> None:
    ran = shop.run("codemod", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_the_list_has_every_codemod(shop) -> None:
    listed = shop.run("codemod", "--list", "--format", "json").json()["codemods"]
    names = {item["id"] for item in listed}
    assert names >= {
        "add-compatibility-alias", "drop-unused", "join-wiring", "rewrite-modules", "rewrite-aliases", "rewrite-calls", "rewrite-config", "rewrite-docs",
        "rewrite-imports", "rewrite-moves", "rewrite-shims", "rewrite-string-targets", "rewrite-types",
    }  # fmt: skip
    assert [item["id"] for item in listed if item["opt_in"]] == ["add-compatibility-alias", "rewrite-docs"]
    assert all(item["summary"] for item in listed)
    assert "rewrite-calls" in shop.run("codemod", "--list").out


def test_a_dirty_work_tree_is_refused_unless_allowed(shop) -> None:
    (shop.root / "app" / "odd.py").write_text("x = 1\n")
    refused = shop.run("codemod", "--apply")
    assert refused.code == 2
    assert "uncommitted changes: app/odd.py" in refused.err
    assert (shop.root / "app" / "jobs.py").read_text() == FILES["app/jobs.py"]
    assert shop.run("codemod", "--apply", "--allow-dirty").code == 0
    assert (shop.root / "app" / "jobs.py").read_text() == AFTER["app/jobs.py"]


def test_a_read_only_file_is_reported_and_the_rest_is_written(shop) -> None:
    (shop.root / "app" / "typed.py").chmod(0o444)
    ran = shop.run("codemod", "--apply")
    assert ran.code == 1
    assert "app/typed.py: left alone (not-writable): is read-only" in ran.out
    assert (shop.root / "app" / "jobs.py").read_text() == AFTER["app/jobs.py"]


def test_without_symbols_the_configuration_is_asked_for(sandbox) -> None:
    ran = sandbox.run("codemod")
    assert ran.code == 2
    assert "graphlift init" in ran.err


def test_the_code_base_is_never_imported(shop) -> None:
    trap = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').write_text('')\nraise SystemExit(9)\n"
    for name in ("app/__init__.py", "flows/__init__.py", "legacy/__init__.py", "conftest.py"):
        old = (shop.root / name).read_text() if (shop.root / name).exists() else ""
        (shop.root / name).write_text(old + trap)
    assert shop.run("codemod", "--apply", "--allow-dirty").code == 0
    assert list(shop.root.rglob("*.ran")) == []


def test_a_project_can_bring_its_own_codemod(shop) -> None:
    plugin = """\
from graphlift.migrate.codemods.model import BaseCodemod
from graphlift.migrate.edits import Edit
from graphlift.plugins import hookimpl


class Shout(BaseCodemod):
    id = "shout"
    summary = "capital letters"
    needles = (b"whisper",)

    def rewrite(self, file):
        place = file.content.find(b"whisper")
        if place >= 0:
            yield Edit(place, place + 7, b"SHOUT")


@hookimpl
def graphlift_codemods():
    return [Shout()]
"""
    shop.files({"graphlift.toml": 'plugins = ["own"]\n' + CONFIG, "own.py": plugin, "app/new.py": "# whisper\n"})
    assert "shout" in shop.run("codemod", "--list").out
    data = shop.run("codemod", "--only", "shout", "--format", "json", "app").json()
    assert [change["path"] for change in data["changes"]] == ["app/new.py"]
    assert data["counts"] == {"shout": 1}
    assert data["changes"][0]["edits"] == [{"start": 2, "end": 9, "new": "SHOUT"}]


def test_an_interrupted_apply_is_ended_by_the_next_command(shop) -> None:
    from graphlift.migrate.edits import FileChange
    from graphlift.migrate.edits.journal import Journal

    journal = Journal(shop.root)
    with journal.locked():
        journal.begin((FileChange("app/jobs.py", FILES["app/jobs.py"].encode(), AFTER["app/jobs.py"].encode()),))
    ran = shop.run("codemod")
    assert "note: a change of 1 files that had been interrupted was completed" in ran.err
    assert (shop.root / "app" / "jobs.py").read_text() == AFTER["app/jobs.py"]


def test_a_symbolic_link_is_not_in_the_patch(shop) -> None:
    (shop.root / "app" / "link.py").symlink_to("jobs.py")
    git(shop.root, "add", "-A")
    git(shop.root, "commit", "-qm", "a link")
    ran = shop.run("codemod", "--diff")
    assert "link.py" not in ran.out
    assert "app/link.py:1: symbolic-link: is a symbolic link, which is never written" in ran.err
    git(shop.root, "apply", "--check", "-", stdin=ran.out.encode())


def test_without_a_repository_it_is_said_that_nothing_was_checked(sandbox) -> None:
    sandbox.files(FILES)
    (sandbox.root / ".git").rmdir()
    ran = sandbox.run("codemod", "--apply")
    assert ran.code == 0
    assert "note: there is no git repository here, so nothing checked for uncommitted work" in ran.err
    assert "uncommitted" not in sandbox.run("codemod", "--undo").err


def test_two_places_on_a_line_are_two_flags(shop) -> None:
    shop.files({"app/odd.py": "from legacy.walker import BFSWalker\nx = [BFSWalker, BFSWalker]; y = BFSWalker(**o)\n"})
    places = [line.split(":")[1:4] for line in shop.run("codemod").out.splitlines() if line.startswith("app/odd.py:")]
    assert [(line, column, kind.strip()) for line, column, kind in places] == [
        ("2", "6", "escapes-as-value"),
        ("2", "17", "escapes-as-value"),
        ("2", "33", "dynamic-kwargs"),
    ]


def test_the_cache_changes_neither_the_plan_nor_what_git_sees(shop) -> None:
    plain = shop.run("codemod", "--diff", "--no-cache")
    assert not (shop.root / ".graphlift" / "cache").exists()
    assert [shop.run("codemod", "--diff") for _ in range(2)] == [plain, plain]
    assert (shop.root / ".graphlift" / "cache").is_dir()
    assert git(shop.root, "status", "--porcelain") == b""
    assert shop.run("codemod", "--apply").code == 0
    assert shop.run("codemod").code == shop.run("codemod", "--no-cache").code == 0


def test_a_file_that_cannot_be_verified_is_a_finding(sandbox) -> None:
    late = FILES["flows/engine.py"] + "globals().update({})\n"  # so that the configuration may be right
    sandbox.files({**FILES, "flows/engine.py": late, "graphlift.toml": CONFIG.replace("build_graph", "bild_graph")})
    for arguments in (("codemod",), ("codemod", "--apply")):
        ran = sandbox.run(*arguments)
        assert (ran.code, "unverified: left alone: flows/engine.py has no bild_graph" in ran.out) == (1, True)
    assert "BFSWalker(n)" in (sandbox.root / "app/jobs.py").read_text(encoding="utf-8")


def test_an_empty_path_is_refused_and_not_read_as_everything(sandbox) -> None:
    sandbox.files(FILES)
    ran = sandbox.run("codemod", "")
    assert (ran.code, ran.out, "a path is empty" in ran.err) == (2, "", True)

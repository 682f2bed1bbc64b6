"""The states that are measured: the index, a commit and an overlay give the numbers that a checkout of them would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphlift.migrate.git import Git
from graphlift.migrate.ledger import build_ledger
from graphlift.migrate.ledger.build import build
from graphlift.migrate.ratchet.ledgers import TreeFiles, belongs, ledger_of
from graphlift.migrate.ratchet.trees import Overlay, StoredTree, WorkTree
from graphlift.plugins.project import Project

TOML = 'source = ["src", "."]\nexclude = ["/src/gone/"]\n[[symbol]]\nlegacy = "old.walker.Walker"\n'
FILES = {
    "graphlift.toml": TOML,
    "src/old/__init__.py": "from .walker import Walker as Engine\n",
    "src/old/walker.py": "class Walker:\n    def _next(self): ...\n",
    "src/app.py": "from old import Engine\n\n\ndef go():\n    return Engine()._next()\n",
    "src/gone/app.py": "from old.walker import Walker\n",
    "build/app.py": "from old.walker import Walker\n",
    "docs/notes.md": "The `Walker` of old.walker.Walker.\n",
    "README.md": "Walker\n",
    "graph.egg-info/x.py": "from old.walker import Walker\n",
}


@pytest.fixture
def code(repo: Any) -> Any:
    repo.files(FILES)
    repo.commit()
    return repo


def test_a_commit_and_the_index_have_the_ledger_of_their_checkout(code: Any) -> None:
    project, git = Project.open(code.root), Git(code.root)
    expected = build_ledger(project)
    assert {item.file for item in expected.references} >= {"src/app.py", "src/old/walker.py"}
    # Nothing of what follows may look at the work tree.
    for name in FILES:
        (code.root / name).write_text(TOML if name.endswith(".toml") else "changed = 1\n")
    for revision in ("", code.git("rev-parse", "HEAD")):
        tree = StoredTree(project, git, revision)
        assert (tree.is_on_disk, tree.has_same_settings) == (False, True)
        assert ledger_of(tree, ())[0] == expected


def test_after_any_edits_the_index_is_what_a_new_look_at_it_says(code: Any) -> None:
    """With what is remembered of it: staged, unstaged, staged in part, deleted, new, and put back."""
    project, git = Project.open(code.root), Git(code.root)
    call = "from old import Engine\n\nEngine()\n"

    def edits() -> Iterator[None]:
        yield
        code.files({"scratch.py": call})
        yield
        code.git("add", "scratch.py")
        code.files({"scratch.py": "x = 1\n"})
        yield
        code.files({"src/app.py": FILES["src/app.py"] + "\n\ndef more():\n    return Engine()\n"})
        yield
        code.git("add", "src/app.py")
        code.files({"src/app.py": "x = 1\n"})
        yield
        (code.root / "src/old/walker.py").unlink()
        yield
        code.git("rm", "--quiet", "--cached", "src/old/walker.py")
        yield
        code.git("reset", "--quiet", "--hard")
        yield

    seen = set()
    for _ in edits():
        for _ in range(2):
            tree = StoredTree(project, git, "")
            found = ledger_of(tree, ())[0]
            assert found == build(project, None, TreeFiles(StoredTree(project, git, "")))
        seen.add(found.references)
    assert len(seen) >= 4


def test_an_overlay_has_the_ledger_of_what_it_lays_over(code: Any) -> None:
    project = Project.open(code.root)
    changes = {"src/app.py": b"from old import Engine\n\nEngine()\nEngine()\n", "src/new.py": b"import old.walker\n"}
    tree = Overlay(WorkTree(project, Git(code.root)), changes)
    found = ledger_of(tree, ())[0]
    code.files({name: content.decode() for name, content in changes.items()})
    assert found == build_ledger(project)


def test_other_settings_in_the_index_are_those_that_count(code: Any) -> None:
    code.files({"graphlift.toml": TOML.replace('exclude = ["/src/gone/"]\n', "")})
    code.git("add", "--all")
    code.files({"graphlift.toml": TOML})
    tree = StoredTree(Project.open(code.root), Git(code.root), "")
    assert tree.has_same_settings is False
    assert "src/gone/app.py" in {item.file for item in ledger_of(tree, ())[0].references}


@pytest.mark.parametrize("source", ['["."]', '["src"]', '["src", "docs/notes.md"]', '["build", "graph.egg-info"]'])
def test_what_belongs_to_the_project_is_what_it_lists(code: Any, source: str) -> None:
    code.files({"graphlift.toml": TOML.replace('["src", "."]', source)})
    project = Project.open(code.root)
    tree = WorkTree(project, Git(code.root))
    listed = {path for path in project.files() if not path.startswith(".git/")}
    assert {path for path in tree.paths if belongs(project, path)} - {"README.md", "graphlift.toml"} == listed - {
        "README.md",
        "graphlift.toml",
    }
    assert TreeFiles(tree).paths == tuple(sorted(path for path in tree.paths if belongs(project, path)))


def test_the_index_is_read_from_disk_only_where_both_are_the_same(code: Any) -> None:
    code.files({"src/app.py": "staged = 1\n", "README.md": "staged\n"})
    code.git("add", "--all")
    code.files({"src/app.py": "not staged\n"})
    tree = StoredTree(Project.open(code.root), Git(code.root), "")
    tree.preload(tree.paths)
    assert (tree.read("src/app.py"), tree.read("README.md")) == (b"staged = 1\n", b"staged\n")


def test_a_checkout_with_crlf_gives_the_same_numbers(code: Any, tmp_path: Path) -> None:
    """What git does on Windows: the same commit, checked out with CRLF."""
    rules = '[[rule]]\nid = "l"\nmetric = "lines"\npaths = ["src/**"]\ncap = 0\n\n[[rule]]\nid = "c"\nmetric = "code-lines"\n'
    code.files({"ratchet.toml": rules + 'paths = ["src/**"]\ncap = 0\n\n[[rule]]\nid = "r"\nmetric = "references"\n'})
    assert code.run("ratchet", "init").code == 0
    code.commit()
    code.git(
        "-c",
        "core.autocrlf=true",
        "clone",
        "--quiet",
        "--config",
        "core.autocrlf=true",
        str(code.root),
        str(tmp_path / "w"),
    )
    windows = type(code)(tmp_path / "w")
    assert "\r\n" in windows.read("src/app.py")
    assert "\r\n" in windows.read("ratchet.lock")
    windows.git("switch", "--quiet", "--create", "topic")
    numbers = [repo.check("--absolute").json()["numbers"] for repo in (code, windows)]
    assert numbers[0] == numbers[1] != []
    assert (windows.check().code, windows.run("ratchet", "tighten").out) == (0, "nothing to change\n")
    assert windows.git("status", "--porcelain") == ""
    windows.files({"src/app.py": windows.read("src/app.py") + "x = 1\r\n"})
    assert windows.check().codes == ["grown", "grown"]
    windows.git("add", "--all")
    assert windows.check("--staged").codes == ["grown", "grown"]


def test_a_tree_as_a_project_is_the_project_itself_or_a_copy(code: Any) -> None:
    project, git = Project.open(code.root), Git(code.root)
    for tree in (WorkTree(project, git), StoredTree(project, git, "")):
        with tree.project() as found:
            assert found is project
    code.files({"src/app.py": "changed = 1\n"})
    with StoredTree(project, git, "").project() as found:
        assert found.root != project.root
        assert (found.root / "src/app.py").read_text() == FILES["src/app.py"]
        assert found.settings == project.settings

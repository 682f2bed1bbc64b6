"""The run of codemods as a whole: stages, overlaps, what fails the check, and what a second run would change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphlift.adapters.errors import UsageError
from graphlift.migrate.codemods.builtin import builtin
from graphlift.migrate.codemods.engine import make_plan
from graphlift.migrate.codemods.file import File
from graphlift.migrate.codemods.model import BaseCodemod, Codemod, Said
from graphlift.migrate.codemods.running import apply_codemods, path_filter, plan_codemods
from graphlift.migrate.codemods.selection import select
from graphlift.migrate.edits import Edit, Flag
from graphlift.migrate.ledger import Ledger
from graphlift.plugins.configuration import Settings, Symbol
from graphlift.plugins.project import Project

SYMBOL = Symbol(legacy="legacy.walker.W", called="flows.build")
SOURCE = b"from legacy.walker import W\nmark = W(1)\n"


class Mark(BaseCodemod):
    """Replaces the first `mark` by what it is made with."""

    needles = (b"mark",)

    def __init__(self, name: str, new: bytes) -> None:
        self.id = self.summary = name
        self._new = new

    def rewrite(self, file: File) -> Iterator[Said]:
        place = file.content.find(b"mark")
        if place >= 0:
            yield Edit(place, place + 4, self._new)


def project(root: Path, **files: bytes) -> Project:
    for name, content in files.items():
        (root / f"{name}.py").write_bytes(content)
    return Project(root, root / "graphlift.toml", Settings(symbol=(SYMBOL,)))


def test_every_built_in_codemod_is_a_codemod_with_an_id_of_its_own() -> None:
    codemods = builtin()
    assert all(isinstance(codemod, Codemod) for codemod in codemods)
    assert len({codemod.id for codemod in codemods}) == len(codemods)


def test_edits_that_overlap_go_to_the_first_and_are_flagged(tmp_path: Path) -> None:
    made = project(tmp_path, a=b"x = 1\nmark = 1\n")
    plan = make_plan(made, Ledger(), [Mark("b-late", b"late"), Mark("a-early", b"early")])
    assert plan.changes[0].after == b"x = 1\nearly = 1\n"
    assert plan.flags == (Flag("a.py", 2, "overlap", "b-late wants bytes that are taken"),)
    assert plan.counts == (("a-early", 1),)


@pytest.mark.parametrize("new", [b"(", b"import nothing; nothing(unbound)  #"])
def test_a_result_that_is_not_sound_is_left_out_and_the_rest_is_planned(tmp_path: Path, new: bytes) -> None:
    made = project(tmp_path, a=b"mark = 1\n", b=SOURCE.replace(b"mark", b"m"))
    plan = plan_codemods(made, [*select(builtin()), Mark("mark", new)])
    assert [change.path for change in plan.changes] == ["b.py"]
    assert [(flag.file, flag.kind) for flag in plan.flags] == [("a.py", "unverified")]


def test_what_a_second_run_would_change_again_is_put_back(tmp_path: Path) -> None:
    made = project(tmp_path, a=b"mark = 1\n", b=SOURCE.replace(b"mark", b"m"))
    codemods = [*select(builtin()), Mark("restless", b"mark_mark")]
    applied = apply_codemods(made, plan_codemods(made, codemods), codemods)
    assert applied.written == ("b.py",)
    assert [(flag.file, flag.kind) for flag in applied.refused] == [("a.py", "not-settled")]
    assert (tmp_path / "a.py").read_bytes() == b"mark = 1\n"
    assert b"flows" in (tmp_path / "b.py").read_bytes()


def test_only_the_files_that_are_asked_for_change(tmp_path: Path) -> None:
    made = project(tmp_path, a=SOURCE, b=SOURCE)
    plan = plan_codemods(made, select(builtin()), lambda path: path == "b.py")
    assert [change.path for change in plan.changes] == ["b.py"]


def test_paths_are_files_or_folders_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    (tmp_path / "pkg" / "a.py").touch()
    accepts = path_filter(tmp_path, tmp_path / "pkg", ["a.py", "sub"])
    assert [accepts(path) for path in ("pkg/a.py", "pkg/sub/b.py", "pkg/b.py", "pkg/subway.py")] == [
        True,
        True,
        False,
        False,
    ]
    assert path_filter(tmp_path, tmp_path, ["."])("anything.py")
    for wrong in ("absent.py", "../.."):
        with pytest.raises(UsageError):
            path_filter(tmp_path, tmp_path / "pkg", [wrong])


def test_an_unknown_id_is_a_usage_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean rewrite-calls"):
        select(builtin(), only=["rewrite-call"])
    assert "rewrite-docs" not in [codemod.id for codemod in select(builtin())]
    assert [codemod.id for codemod in select(builtin(), only=["rewrite-docs"])] == ["rewrite-docs"]

"""A process that is killed while it applies or undoes a plan: the next call ends it, whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphlift.adapters.errors import UsageError
from graphlift.migrate.edits import FileChange, Plan, apply_plan, recover, undo
from graphlift.migrate.edits.journal import Journal, temporary_path
from graphlift.plugins.project import Project

BEFORE = {"a.py": b"a = 1\n", "gone.py": b"gone\n", "pkg/b.py": b"b = 1"}
AFTER = {"a.py": b"a = 2\n", "new.py": b"new\n", "pkg/b.py": b"b = 2"}
PLAN = Plan.of(FileChange(path, BEFORE.get(path), AFTER.get(path)) for path in {*BEFORE, *AFTER})

# Kills itself with SIGKILL before the n-th operation on the file system; every operation of Python raises an audit event.
DRIVER = """
import json, os, signal, sys
from pathlib import Path
from graphlift.migrate.edits import FileChange, Flag, Plan, apply_plan, undo
from graphlift.plugins.project import Project
import subprocess, json, shutil, fcntl

folder, verb, before, after = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
changes = [FileChange(p, before[p].encode() if p in before else None, after[p].encode() if p in after else None)
           for p in {**before, **after}]
WATCHED = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "os.chmod", "os.truncate"}

def prepare(n):
    root = folder / f"{verb}{n:03d}"
    for path, text in before.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    if verb in ("undo", "part"):
        apply_plan(Project(root), Plan.of(changes))
    if verb == "part":
        (root / "pkg/b.py").write_bytes(b"mine")
    return Project(root)

n = 0
while True:
    n += 1
    project = prepare(n)
    child = os.fork()
    if child == 0:
        left = [n]
        def kill(event, arguments):
            if event in WATCHED:
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(kill)
        if verb == "apply":
            apply_plan(project, Plan.of(changes))
        elif verb == "verify":
            apply_plan(project, Plan.of(changes), verify=lambda written: [Flag("a.py", 1, "unverified", "no")])
        else:
            undo(project)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        sys.exit(0 if os.waitstatus_to_exitcode(status) == 0 else 9)
"""


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".graphlift" not in path.parts
    }


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="kills a forked process")
@pytest.mark.parametrize("verb", ["apply", "undo"])
def test_a_kill_before_any_operation_leaves_all_or_nothing(tmp_path: Path, verb: str) -> None:
    start, goal = (BEFORE, AFTER) if verb == "apply" else (AFTER, BEFORE)
    outcomes = [_recovered(root, start, goal) for root in killed(tmp_path, verb)]
    assert len(outcomes) > 20
    assert outcomes.count("completed") >= len(PLAN.changes)
    # First killed too early to have begun, then in the middle, at last when everything was done.
    assert outcomes[0] == "nothing begun"
    assert outcomes[-1] == "done"


def _recovered(root: Path, start: dict[str, bytes], goal: dict[str, bytes]) -> str:
    project = Project(root)
    recovered = recover(project)
    now = tree(root)
    assert now in (start, goal), root.name
    assert recover(project) is None
    if recovered is not None:
        assert now == goal
    _can_be_taken_back(project, now, goal)
    return recovered.action if recovered else "done" if now == goal else "nothing begun"


def _can_be_taken_back(project: Project, now: dict[str, bytes], goal: dict[str, bytes]) -> None:
    if now == AFTER:
        undo(project)
        assert tree(project.root) == BEFORE
    else:
        with pytest.raises(UsageError):
            undo(project)
        apply_plan(project, PLAN)
        assert tree(project.root) == AFTER


def killed(tmp_path: Path, verb: str) -> list[Path]:
    text = [json.dumps({path: content.decode() for path, content in side.items()}) for side in (BEFORE, AFTER)]
    subprocess.run([sys.executable, "-c", DRIVER, str(tmp_path), verb, *text], check=True)
    return sorted(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
def test_a_kill_before_the_verification_ended_leaves_nothing_that_is_not_verified(tmp_path: Path) -> None:
    verified = {**AFTER, "a.py": BEFORE["a.py"]}
    actions = []
    for root in killed(tmp_path, "verify"):
        recovered = recover(Project(root))
        actions.append(recovered.action if recovered else "")
        now = tree(root)
        assert now == (verified if actions[-1] == "completed" else BEFORE) or (not recovered and now == verified)
        assert recover(Project(root)) is None
        if now == verified:
            undo(Project(root))
            assert tree(root) == BEFORE
    assert {"rolled back", "completed"} <= set(actions)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
def test_a_kill_in_an_undo_of_a_part_keeps_the_rest_undoable(tmp_path: Path) -> None:
    for root in killed(tmp_path, "part"):
        recover(Project(root))
        (root / "pkg/b.py").write_bytes(AFTER["pkg/b.py"])
        # What was taken back is not taken back twice; what was left alone can be, now that it is as it was written.
        undo(Project(root))
        assert tree(root) == BEFORE, root.name


def begun(root: Path) -> Project:
    for path, content in BEFORE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    journal = Journal(root)
    with journal.locked():
        journal.begin(PLAN.changes)
    return Project(root)


def test_a_half_written_transaction_is_rolled_back_where_somebody_edited_in_between(tmp_path: Path) -> None:
    project = begun(tmp_path)
    (tmp_path / "a.py").write_bytes(b"a = 2\n")
    (tmp_path / "pkg" / "b.py").write_bytes(b"mine")
    temporary_path(tmp_path / "new.py").write_bytes(b"ne")
    recovered = recover(project)
    assert recovered is not None
    assert (recovered.action, recovered.left) == ("rolled back", ("pkg/b.py",))
    assert "edited in between: pkg/b.py" in str(recovered)
    assert tree(tmp_path) == {**BEFORE, "pkg/b.py": b"mine"}


def test_the_next_apply_or_undo_recovers_first(tmp_path: Path) -> None:
    project = begun(tmp_path)
    undo(project)
    assert tree(tmp_path) == BEFORE


def test_recovery_never_follows_a_link_that_appeared_in_between(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside.py"
    outside.write_bytes(b"a = 1\n")
    project = begun(root)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(outside)
    recovered = recover(project)
    assert recovered is not None
    assert recovered.left == ("a.py",)
    assert outside.read_bytes() == b"a = 1\n"


def test_drafts_of_a_killed_process_with_our_own_id_are_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(BEFORE["a.py"])
    journal = Journal(tmp_path)
    with journal.locked():
        journal.begin((FileChange("a.py", BEFORE["a.py"], AFTER["a.py"]),))
    for name in (f"draft-{os.getpid()}", f"draft-{os.getpid()}-gone"):
        (journal.folder / name).mkdir()
        (journal.folder / name / "content").write_bytes(b"half")
    recovered = recover(Project(tmp_path))
    assert recovered is not None
    assert recovered.action == "completed"
    assert (tmp_path / "a.py").read_bytes() == AFTER["a.py"]
    assert not list(journal.folder.glob("draft-*"))

"""The patch of a plan is what `git apply` takes, whatever the bytes are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlift.migrate.edits import Edit, FileChange, Plan, render_diff


def git_apply(folder: Path, patch: bytes) -> None:
    done = subprocess.run(["git", "apply", "-p1", "-"], cwd=folder, input=patch, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def check(folder: Path, change: FileChange) -> bytes:
    file = folder / change.path
    file.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None:
        file.write_bytes(change.before)
    patch = render_diff(Plan.of([change]))
    git_apply(folder, patch)
    assert (file.read_bytes() if file.exists() else None) == change.after
    file.unlink(missing_ok=True)
    return patch


def test_a_patch_reads_as_git_writes_it(tmp_path) -> None:
    before, after = b"1\n2\n3\n4\n5\n6\n", b"1\n2\n3\n4\nfive\n6\n"
    assert check(tmp_path, FileChange("a/b.py", before, after)) == (
        b"diff --git a/a/b.py b/a/b.py\n--- a/a/b.py\n+++ b/a/b.py\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a", b"b"),
        (b"a\n", b"a"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\rb\rc", b"a\rX\rc"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"caf\xe9\n\x0c\n1\n", b"caf\xe9\n\x0c\n2\n"),
        (b"", b"a\n"),
        (b"a\n", b""),
        (None, b"a\n"),
        (None, b""),
        (b"a\n", None),
        (b"", None),
        (b"x\n" * 50, b"x\n" * 20 + b"y\n" + b"x\n" * 29 + b"z"),
    ],
)
@pytest.mark.parametrize("path", ["a.py", 'sub/with space "and quote"\ttab.py', "ümlaut/ł.py"])
def test_git_applies_it(tmp_path, path: str, before: bytes | None, after: bytes | None) -> None:
    check(tmp_path, FileChange(path, before, after))


lines = st.lists(st.sampled_from([b"a", b"b", b"\r", b"", b"\x0c", b"\xff"]), max_size=12).map(b"\n".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=lines, after=lines)
def test_git_applies_any_pair(tmp_path, before: bytes, after: bytes) -> None:
    if before != after:
        check(tmp_path, FileChange("f.py", before, after))


def test_a_plan_that_changes_nothing_is_an_empty_patch() -> None:
    assert render_diff(Plan()) == b""


def test_thousands_of_equal_lines_between_two_edits_are_not_compared_pair_by_pair() -> None:
    before = b"import old\nX = [\n" + b"    1,\n" * 50_000 + b"]\nold()\n"
    plan = Plan.of(
        [FileChange.edited("a.py", before, [Edit(7, 10, b"new"), Edit(len(before) - 6, len(before) - 3, b"new")])]
    )
    patch = render_diff(plan)
    assert patch.count(b"\n@@ ") == 2
    assert patch.count(b"\n-") == 3
    assert b"-import old\n+import new\n" in patch
    assert b"-old()\n+new()\n" in patch

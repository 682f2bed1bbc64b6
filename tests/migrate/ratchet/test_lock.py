"""The lock's text, and merging it: with git's own merge, and with the driver."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphlift.adapters.errors import ConfigurationError
from graphlift.migrate.ratchet.keys import Key, matches
from graphlift.migrate.ratchet.lock import merge_locks, parse_lock, render_lock

KEYS = st.builds(
    Key,
    st.sampled_from(["lines", "references"]),
    st.from_regex(r"[a-zé][a-z é/.]{0,8}[a-z]", fullmatch=True),
    st.sampled_from(["", "f x.Y", "<module> x.Y"]),
)
LOCKS = st.dictionaries(KEYS, st.integers(0, 10**6), max_size=8)


@given(LOCKS)
def test_a_lock_reads_back_as_written(rows: dict[Key, int]) -> None:
    text = render_lock(rows)
    assert parse_lock(text, "ratchet.lock") == rows
    assert parse_lock(text.replace("\n", "\r\n"), "ratchet.lock") == rows


@given(st.binary(min_size=1).map(os.fsdecode), st.binary().map(os.fsdecode))
@example("a%0Ab", "")
@example("a::b:", ":")
@example(" a\u2028", "")
@example("a\nb", "\udce9")
def test_a_key_of_any_file_name_is_one_line_of_utf_8_and_reads_back(place: str, detail: str) -> None:
    text = render_lock({Key("lines", place, detail): 3})
    assert text.count("\n") == 3
    assert parse_lock(text.encode().decode(), "x") == {Key("lines", place, detail): 3}


@given(LOCKS, LOCKS, LOCKS)
def test_merging_is_symmetric_and_never_looser_than_both(base: Any, ours: Any, theirs: Any) -> None:
    merged = merge_locks(base, ours, theirs)
    assert merged == merge_locks(base, theirs, ours)
    for key, cap in merged.items():
        assert cap <= max(ours.get(key, 0), theirs.get(key, 0))


@given(LOCKS, LOCKS)
def test_a_change_on_one_side_is_taken(base: Any, ours: Any) -> None:
    assert merge_locks(base, ours, base) == ours


def test_of_two_rows_for_one_key_the_stricter_counts() -> None:
    assert parse_lock("5 lines:a\n3 lines:a\n4 lines:a\n", "x") == {Key("lines", "a"): 3}


@pytest.mark.parametrize("line", ["lines:a", "five lines:a", "5 lines", "5 :a", "-1 lines:a"])
def test_a_wrong_row_is_named_with_its_line(line: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_lock(f"# head\n\n{line}\n", "ratchet.lock")
    assert caught.value.where == "ratchet.lock:3"


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("a.py", "src/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("**", "src/b/a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("src/", "src/b/a.py", True),
        ("src/", "srcs/a.py", False),
        ("src/?.py", "src/ab.py", False),
        ("src/[ab].py", "src/b.py", True),
        ("src/[!ab].py", "src/b.py", False),
        ("src/a+b.py", "src/a+b.py", True),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches((pattern,), path) is expected


@pytest.fixture
def driven(branch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The repository with the merge driver, and a `graphlift` on PATH that is this one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "graphlift"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m graphlift.migrate "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    branch.git("switch", "--quiet", "main")
    assert branch.run("ratchet", "init", "--merge-driver").code == 0
    branch.commit("merge driver")
    return branch


@pytest.mark.skipif(os.name == "nt", reason="the test's own launcher is a shell script")
def test_a_real_merge_of_one_key_takes_the_stricter_cap(driven: Any) -> None:
    assert driven.read(".gitattributes") == (
        "ratchet.lock merge=graphlift-ratchet text eol=lf\nratchet.toml merge=graphlift-ratchet-rules\n"
    )
    driven.git("switch", "--quiet", "--create", "one")
    driven.files({"ratchet.lock": driven.read("ratchet.lock").replace("100 ", "90 ")})
    driven.commit()
    driven.git("switch", "--quiet", "--create", "other", "main")
    driven.files({"ratchet.lock": driven.read("ratchet.lock").replace("100 ", "70 ")})
    driven.commit()
    driven.git("merge", "--quiet", "--no-edit", "one")
    assert driven.read("ratchet.lock").splitlines()[2:] == ["80 lines:src/other.py", "", "70 lines:src/walker.py"]


def test_installing_the_driver_twice_changes_nothing(driven: Any) -> None:
    assert driven.run("ratchet", "init", "--merge-driver").code == 0
    assert driven.git("status", "--porcelain") == ""


RAISE = ("--reason", "couriers", "--owner", "ops")


def raised(driven: Any, branch: str, key: str, to: str) -> None:
    driven.git("switch", "--quiet", "--create", branch, "main")
    assert driven.run("ratchet", "raise", key, "--to", to, *RAISE).code == 0
    driven.commit()


@pytest.mark.skipif(os.name == "nt", reason="the test's own launcher is a shell script")
def test_a_real_merge_of_two_raises_keeps_both(driven: Any) -> None:
    raised(driven, "one", "lines:src/walker.py", "110")
    driven.files({"src/walker.py": "x = 1\n" * 110})
    driven.commit()
    raised(driven, "other", "lines:src/other.py", "90")
    driven.git("merge", "--quiet", "--no-edit", "one")
    assert [line for line in driven.read("ratchet.toml").splitlines() if line.startswith(("key", "to ="))] == [
        'key = "lines:src/other.py"', "to = 90", 'key = "lines:src/walker.py"', "to = 110",
    ]  # fmt: skip
    assert "# People write here." in driven.read("ratchet.toml")
    assert driven.check().code == 0
    assert driven.check("--absolute").code == 0


@pytest.mark.skipif(os.name == "nt", reason="the test's own launcher is a shell script")
def test_a_real_merge_of_two_raises_of_one_cap_is_a_conflict(driven: Any) -> None:
    raised(driven, "one", "lines:src/walker.py", "110")
    raised(driven, "other", "lines:src/walker.py", "120")
    with pytest.raises(subprocess.CalledProcessError):
        driven.git("merge", "--quiet", "--no-edit", "one")
    assert driven.git("status", "--porcelain", "ratchet.toml", "ratchet.lock") == "AA ratchet.toml" or (
        driven.git("diff", "--name-only", "--diff-filter=U") == "ratchet.toml"
    )
    assert "<<<<<<< ours" in driven.read("ratchet.toml")
    assert "110 lines:src/walker.py" in driven.read("ratchet.lock")

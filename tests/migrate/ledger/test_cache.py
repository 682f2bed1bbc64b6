"""The cache under `.graphlift/cache`: what it gives is what a new look would give, whatever happened to files or to it."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlift.migrate.ledger import Ledger, build_ledger, cache
from graphlift.migrate.ledger.files import Files, State
from graphlift.migrate.ledger.shelf import KEPT, Shelf
from graphlift.plugins.configuration import Settings
from graphlift.plugins.project import Project

SYMBOL = {"legacy": "legacy.walker.BFSWalker", "called": "flows.engine.build_graph", "type": "flows.engine.GraphRunner"}
FILES = {
    "graphlift.toml": "",
    "legacy/__init__.py": "from .walker import BFSWalker\n",
    "legacy/walker.py": "class BFSWalker:\n    def __init__(self, a, *, b=1): ...\n    def _step(self): ...\n",
    "app/jobs.py": "from legacy import BFSWalker as W\n\ndef go(n: W):\n    return W(n)._step()\n",
    "app/plain.py": "def plain():\n    return 1\n",
    "docs/notes.md": "The BFSWalker, and a BFSWalkerFactory.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    write(place, FILES)
    return place


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written a moment ago count as old, so that their times alone are asked."""
    monkeypatch.setattr(cache, "SLACK", -(10**18))


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def ledger(root: Path, *, kept: bool = True, **more: object) -> Ledger:
    values = {"symbol": [SYMBOL], **more}
    return build_ledger(Project(root, root / "graphlift.toml", Settings.model_validate(values)), cache=kept)


def kept_files(root: Path) -> list[Path]:
    return sorted((root / ".graphlift/cache").glob("*.cache"))


def test_nothing_is_read_again_where_nothing_changed(root, trusting, monkeypatch):
    first = ledger(root)
    assert first.references
    assert first.signatures

    def refuse(*_: object) -> bytes:
        raise AssertionError("read")

    monkeypatch.setattr(Files, "_content", refuse)
    monkeypatch.setattr(cache, "read", refuse)
    again = ledger(root)
    assert again == first
    assert again.signatures == first.signatures
    with pytest.raises(AssertionError, match="read"):
        ledger(root, kept=False)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "app/jobs.py").write_text("from legacy import BFSWalker\nBFSWalker(1, 2)\n"),
        lambda root: (root / "app/plain.py").write_text("import legacy.walker\nx = legacy.walker.BFSWalker\n"),
        lambda root: (root / "app/new.py").write_text("from legacy import *\nBFSWalker()\n"),
        lambda root: (root / "app/jobs.py").unlink(),
        lambda root: (root / "app/jobs.py").rename(root / "app/others.py"),
        lambda root: (root / "docs/notes.md").write_text("Nothing.\n"),
        lambda root: (root / "docs/notes.md").write_bytes(b"BFSWalker\0"),
        lambda root: (root / "app/plain.py").write_text("x = 'BFSWalker'", encoding="utf-16"),
        lambda root: (root / "app").rename(root / "src"),
    ],
    ids=["survivor", "no survivor", "added", "removed", "renamed", "prose", "binary", "wide", "a folder"],
)
def test_a_change_is_seen(root, trusting, change):
    before = ledger(root)
    change(root)
    assert ledger(root) == ledger(root, kept=False) != before
    assert ledger(root) == ledger(root, kept=False)


def test_what_does_not_concern_the_ledger_is_read_once_more_only(root, trusting, monkeypatch):
    before = ledger(root)
    (root / "app/plain.py").write_text("def plain():\n    return 2\n")
    monkeypatch.setattr(Files, "_content", None)
    assert ledger(root) == before
    monkeypatch.setattr(cache, "read", None)
    assert ledger(root) == before


def test_a_change_within_the_time_that_the_file_system_tells_apart_is_seen(root, monkeypatch):
    """Size, times and inode are the same before and after: what was written so shortly before the look is read again."""
    now = Shelf(root).draft()
    assert now is not None
    monkeypatch.setattr(State, "of", classmethod(lambda cls, found: State(found.st_size, now.clock, now.clock, 1)))
    before = ledger(root)
    old = (root / "app/jobs.py").read_text()
    (root / "app/jobs.py").write_text(old.replace("return W", "return V"))
    assert ledger(root) == ledger(root, kept=False) != before


def test_a_restored_time_does_not_hide_a_change(root, trusting):
    before = ledger(root)
    path = root / "app/jobs.py"
    found = path.stat()
    path.write_text(path.read_text().replace("W(n)", "n(W)"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert path.stat().st_size == found.st_size
    assert ledger(root) == ledger(root, kept=False) != before


@pytest.mark.parametrize(
    "more",
    [{"symbol": [{**SYMBOL, "called": "elsewhere.make"}]}, {"exclude": ["/app/"]}, {"source": ["app"]}],
    ids=["target", "exclude", "source"],
)
def test_another_configuration_has_a_ledger_of_its_own(root, trusting, more):
    first = ledger(root)
    assert ledger(root, **more) == ledger(root, kept=False, **more) != first
    assert ledger(root) == first


@pytest.mark.parametrize("name", ["_code", "FORMAT"])
def test_another_graphlift_takes_no_old_answer(root, trusting, monkeypatch, name):
    ledger(root)
    monkeypatch.setattr(cache, name, (lambda: "other") if name == "_code" else 0)
    monkeypatch.setattr(cache, "_ledger", None)
    assert ledger(root).references
    assert len(kept_files(root)) == 2


def test_the_code_that_makes_a_ledger_is_part_of_its_name():
    assert len(cache._code()) == 64
    assert {path.name for path in (cache.PACKAGE / "migrate/ledger").glob("*.py")} >= {"build.py", "search.py"}


def test_only_so_many_are_kept(root, trusting):
    for number in range(KEPT + 2):
        ledger(root, exclude=[f"/x{number}/"])
    assert len(kept_files(root)) == KEPT


# -- whatever stands in its place ------------------------------------------------------------------------------------


def damages(content: bytes) -> list[bytes]:
    head, body, last = content.split(b"\n", 2)
    rehashed = last.replace(b'"live"', b'"dead"', 1)
    key = head.split()[1]
    return [
        b"",
        b"\n\n",
        os.urandom(200),
        content[: len(content) // 2],
        content[:-1],
        content + b" ",
        content.replace(b'"live"', b'"dead"', 1),
        content.replace(b"graphlift", b"graphlitf", 1),
        # Its digest is right, and what it says is not.
        *(
            b"graphlift %s %s\n" % (key, cache.digest(made).encode()) + made
            for made in (b"{}\n" + last, b"[1]\n" + last, body + b"\n", body + b"\n" + rehashed, body.replace(b"[0,", b"[99,") + b"\n" + last)
        ),
    ]  # fmt: skip


def test_a_damaged_or_foreign_file_is_ignored_and_written_again(root, trusting):
    expected = ledger(root)
    (place,) = kept_files(root)
    good = place.read_bytes()
    for bad in damages(good):
        assert bad != good
        place.write_bytes(bad)
        assert ledger(root) == expected
        assert cache._parsed(place.read_bytes(), place.stem) is not None


def test_a_folder_in_its_place_is_left_alone(root):
    expected = ledger(root)
    (place,) = kept_files(root)
    place.unlink()
    (place / "inside").mkdir(parents=True)
    assert ledger(root) == expected
    assert (place / "inside").is_dir()
    assert not list(place.parent.glob("*.draft"))


@pytest.mark.parametrize("link", [".graphlift", ".graphlift/cache", "file"])
def test_nothing_is_written_or_read_through_a_link(root, tmp_path, trusting, link, monkeypatch):
    expected = ledger(root)
    (place,) = kept_files(root)
    linked = place if link == "file" else root / link
    outside = tmp_path / "outside"
    shutil.move(linked, outside)
    linked.symlink_to(outside)
    content = {path: path.read_bytes() for path in [outside, *outside.rglob("*")] if path.is_file()}
    monkeypatch.setattr(cache, "_ledger", None)
    assert ledger(root) == expected
    assert {path: path.read_bytes() for path in [outside, *outside.rglob("*")] if path.is_file()} == content
    assert linked.is_symlink()


def test_a_file_in_the_place_of_the_folder_costs_time_only(root):
    (root / ".graphlift").write_text("mine")
    assert ledger(root) == ledger(root, kept=False)
    assert (root / ".graphlift").read_text() == "mine"


def test_git_and_backups_are_told_to_leave_it_out(root):
    ledger(root)
    folder = root / ".graphlift/cache"
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_a_draft_of_a_killed_process_goes_when_it_is_old(root):
    ledger(root)
    folder = root / ".graphlift/cache"
    for name, age in (("old.draft", 2 * 3600), ("new.draft", 60)):
        (folder / name).touch()
        time = (folder / name).stat().st_mtime - age
        os.utime(folder / name, (time, time))
    (root / "app/more.py").touch()
    ledger(root)
    assert [path.name for path in folder.glob("*.draft")] == ["new.draft"]


def test_a_file_that_cannot_be_read_is_reported_each_time(root, trusting, monkeypatch):
    from graphlift.migrate.ledger import files

    plain = files.read

    def read(path: str) -> tuple[bytes, State]:
        if path.endswith("plain.py"):
            raise PermissionError(13, "Permission denied")
        return plain(path)

    monkeypatch.setattr(files, "read", read)
    assert [each.file for each in ledger(root).unreadable] == ["app/plain.py"]
    monkeypatch.setattr(files, "read", plain)
    assert ledger(root).unreadable == ()


def test_a_finder_of_a_plugin_may_read_anything_so_nothing_is_kept(root):
    from graphlift.migrate.ledger.finders import PythonFinder, built_in

    class Own(PythonFinder):
        pass

    project = Project(root, root / "graphlift.toml", Settings.model_validate({"symbol": [SYMBOL]}))
    build_ledger(project, [*built_in(), Own()], cache=True)
    assert not (root / ".graphlift").exists()
    build_ledger(project, built_in(), cache=True)
    assert len(kept_files(root)) == 1


def test_processes_at_once_each_get_the_truth(root, trusting):
    expected = ledger(root, kept=False)
    start = threading.Barrier(6)

    def run(number: int) -> Ledger:
        start.wait()
        return ledger(root, exclude=[f"/x{number % 2}/"])

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(run, range(6)))
    assert all(each == expected for each in results)
    assert len(kept_files(root)) == 2
    assert not list((root / ".graphlift/cache").glob("*.draft"))


# -- as a property ---------------------------------------------------------------------------------------------------

CONTENTS = (
    "",
    "x = 1\n",
    "from legacy import BFSWalker\nBFSWalker()\n",
    "from legacy import BFSWalker as Engine\n__all__ = ['Engine']\n",
    "from app.b import *\nEngine()._step()\n",
    "from .b import Engine\n\ndef go(e: Engine): ...\n",
    "def broken(:\n  BFSWalker\n",
    "class Other:\n    def _step(self): ...\n",
    "TARGET = 'legacy.walker.BFSWalker'\n",
)
STEP = st.tuples(
    st.sampled_from(["app/a.py", "app/b.py", "legacy/__init__.py", "c.md"]), st.sampled_from((None, *CONTENTS))
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, min_size=1, max_size=4), st.booleans())
def test_after_any_edits_it_says_what_a_new_look_says(tmp_path_factory, steps, trust):
    root = tmp_path_factory.mktemp("edits")
    write(root, FILES)
    with pytest.MonkeyPatch.context() as patch:
        if trust:
            patch.setattr(cache, "SLACK", -(10**18))
        for name, content in steps:
            ledger(root)
            path = root / name
            path.unlink(missing_ok=True) if content is None else path.write_text(content)
            fresh = ledger(root, kept=False)
            assert ledger(root) == fresh
            assert ledger(root) == fresh

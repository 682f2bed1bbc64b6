"""On the default branch, and with `--absolute`: what was there before is known to CI, or is the parent commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

RULES = (
    '[[rule]]\nid = "a"\nmetric = "lines"\npaths = ["a.py"]\n\n[[rule]]\nid = "b"\nmetric = "lines"\npaths = ["b.py"]\n'
)
RAISE = ("--reason", "couriers", "--owner", "ops")


@pytest.fixture
def origin(repo: Any) -> Any:
    """A repository with two capped files."""
    repo.files({"a.py": "1\n2\n3\n", "b.py": "1\n", "ratchet.toml": RULES})
    repo.run("ratchet", "init")
    repo.commit("first")
    return repo


def cloned(origin: Any, to: Path, *options: str) -> Any:
    subprocess.run(["git", "clone", "--quiet", *options, f"file://{origin.root}", str(to)], check=True)
    found = type(origin)(to)
    found.git("config", "user.name", "Tess Ter")
    found.git("config", "user.email", "tess@example.org")
    return found


def codes(repo: Any, *options: str) -> list[tuple[str, str]]:
    said = repo.run("ratchet", "--format", "json", *options)
    return [(finding["code"], finding["level"]) for finding in said.json()["findings"]]


@pytest.fixture
def pushed(origin: Any, tmp_path: Path) -> Any:
    """What CI checks out after a push of two commits to main, the first of which let a file grow."""
    origin.files({"a.py": "1\n2\n3\n4\n"})
    origin.commit("grow")
    origin.files({"README": "other\n"})
    origin.commit("more")
    return cloned(origin, tmp_path / "work")


def test_growth_that_was_pushed_to_main_is_red(pushed: Any) -> None:
    assert codes(pushed) == [("grown", "error")]


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_ci_says_what_was_there_before(
    pushed: Any, service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def before(name: str) -> None:
        sha = pushed.git("rev-parse", name) if name.startswith("HEAD") else name
        if service == "gitlab":
            monkeypatch.setenv("CI_COMMIT_BEFORE_SHA", sha)
        else:
            (tmp_path / "event.json").write_text(json.dumps({"before": sha}))
            monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))

    before("HEAD~2")
    said = pushed.run("ratchet", "--format", "json").json()
    assert ([f["code"] for f in said["findings"]], said["base"]) == (["grown"], pushed.git("rev-parse", "HEAD~2"))
    before("HEAD~1")
    # This push did not let it grow: the note says so, and the push that did was red.
    assert codes(pushed) == [("over-base", "note")]
    before("0" * 40)
    assert codes(pushed) == [("grown", "error")]
    if service == "github":
        before("HEAD~1")
        monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
        assert codes(pushed) == [("grown", "error")]
        monkeypatch.delenv("GITHUB_EVENT_NAME")
    before("f" * 40)  # thrown away by a forced push
    assert codes(pushed) == [("grown", "error")]


def test_a_shallow_clone_that_lacks_it_says_how_to_deepen(
    origin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_COMMIT_BEFORE_SHA", origin.git("rev-parse", "HEAD"))
    origin.files({"README": "other\n"})
    origin.commit()
    work = cloned(origin, tmp_path / "work", "--depth=1")
    said = work.run("ratchet")
    assert (said.code, "`git fetch --unshallow`" in said.error) == (3, True)


def test_an_uncommitted_change_on_main_is_compared_with_head(pushed: Any) -> None:
    pushed.files({"b.py": "1\n2\n"})
    assert codes(pushed) == [("grown", "error"), ("over-base", "note")]


def test_a_new_branch_without_a_commit_is_not_blamed_for_main(pushed: Any) -> None:
    pushed.git("switch", "--quiet", "--create", "topic")
    assert codes(pushed) == [("over-base", "note")]


def test_a_merge_queue_compares_with_its_base(origin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = origin.git("rev-parse", "HEAD")
    origin.git("switch", "--quiet", "--create", "gh-readonly-queue/main/pr-1")
    origin.files({"a.py": "1\n2\n3\n4\n"})
    origin.commit()
    origin.git("branch", "--quiet", "--force", "main", "HEAD")
    (tmp_path / "event.json").write_text(json.dumps({"merge_group": {"base_sha": first}}))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    assert codes(origin) == [("grown", "error")]


# What `--absolute` sees of rules and caps.


def raised_in_the_lock(repo: Any) -> None:
    repo.files({"ratchet.lock": repo.read("ratchet.lock").replace("3 ", "9 "), "a.py": "1\n" * 9})


def rule_removed(repo: Any) -> None:
    repo.files({"ratchet.toml": RULES.partition("\n\n")[0] + "\n", "ratchet.lock": "3 lines:a.py\n"})


@pytest.mark.parametrize(
    ("loosen", "code"), [(raised_in_the_lock, "loosened-cap"), (rule_removed, "loosened-rule")]
)  # fmt: skip
@pytest.mark.parametrize("committed", [False, True])
def test_absolute_sees_a_loosening(origin: Any, loosen: Any, code: str, committed: bool) -> None:
    loosen(origin)
    if committed:
        origin.commit("loosened")
    assert codes(origin, "--absolute") == [(code, "error")]
    key = ("rule:b",) if code == "loosened-rule" else ("lines:a.py", "--to", "9")
    if code == "loosened-cap":
        origin.git("checkout", "--quiet", "HEAD~1" if committed else "HEAD", "--", "ratchet.lock")
    assert origin.run("ratchet", "raise", *key, *RAISE).code == 0
    assert codes(origin, "--absolute") == []
    origin.commit("with its reason")
    assert codes(origin, "--absolute") == []
    origin.commit("nothing more")
    assert codes(origin, "--absolute") == []


def test_absolute_sees_a_loosening_in_a_push_of_several_commits(origin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = origin.git("rev-parse", "HEAD")
    rule_removed(origin)
    origin.commit("loosened")
    origin.commit("nothing more")
    assert codes(origin, "--absolute") == []
    monkeypatch.setenv("CI_COMMIT_BEFORE_SHA", first)
    assert codes(origin, "--absolute") == [("loosened-rule", "error")]


def test_absolute_says_what_a_shallow_clone_hides(origin: Any, tmp_path: Path) -> None:
    rule_removed(origin)
    origin.commit("loosened")
    work = cloned(origin, tmp_path / "work", "--depth=1")
    assert codes(work, "--absolute") == [("unseen", "note")]
    work = cloned(origin, tmp_path / "deeper", "--depth=2")
    assert codes(work, "--absolute") == [("loosened-rule", "error")]


# Files of the ratchet that are gone.


@pytest.mark.parametrize("how", [("--absolute",), ("--base", "main")])
def test_both_files_deleted_is_red_with_the_way_back(origin: Any, how: tuple[str, ...]) -> None:
    origin.git("switch", "--quiet", "--create", "topic")
    origin.git("rm", "--quiet", "ratchet.toml", "ratchet.lock")
    assert codes(origin, *how) == [("removed", "error")] * 2
    origin.commit("no ratchet any more")
    assert codes(origin, *how) == [("removed", "error")] * 2
    base = origin.git("rev-parse", "main")[:10]
    said = origin.run("ratchet", *how)
    assert f"mend: `git checkout {base} -- ratchet.toml ratchet.lock` brings it back; a rule ends" in said.out


def test_deleted_rules_are_not_begun_anew(origin: Any) -> None:
    (origin.root / "ratchet.toml").unlink()
    for command in (("init",), ("tighten",), ("raise", "lines:a.py", "--to", "9", *RAISE)):
        said = origin.run("ratchet", *command)
        assert (said.code, "`git checkout HEAD -- ratchet.toml ratchet.lock` brings them back" in said.error) == (
            2,
            True,
        )
    assert origin.git("status", "--porcelain") == "D ratchet.toml"


def test_a_ratchet_ends_with_its_reasons_on_record(origin: Any) -> None:
    origin.git("switch", "--quiet", "--create", "topic")
    reasons = "".join(
        f'[[raise]]\nkey = "rule:{name}"\nreason = "the files are gone for good"\nowner = "ops"\n\n' for name in "ab"
    )
    origin.files({"ratchet.toml": reasons, "ratchet.lock": ""})
    assert codes(origin, "--base", "main") == []
    origin.commit()
    origin.git("switch", "--quiet", "--create", "next")
    origin.git("rm", "--quiet", "ratchet.toml", "ratchet.lock")
    said = origin.run("ratchet", "--base", "topic")
    assert (said.code, "they were deleted" in said.error) == (2, False)


def test_a_lost_row_is_not_recorded_anew(origin: Any) -> None:
    origin.git("switch", "--quiet", "--create", "topic")
    origin.files({"ratchet.lock": "1 lines:b.py\n", "a.py": "1\n" * 9})
    said = origin.run("ratchet", "--base", "main")
    assert said.code == 1
    assert "the lock has lost the cap of 3 [loosened-cap] (lines:a.py)" in said.out
    assert "tighten` records it" not in said.out


def test_a_deleted_lock_is_not_recorded_anew(origin: Any) -> None:
    (origin.root / "ratchet.lock").unlink()
    for command in (("init",), ("tighten",), ("raise", "lines:a.py", "--to", "9", *RAISE)):
        said = origin.run("ratchet", *command)
        assert (said.code, "brings it back" in said.error) == (2, True)
    assert origin.git("status", "--porcelain") == "D ratchet.lock"

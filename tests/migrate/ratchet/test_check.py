"""The check against the merge base: each complaint about other ratchets is a test here."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

LOCK = "# The caps of `graphlift ratchet`, which writes this file; people edit the rules and their raises.\n"


def lines(count: int, word: str = "x") -> str:
    return "".join(f"{word}{number} = {number}\n" for number in range(count))


RULES = """\
[[rule]]
id = "walker"
metric = "lines"
paths = ["src/walker.py", "src/other.py"]
owner = "flows"

[[rule]]
id = "small-files"
metric = "lines"
paths = ["src/**/*.py"]
cap = 50
"""


def test_the_lock_has_a_row_only_where_the_rule_alone_would_not_hold(branch: Any) -> None:
    assert branch.read("ratchet.lock") == LOCK + "\n80 lines:src/other.py\n\n100 lines:src/walker.py\n"


def test_nothing_changed_is_green(branch: Any) -> None:
    assert branch.check().code == 0


def test_growth_is_red_and_says_what_to_do(branch: Any) -> None:
    branch.files({"src/walker.py": lines(101)})
    said = branch.run("ratchet", "--base", "main")
    assert said.code == 1
    assert (
        "src/walker.py:1: error: 101, and the cap is 100, 100 at the merge base (owner: flows) [grown] (lines:src/walker.py)"
        in said.out
    )
    assert "graphlift ratchet raise 'lines:src/walker.py' --to 101 --reason … --owner …" in said.out


def test_shrinking_passes_without_ceremony(branch: Any) -> None:
    branch.files({"src/walker.py": lines(60)})
    assert branch.check().code == 0


def test_a_file_that_appears_later_is_under_the_cap_of_its_rule(branch: Any) -> None:
    branch.files({"src/deep/new.py": lines(50)})
    assert branch.check().code == 0
    branch.files({"src/deep/new.py": lines(51)})
    assert branch.check().codes == ["grown"]


def test_a_raise_by_editing_only_the_lock_is_red(branch: Any) -> None:
    branch.files({"ratchet.lock": branch.read("ratchet.lock").replace("100 ", "120 ")})
    assert branch.check().codes == ["loosened-cap"]
    branch.files({"src/walker.py": lines(110)})
    assert branch.check().codes == ["grown"]


def test_a_row_deleted_from_the_lock_is_red(branch: Any) -> None:
    branch.files({"ratchet.lock": LOCK + "\n80 lines:src/other.py\n"})
    # Without the row, the open rule's cap of 50 holds, which is stricter: the file is over it as it was before.
    assert branch.check().code == 0
    branch.files({"src/walker.py": lines(101)})
    assert branch.check().codes == ["grown"]


def test_a_raise_with_an_entry_is_green_and_keeps_the_comments(branch: Any) -> None:
    branch.files({"src/walker.py": lines(110)})
    raised = branch.run(
        "ratchet", "raise", "lines:src/walker.py", "--to", "110", "--reason", "couriers", "--owner", "ops"
    )
    assert raised.code == 0
    assert branch.check().code == 0
    assert 'id = "walker"          # the old engine' in branch.read("ratchet.toml")
    assert branch.read("ratchet.toml").endswith(
        '[[raise]]\nkey = "lines:src/walker.py"\nfrom = 100\nto = 110\nreason = "couriers"\nowner = "ops"\n'
    )
    branch.files({"src/walker.py": lines(111)})
    assert branch.check().codes == ["grown"]


def test_an_old_raise_does_not_pay_for_new_growth(branch: Any) -> None:
    branch.files({"src/walker.py": lines(110)})
    branch.run("ratchet", "raise", "lines:src/walker.py", "--to", "110", "--reason", "couriers", "--owner", "ops")
    branch.commit()
    branch.git("switch", "--quiet", "main")
    branch.git("merge", "--quiet", "branch")
    branch.git("switch", "--quiet", "--create", "next")
    branch.files({"ratchet.lock": branch.read("ratchet.lock").replace("110 ", "130 "), "src/walker.py": lines(130)})
    assert branch.check().codes == ["grown"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('paths = ["src/walker.py", "src/other.py"]', 'paths = ["src/other.py"]'),
        ('cap = 50', 'cap = 500'),
        ('cap = 50', 'cap = 50\nexclude = ["src/small.py"]'),
        ('paths = ["src/**/*.py"]', 'paths = ["src/*.py"]'),
        ('cap = 50', 'cap = 50\nwhen-absent = "src/walker.py"'),
        ('id = "small-files"\nmetric = "lines"', 'id = "small-files"\nmetric = "code-lines"'),
    ],
)  # fmt: skip
def test_a_rule_that_gets_looser_is_red_without_a_raise(branch: Any, before: str, after: str) -> None:
    assert before in branch.read("ratchet.toml")
    branch.files({"ratchet.toml": branch.read("ratchet.toml").replace(before, after)})
    assert "loosened-rule" in branch.check().codes
    name = "walker" if "other" in before else "small-files"
    assert branch.run("ratchet", "raise", f"rule:{name}", "--reason", "agreed", "--owner", "ops").code == 0
    assert "loosened-rule" not in branch.check().codes


def test_a_rule_removed_is_red(branch: Any) -> None:
    branch.files({"ratchet.toml": branch.read("ratchet.toml").partition('[[rule]]\nid = "small-files"')[0]})
    assert branch.check().codes == ["loosened-rule"]


def test_an_exclusion_that_hides_growth_is_red(branch: Any) -> None:
    rules = branch.read("ratchet.toml").replace("cap = 50", 'cap = 50\nexclude = ["src/generated.py"]')
    branch.files({"ratchet.toml": rules, "src/generated.py": lines(900)})
    assert branch.check().codes == ["loosened-rule"]


def test_a_stricter_rule_is_green(branch: Any) -> None:
    branch.files({"ratchet.toml": branch.read("ratchet.toml").replace("cap = 50", "cap = 40")})
    assert branch.check().code == 0


def test_main_lowers_a_cap_while_a_branch_is_open(branch: Any) -> None:
    branch.git("switch", "--quiet", "main")
    branch.files({"src/walker.py": lines(90)})
    branch.run("ratchet", "tighten")
    branch.commit("shrink")
    branch.git("switch", "--quiet", "branch")
    branch.files({"README": "other work\n"})
    branch.commit()
    assert branch.check().code == 0
    branch.git("merge", "--quiet", "--no-edit", "main")
    assert branch.check().code == 0


def test_two_green_branches_whose_merge_is_red_are_caught_by_absolute(branch: Any) -> None:
    original = lines(95)
    branch.git("switch", "--quiet", "main")
    branch.files({"src/walker.py": original})
    branch.commit("room for five lines")
    branch.git("branch", "--force", "branch", "main")
    branch.git("switch", "--quiet", "branch")
    branch.files({"src/walker.py": "".join(f"above{n} = {n}\n" for n in range(4)) + original})
    branch.commit("four at the top")
    assert branch.check().code == 0
    branch.git("switch", "--quiet", "--create", "second", "main")
    branch.files({"src/walker.py": original + "".join(f"below{n} = {n}\n" for n in range(4))})
    branch.commit("four at the end")
    assert branch.check().code == 0
    branch.git("switch", "--quiet", "main")
    branch.git("merge", "--quiet", "--no-edit", "branch", "second")
    assert branch.check("--absolute").codes == ["grown"]


def test_two_branches_that_change_other_caps_merge_without_a_conflict(branch: Any) -> None:
    branch.files({"src/walker.py": lines(70)})
    branch.run("ratchet", "tighten")
    branch.commit("lower one")
    branch.git("switch", "--quiet", "--create", "second", "main")
    branch.files({"src/other.py": lines(85)})
    branch.run("ratchet", "raise", "lines:src/other.py", "--to", "85", "--reason", "refunds", "--owner", "ops")
    branch.commit("raise the neighbour")
    branch.git("merge", "--quiet", "--no-edit", "branch")
    assert branch.read("ratchet.lock") == LOCK + "\n85 lines:src/other.py\n\n70 lines:src/walker.py\n"
    assert branch.check("--absolute").code == 0


def test_a_rename_is_followed(branch: Any) -> None:
    branch.git("mv", "src/walker.py", "src/engine.py")
    assert set(branch.check().codes) == {"stale"}
    assert branch.run("ratchet", "tighten").code == 0
    assert branch.read("ratchet.lock") == LOCK + "\n100 lines:src/engine.py\n\n80 lines:src/other.py\n"
    assert 'paths = ["src/engine.py", "src/other.py"]' in branch.read("ratchet.toml")
    assert branch.check().code == 0
    branch.files({"src/engine.py": lines(101)})
    assert branch.check().codes == ["grown"]


def test_a_file_that_is_moved_out_of_its_rule_is_red(branch: Any) -> None:
    (branch.root / "lib").mkdir()
    branch.git("mv", "src/walker.py", "lib/walker.py")
    rules = branch.read("ratchet.toml").replace('"src/walker.py", ', "")
    branch.files({"ratchet.toml": rules, "ratchet.lock": LOCK + "\n80 lines:src/other.py\n"})
    assert set(branch.check().codes) == {"escaped", "loosened-rule"}


def test_a_split_keeps_the_sum(branch: Any) -> None:
    branch.files({"src/walker.py": lines(40), "src/results.py": lines(60)})
    said = branch.check()
    assert said.codes == ["grown"]
    # Below git's similarity, so it is asked for.
    assert (
        "if it was taken out of src/walker.py: `graphlift ratchet mv src/walker.py src/walker.py src/results.py`"
        in said.out
    )
    moved = branch.run("ratchet", "mv", "src/walker.py", "src/walker.py", "src/results.py")
    assert moved.code == 0, moved
    assert branch.check().code == 0
    assert "60 lines:src/results.py" in branch.read("ratchet.lock")
    assert 'paths = ["src/walker.py", "src/results.py", "src/other.py"]' in branch.read("ratchet.toml")
    branch.files({"src/results.py": lines(61)})
    assert branch.check().codes == ["grown"]
    lock = branch.read("ratchet.lock").replace("60 lines:src/results.py", "61 lines:src/results.py")
    branch.files({"ratchet.lock": lock})
    assert "sum-rises" in branch.check().codes


def test_a_split_that_comes_to_more_is_refused(branch: Any) -> None:
    branch.files({"src/walker.py": lines(40), "src/results.py": lines(61)})
    moved = branch.run("ratchet", "mv", "src/walker.py", "src/walker.py", "src/results.py")
    assert moved.code == 2
    assert "src/walker.py, src/results.py come to 101, and src/walker.py was capped at 100" in moved.error


def test_a_deleted_file_takes_its_row_along(branch: Any) -> None:
    (branch.root / "src/other.py").unlink()
    assert branch.check().codes == ["stale"]
    branch.run("ratchet", "tighten")
    assert branch.check().code == 0
    assert "other" not in branch.read("ratchet.lock")


def test_a_row_that_was_stale_before_is_somebody_elses(branch: Any) -> None:
    branch.git("switch", "--quiet", "main")
    (branch.root / "src/other.py").unlink()
    branch.commit("forgot to tighten")
    branch.git("switch", "--quiet", "--create", "late")
    said = branch.check()
    assert said.code == 0
    assert [(f["code"], f["level"]) for f in said.json()["findings"]] == [("stale", "note")]


def test_a_partial_run_says_nothing_about_other_files(branch: Any) -> None:
    (branch.root / "src/other.py").unlink()
    branch.files({"src/small.py": lines(60)})
    assert branch.check("src/walker.py").code == 0
    assert branch.check("src/small.py").codes == ["grown"]


@pytest.mark.parametrize("text", [lines(100).replace("\n", "\r\n"), lines(100)[:-1], lines(99) + "\f\n"])
def test_newlines_final_newline_and_form_feeds_make_no_difference(branch: Any, text: str) -> None:
    branch.files({"src/walker.py": text})
    assert branch.check().code == 0
    assert branch.run("ratchet", "tighten").out == "nothing to change\n"


def test_a_crlf_checkout_of_the_ratchets_own_files_is_the_same(branch: Any) -> None:
    for name in ("ratchet.toml", "ratchet.lock"):
        branch.files({name: branch.read(name).replace("\n", "\r\n")})
    assert branch.check().code == 0
    assert branch.run("ratchet", "tighten").out == "nothing to change\n"
    branch.run("ratchet", "raise", "lines:src/walker.py", "--to", "110", "--reason", "couriers", "--owner", "ops")
    assert "\n" not in branch.read("ratchet.toml").replace("\r\n", "")


def test_staged_checks_what_is_staged(branch: Any) -> None:
    branch.files({"src/walker.py": lines(120)})
    assert branch.check("--staged").code == 0
    branch.git("add", "src/walker.py")
    branch.files({"src/walker.py": lines(10)})
    assert branch.check("--staged").codes == ["grown"]


def test_a_number_over_its_cap_may_stay_but_not_grow(branch: Any) -> None:
    branch.git("switch", "--quiet", "main")
    branch.files({"src/walker.py": lines(105)})
    branch.commit("somebody pushed past the check")
    branch.git("switch", "--quiet", "--create", "late")
    said = branch.check()
    assert (said.code, [f["code"] for f in said.json()["findings"]]) == (0, ["over-base"])
    branch.files({"src/walker.py": lines(106)})
    assert branch.check().codes == ["grown"]


def test_the_ratchet_may_begin_on_a_branch(repo: Any) -> None:
    repo.files({"a.py": lines(9)})
    repo.commit("main")
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"ratchet.toml": '[[rule]]\nid = "a"\nmetric = "lines"\npaths = ["a.py"]\n'})
    assert repo.check().codes == ["unrecorded"]
    repo.run("ratchet", "tighten")
    assert repo.check().code == 0


def test_findings_come_in_one_order(branch: Any) -> None:
    branch.files({"src/walker.py": lines(101), "src/other.py": lines(81), "src/a.py": lines(51)})
    first = branch.check()
    assert [f["file"] for f in first.json()["findings"]] == ["src/a.py", "src/other.py", "src/walker.py"]
    assert branch.check().out == first.out


def test_a_conflict_in_the_lock_is_named_with_its_line(branch: Any) -> None:
    branch.files({"ratchet.lock": LOCK + "<<<<<<< ours\n1 lines:a\n"})
    said = branch.check()
    assert (said.code, said.error.splitlines()[0]) == (2, "ratchet.lock:2: an unresolved merge conflict")


def test_a_file_behind_a_link_is_not_counted(branch: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(lines(900))
    (branch.root / "src/link.py").symlink_to(outside)
    assert branch.check().code == 0


@pytest.mark.parametrize("again", ["", '\n[[move]]\nfrom = "src/walker.py"\nto = ["src/b.py"]\n'])
def test_a_move_hands_a_cap_on_once(branch: Any, again: str) -> None:
    moved = '\n[[move]]\nfrom = "src/walker.py"\nto = ["src/a.py"]\n'
    files = {"src/a.py": lines(100), **({"src/b.py": lines(100)} if again else {})}
    rows = "".join(f"\n100 lines:{name}\n" for name in (*files, "src/walker.py"))
    branch.files(
        {**files, "ratchet.toml": RULES + moved + again, "ratchet.lock": LOCK + "\n80 lines:src/other.py\n" + rows}
    )
    assert "sum-rises" in branch.check().codes


def test_other_names_for_the_two_files_do_not_hide_the_merge_base(branch: Any) -> None:
    branch.files({"graphlift.toml": '[ratchet]\nrules = "new.toml"\nlock = "new.lock"\n', "src/walker.py": lines(900)})
    branch.files({"new.toml": RULES, "new.lock": branch.read("ratchet.lock").replace("100 ", "900 ")})
    assert branch.check().codes == ["grown"]


GENERATED = "# Code generated by protoc. DO NOT EDIT.\n"


@pytest.fixture
def skipping(branch: Any) -> Any:
    """The branch's rule for small files leaves generated ones out, on main too."""
    branch.git("switch", "--quiet", "main")
    branch.files({"ratchet.toml": RULES.replace("cap = 50", "cap = 50\nskip-generated = true")})
    branch.commit("generated files")
    branch.git("switch", "--quiet", "--create", "topic")
    return branch


@pytest.mark.parametrize("head", [GENERATED, "# @generated\n", '"""Generated by a tool; do not modify."""\n'])
def test_a_rule_leaves_generated_files_out(skipping: Any, head: str) -> None:
    skipping.files({"src/made.py": head + lines(900)})
    assert skipping.check().code == 0
    skipping.files({"src/made.py": lines(900) + head})
    assert skipping.check().codes == ["grown"]


def test_a_mark_does_not_hide_a_file_that_people_wrote(skipping: Any) -> None:
    skipping.files({"src/small.py": GENERATED + lines(900)})
    assert skipping.check().codes == ["hidden"]
    skipping.git("add", "--all")
    assert skipping.check("--staged").codes == ["hidden"]
    skipping.run("ratchet", "raise", "rule:small-files", "--reason", "it is made now", "--owner", "ops")
    assert skipping.check().code == 0


def test_leaving_generated_files_out_is_a_loosening(branch: Any) -> None:
    branch.files({"ratchet.toml": RULES.replace("cap = 50", "cap = 50\nskip-generated = true")})
    assert branch.check().codes == ["loosened-rule"]


GOAL = RULES.replace('owner = "flows"', 'goal = 40\nby = 2090-06-30\nowner = "flows"')


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("goal = 40\nby = 2090-06-30\n", "", ["loosened-rule"]),
        ("goal = 40", "goal = 41", ["loosened-rule"]),
        ("by = 2090-06-30", "by = 2091-01-01", ["loosened-rule"]),
        ("by = 2090-06-30\n", "", ["loosened-rule"]),
        ("goal = 40", "goal = 30", []),
        ("by = 2090-06-30", "by = 2090-01-01", []),
    ],
)
def test_a_goal_that_goes_or_is_put_off_is_a_loosening(branch: Any, before: str, after: str, codes: list[str]) -> None:
    branch.git("switch", "--quiet", "main")
    branch.files({"ratchet.toml": GOAL})
    branch.commit("a goal")
    branch.git("switch", "--quiet", "--create", "topic")
    assert before in GOAL
    branch.files({"ratchet.toml": GOAL.replace(before, after)})
    assert branch.check().codes == codes
    branch.run("ratchet", "raise", "rule:walker", "--reason", "agreed", "--owner", "ops")
    assert branch.check().codes == []


def test_a_new_file_that_nothing_lost_lines_for_is_just_too_long(branch: Any) -> None:
    branch.files({"src/fresh.py": lines(60)})
    assert "ratchet mv" not in branch.check().out
    (branch.root / "src/walker.py").unlink()
    assert "`graphlift ratchet mv src/walker.py src/fresh.py`" in branch.check().out


def test_a_raise_of_a_rule_that_never_was_is_refused(branch: Any) -> None:
    said = branch.run("ratchet", "raise", "rule:smal-files", "--reason", "x", "--owner", "y")
    assert (said.code, said.error) == (2, "there is no rule 'smal-files'\n  mend: rules are small-files, walker")


def test_a_partial_run_takes_folders_and_never_checks_nothing(branch: Any) -> None:
    branch.files({"src/deep/new.py": lines(60), "src/small.py": lines(60)})
    assert [f["file"] for f in branch.check("src/deep").json()["findings"]] == ["src/deep/new.py"]
    assert len(branch.check(".").codes) == 2
    said = branch.check("src/misspelt.py")
    assert (said.code, said.error.splitlines()[0]) == (2, "there is no src/misspelt.py")


def test_a_path_that_a_glob_takes_over_is_no_loosening(branch: Any) -> None:
    rules = branch.read("ratchet.toml").replace('["src/walker.py", "src/other.py"]', '["src/[wo]*.py"]')
    branch.files({"ratchet.toml": rules.replace('owner = "flows"', 'owner = "flows"\ncap = 10')})
    assert branch.check().codes == []


def test_file_names_of_any_kind_are_one_line_and_can_be_recorded_and_raised(repo: Any) -> None:
    names = ["src/a b.py", "src/a\nb.py", "src/it's.py", "src/a::b.py", os.fsdecode(b"src/\xe9.py")]
    repo.files({**dict.fromkeys(names, lines(60)), "ratchet.toml": RULES.replace("src/walker.py", "src/a b.py")})
    assert repo.run("ratchet", "init").code == 0
    rows = [line for line in repo.read("ratchet.lock").splitlines() if line.startswith("60 ")]
    assert rows == [
        "60 lines:src/a%0Ab.py",
        "60 lines:src/a b.py",
        "60 lines:src/a%3A%3Ab.py",
        "60 lines:src/it's.py",
        "60 lines:src/%E9.py",
    ]
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files(dict.fromkeys(names, lines(61)))
    said = repo.run("ratchet", "check", "--base", "main").out
    assert said.count("[grown]") == 5
    assert "src/a%0Ab.py:1: error: 61" in said
    for line in said.splitlines():
        if "graphlift ratchet raise" in line:
            key = shlex.split(line.partition("ratchet raise ")[2].partition("`")[0])[0]
            assert repo.run("ratchet", "raise", key, "--to", "61", "--reason", "x", "--owner", "y").code == 0
    assert repo.run("ratchet", "check", "--base", "main").code == 0


def test_the_first_commit_of_all_is_checked_by_the_caps_alone(repo: Any) -> None:
    repo.files(
        {
            "src/a.py": lines(51),
            "ratchet.toml": '[[rule]]\nid = "r"\nmetric = "lines"\npaths = ["src/*.py"]\ncap = 50\n',
        }
    )
    repo.git("add", "--all")
    assert repo.check("--staged").codes == ["grown"]
    repo.files({"src/a.py": lines(50)})
    repo.git("add", "--all")
    assert repo.check("--staged").codes == []


@pytest.mark.parametrize("link", ["src/walker.py", "src"])
def test_a_capped_file_that_becomes_a_link_does_not_lose_its_cap_unseen(branch: Any, link: str) -> None:
    (branch.root / link).rename(branch.root / "elsewhere")
    (branch.root / link).symlink_to(branch.root / "elsewhere")
    branch.git("add", "--all")
    branch.run("ratchet", "tighten")
    branch.git("add", "--all")
    assert "escaped" in branch.check().codes


def test_conflict_marks_in_the_rules_are_called_that(branch: Any) -> None:
    branch.files({"ratchet.toml": RULES + "<<<<<<< ours\n"})
    said = branch.check()
    assert (said.code, said.error.splitlines()[0]) == (
        2,
        f"ratchet.toml:{RULES.count(chr(10)) + 1}: an unresolved merge conflict",
    )

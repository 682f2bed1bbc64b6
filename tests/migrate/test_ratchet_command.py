"""`graphlift ratchet` as users meet it: subcommands, formats, messages, exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

RULES = """\
[[rule]]
id = "big"
metric = "lines"
paths = ["a.py"]
"""


@pytest.fixture
def small(repo: Any) -> Any:
    repo.files({"a.py": "1\n2\n3\n", "ratchet.toml": RULES})
    repo.run("ratchet", "init")
    repo.commit()
    return repo


def test_init_without_a_configuration_writes_an_example(repo: Any) -> None:
    said = repo.run("ratchet", "init")
    assert (said.code, said.out, said.error) == (0, "nothing to change\n", "wrote ratchet.toml\n")
    assert "# [[rule]]" in repo.read("ratchet.toml")
    assert repo.run("ratchet", "--absolute").code == 0


def test_init_makes_rules_for_the_configured_symbols(repo: Any) -> None:
    repo.files({"graphlift.toml": '[[symbol]]\nlegacy = "old.Walker"\n', "old.py": "class Walker: ...\n"})
    repo.run("ratchet", "init")
    proofs = repo.run("ratchet", "prove", "--format", "json")
    assert {item["rule"]: item["outcome"] for item in proofs.json()["proofs"]} == {
        "legacy-files": "red",
        "legacy-references": "nothing to break",
        "no-Walker": "waiting",
    }
    assert proofs.code == 1
    repo.files({"app.py": "print()\n"})
    proofs = repo.run("ratchet", "prove", "--format", "json")
    assert {item["outcome"] for item in proofs.json()["proofs"]} == {"red", "waiting"}
    assert proofs.code == 0


def test_prove_sees_a_rule_that_guards_nothing(small: Any) -> None:
    small.files({"ratchet.toml": RULES + '\n[[rule]]\nid = "typo"\nmetric = "lines"\npaths = ["srcc/*.py"]\ncap = 9\n'})
    said = small.run("ratchet", "prove")
    assert said.code == 1
    assert "typo: nothing to break: no file or name that it could measure" in said.out


def test_prove_changes_nothing(small: Any) -> None:
    assert small.run("ratchet", "prove").code == 0
    assert small.git("status", "--porcelain") == ""


def test_without_rules_the_mend_is_init(repo: Any) -> None:
    said = repo.run("ratchet", "--absolute")
    assert (said.code, said.error) == (
        2,
        "ratchet.toml: the ratchet has no rules\n  mend: run `graphlift ratchet init`",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[rule]]\nid = "a"\nmetric = "linez"\n', "ratchet.toml: rule 'a': there is no metric 'linez'"),
        ('[[rule]]\nid = "a"\nmetric = "lines"\n', "ratchet.toml: rule 'a': a file that appears later would have no cap"),
        ('[[rule]]\nid = "a"\nmetric = "absent"\n', "ratchet.toml: rule 'a': metric 'absent' measures nothing without `names`"),
        ('\n[[rule]]\nid = "a"\nmetric = "lines"\npath = "x"\n', "ratchet.toml:5: rule.0.path: unknown key"),
        ('[[rule]\n', "ratchet.toml:1: is not valid TOML: Expected ']]' at the end of an array declaration"),
        ('[[raise]]\nkey = "lines:a"\nreason = "x"\nowner = "y"\n', "ratchet.toml:1: raise.0: a raise of a cap says how far: add `to = …`"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_named(repo: Any, text: str, message: str) -> None:
    repo.files({"ratchet.toml": text})
    said = repo.run("ratchet", "--absolute")
    # tomllib's own column differs between versions of Python.
    assert (said.code, said.error.splitlines()[0].partition(" (at line")[0]) == (2, message)


def test_a_raise_needs_a_reason_an_owner_and_a_higher_cap(small: Any) -> None:
    for options in (["--to", "9"], ["--to", "9", "--reason", "x"], ["--to", "3", "--reason", "x", "--owner", "y"]):
        assert small.run("ratchet", "raise", "lines:a.py", *options).code == 2
    assert small.run("ratchet", "raise", "lines:b.py", "--to", "9", "--reason", "x", "--owner", "y").code == 2
    assert small.git("status", "--porcelain") == ""


def test_raises_stand_in_the_order_of_keys(repo: Any) -> None:
    repo.files(
        {
            "ratchet.toml": RULES.replace('["a.py"]', '["a.py", "b.py", "c.py"]'),
            **dict.fromkeys(["a.py", "b.py", "c.py"], "1\n"),
        }
    )
    repo.run("ratchet", "init")
    for name in ("b", "c", "a", "b"):
        cap = "3" if f"lines:{name}.py" in repo.read("ratchet.toml") else "2"
        assert repo.run("ratchet", "raise", f"lines:{name}.py", "--to", cap, "--reason", "x", "--owner", "y").code == 0
    text = repo.read("ratchet.toml")
    assert [line for line in text.splitlines() if line.startswith(("key", "to"))] == [
        'key = "lines:a.py"', "to = 2", 'key = "lines:b.py"', "to = 3", 'key = "lines:c.py"', "to = 2",
    ]  # fmt: skip
    assert "\n\n\n" not in text


def test_explain_says_what_decides(small: Any) -> None:
    small.git("switch", "--quiet", "--create", "branch")
    small.files({"a.py": "1\n2\n3\n4\n"})
    small.run("ratchet", "raise", "lines:a.py", "--to", "4", "--reason", "couriers", "--owner", "ops")
    base = small.git("rev-parse", "main")[:10]
    said = small.run("ratchet", "explain", "a.py", "--base", "main")
    assert said.out == (
        "lines:a.py: 4, and the cap is 4 (from its row in the lock)\n"
        f"  at the merge base {base}: 3, cap 4\n"
        "  rule big: no cap of its own\n"
        "  raised to 4 by ops (new on this branch): couriers\n"
    )
    assert small.run("ratchet", "explain", "b.py", "--base", "main").code == 2


def test_explain_needs_no_merge_base(small: Any) -> None:
    small.git("branch", "--move", "trunk")
    assert small.run("ratchet").code == 3
    said = small.run("ratchet", "explain", "a.py")
    assert said.out.startswith("lines:a.py: 3, and the cap is 3 (from its row in the lock)\n")
    assert said.code == 0


def test_the_merge_driver_says_which_lock_it_cannot_read(small: Any) -> None:
    said = small.run("ratchet", "merge-driver", "no-base", "no-ours", "no-theirs")
    assert said.code == 2
    assert "no-base" in said.error


def test_github_annotations(small: Any) -> None:
    small.files({"a.py": "1\n2\n3\n4\n"})
    said = small.run("ratchet", "--absolute", "--format", "github")
    assert said.out.startswith(
        "::error file=a.py,line=1,title=graphlift ratchet%3A grown::lines:a.py: 4, and the cap is 3%0Amend: "
    )


def test_sarif(small: Any) -> None:
    small.files({"a.py": "1\n2\n3\n4\n"})
    run = json.loads(small.run("ratchet", "--absolute", "--format", "sarif").out)["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["grown"]
    assert run["results"][0]["partialFingerprints"] == {"graphliftRatchet/v1": "grown:lines:a.py"}
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a.py"}


def test_an_unknown_format(small: Any) -> None:
    assert small.run("ratchet", "--absolute", "--format", "xml").code == 2


def test_files_are_named_from_where_the_user_stands(small: Any) -> None:
    assert small.run("ratchet", "check", "--absolute", "../outside.py").code == 2


def test_the_lock_is_never_written_through_a_link(small: Any, tmp_path: Any) -> None:
    outside = tmp_path / "outside.lock"
    outside.write_text("9 lines:a.py\n")
    (small.root / "ratchet.lock").unlink()
    (small.root / "ratchet.lock").symlink_to(outside)
    said = small.run("ratchet", "tighten")
    assert (said.code, said.error.splitlines()[0]) == (3, "ratchet.lock: cannot be written: it is a symbolic link")
    assert outside.read_text() == "9 lines:a.py\n"

"""`graphlift status`: every stage is open until its proof is there, and the next command is the one that brings it on."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

TOML = '[[symbol]]\nlegacy = "old.Walker"\ncalled = "eng.new.build"\ntype = "eng.new.Runner"\n'
APP = "from old import Walker\n\n\ndef go():\n    return Walker()\n"


@pytest.fixture
def begun(repo: Any) -> Any:
    repo.files({"graphlift.toml": TOML, "old.py": "class Walker:\n    pass\n", "app.py": APP, "eng/__init__.py": ""})
    repo.commit()
    return repo


def done(repo: Any) -> list[str]:
    return [stage["id"] for stage in repo.run("status", "--format", "json").json()["stages"] if stage["done"]]


def following(repo: Any) -> Any:
    """What comes next, which every open stage says as a command that is there with just these options."""
    data = repo.run("status", "--format", "json").json()
    for each in data["stages"]:
        if not each["done"]:
            name, *arguments = each["next"].split()
            assert (name, repo.run(*arguments, "--help").code) == ("graphlift", 0), each["next"]
    return data["next"]


def stage(repo: Any, name: str) -> Any:
    return next(item for item in repo.run("status", "--format", "json").json()["stages"] if item["id"] == name)


def report(repo: Any, **changes: Any) -> None:
    files = {name: hashlib.sha256((repo.root / name).read_bytes()).hexdigest() for name in ("old.py", "eng/new.py")}
    data = {"schema": 1, "verdict": "green", "cases": 4, "partial": False, "divergences": [{"known": True}]}
    repo.files({".graphlift/parity.json": json.dumps({**data, "evidence": {"files": files}, **changes})})


def test_from_nothing_to_the_end(begun: Any) -> None:
    assert (done(begun), following(begun)) == (["configured", "inventory"], "graphlift parity")
    begun.files({"eng/new.py": "class Runner: ...\n\n\ndef build():\n    return Runner()\n"})
    assert done(begun) == ["configured", "inventory", "adapter"]
    report(begun)
    assert (done(begun), following(begun)) == (
        ["configured", "inventory", "parity", "adapter"],
        "graphlift codemod --apply",
    )
    begun.files({"app.py": "from eng.new import build\n\n\ndef go():\n    return build()\n"})
    assert (done(begun)[-1], following(begun)) == ("call-sites", "graphlift retire")
    assert begun.run("retire", "--apply", "--allow-dirty").code == 0
    said = begun.run("status", "--exit-code")
    assert said.code == 0
    assert said.out == (
        "[x] configured: graphlift.toml names 1 legacy symbol\n"
        "[x] every reference known: 0 references, 0 unexplained\n"
        "[x] engines agree: 1 of 1 retired on a green gate (4 cases, 1 known divergence)\n"
        "[x] adapter in place: 2 targets named, 0 missing\n"
        "[x] call sites migrated: 0 live references, 0 uses of private members among them\n"
        "[x] walker retired: 1 of 1 symbol deleted\n"
        "[x] ratchet armed: 3 rules, 1 number, 0 above their caps\n"
        "the migration is done\n"
    )


def test_without_a_configuration_only_the_first_stage_speaks(repo: Any) -> None:
    said = repo.run("status")
    assert (said.code, said.out) == (0, "[ ] configured: there is no graphlift.toml\nnext: graphlift init\n")
    assert repo.run("status", "--exit-code").code == 1


def test_a_configuration_without_symbols(repo: Any) -> None:
    repo.files({"graphlift.toml": "exclude = []\n"})
    assert following(repo) == "graphlift init --dry-run"


def test_figures_and_places(begun: Any) -> None:
    found = stage(begun, "call-sites")
    assert found["figures"] == {"live": 2, "private-members": 0, "rewritable": 2}
    assert found["open"] == ["app.py:1: import Walker", "app.py:5: call Walker"]
    assert stage(begun, "adapter")["open"] == [
        "old.Walker: there is no eng.new.Runner",
        "old.Walker: there is no eng.new.build",
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"verdict": "red"}, "the verdict is red"),
        ({"partial": True}, "only some of the cases were run"),
        ({"evidence": {"files": {"old.py": "0"}}}, "changed since: old.py"),
    ],
)
def test_a_report_that_is_not_about_this_state(begun: Any, changes: dict[str, Any], why: str) -> None:
    begun.files({"eng/new.py": "class Runner: ...\ndef build(): ...\n"})
    report(begun, **changes)
    assert (stage(begun, "parity")["done"], stage(begun, "parity")["open"]) == (False, [why])


def test_the_engines_figures(begun: Any) -> None:
    begun.files({"eng/new.py": ""})
    report(begun)
    assert stage(begun, "parity")["figures"] == {"cases": 4, "known-divergences": 1}


def test_a_broken_ratchet_is_a_stage_that_is_open_not_an_error(begun: Any) -> None:
    begun.files({"ratchet.toml": "[[rule]]\n"})
    said = begun.run("status")
    assert said.code == 0
    assert "[ ] ratchet armed: ratchet.toml:1: rule.0.id: Field required" in said.out


def test_a_number_above_its_cap_leaves_the_ratchet_open(begun: Any) -> None:
    rule = '[[rule]]\nid = "a"\nmetric = "lines"\npaths = ["app.py"]\n'
    begun.files({"ratchet.toml": rule, "ratchet.lock": "1 lines:app.py\n"})
    assert stage(begun, "ratchet")["open"] == [
        "lines:app.py: 5, and the cap is 1",
        "nothing forbids the return of old.Walker",
    ]
    assert stage(begun, "ratchet")["next"] == "graphlift ratchet --absolute"


def test_a_walker_that_comes_back_is_seen(begun: Any) -> None:
    begun.files({"eng/new.py": "class Runner: ...\ndef build(): ...\n", "app.py": ""})
    assert begun.run("retire", "--apply", "--allow-dirty", "--force", "--reason", "late").code == 0
    assert (
        stage(begun, "parity")["proof"] == "0 of 1 retired on a green gate, old.Walker by force: late (missing: parity)"
    )
    begun.files({"old.py": "class Walker:\n    pass\n"})
    assert {"retired", "ratchet", "parity"}.isdisjoint(done(begun))


def test_markdown_for_a_pull_request(begun: Any) -> None:
    said = begun.run("status", "--format", "markdown")
    lines = said.out.splitlines()
    assert lines[0] == "### Migration: 2 of 7 stages"
    assert "| ⬜ | walker retired | 0 of 1 symbol deleted |" in lines
    assert "Next: `graphlift parity`" in lines


def test_the_same_state_says_the_same(begun: Any) -> None:
    assert begun.run("status", "--format", "json").out == begun.run("status", "--format", "json").out
    assert begun.git("status", "--porcelain") == ""


def test_an_unknown_format(begun: Any) -> None:
    assert begun.run("status", "--format", "html").code == 2


def test_a_misspelt_symbol_is_no_finished_migration(sandbox: Any) -> None:
    sandbox.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "app.walker.Wolker"\nto = "app.engine.Runner"\n',
            "app/walker.py": "class Walker: ...\n",
        }
    )
    for command in (("inventory",), ("retire",), ("codemod",)):
        ran = sandbox.run(*command)
        assert (ran.code, "did you mean 'Walker'?" in ran.err) == (2, True)
    ran = sandbox.run("status", "--exit-code")
    assert (ran.code, "[ ] configured" in ran.out) == (1, True)


@pytest.fixture
def deleted(begun: Any) -> Any:
    """The walker was deleted by hand, and a second one of which no trace is left is configured."""
    two = TOML + '\n[[symbol]]\nlegacy = "gone.Walker"\nto = "eng.new.Runner"\n'
    begun.files(
        {"graphlift.toml": two, "old.py": "from eng.new import Runner as Walker\n", "app.py": "",
         "eng/new.py": "class Runner: ...\ndef build(): ...\n"}
    )  # fmt: skip
    return begun


def test_an_empty_list_of_symbols_proves_nothing(deleted: Any) -> None:
    found = stage(deleted, "parity")
    assert (found["done"], found["proof"]) == (False, "0 of 2 retired on a green gate")
    assert found["open"] == ["nothing proves that old.Walker might go", "nothing proves that gone.Walker might go"]
    assert found["next"] == "say in ratchet.toml why: a [[retired]] table with `symbol` and `forced`"


@pytest.mark.parametrize(
    ("record", "proven"),
    [
        ('verdict = "green"\ncases = 3\n', True),
        ('verdict = "red"\ncases = 3\n', False),
        ('verdict = "green"\n', False),
        ('forced = "deleted in 2024, before graphlift"\n', True),
        ('forced = ""\n', False),
        ("", False),
    ],
)
def test_a_record_proves_what_it_says(deleted: Any, record: str, proven: bool) -> None:
    text = f'[[retired]]\nsymbol = "old.Walker"\n{record}\n[[retired]]\nsymbol = "gone.Walker"\nforced = "never was"\n'
    deleted.files({"ratchet.toml": text})
    assert stage(deleted, "parity")["done"] is proven


def test_one_that_is_left_needs_the_gate_and_one_that_is_gone_its_record(deleted: Any) -> None:
    deleted.files({"old.py": "class Walker:\n    pass\n"})
    report(deleted)
    assert stage(deleted, "parity")["open"] == ["nothing proves that gone.Walker might go"]
    deleted.files({"ratchet.toml": '[[retired]]\nsymbol = "gone.Walker"\nverdict = "green"\ncases = 3\n'})
    found = stage(deleted, "parity")
    assert found["proof"] == (
        "green: 4 cases, 1 known divergence; 1 of 1 retired on a green gate (3 cases, 0 known divergences)"
    )
    assert found["done"] is True


def test_deleted_rules_are_not_a_ratchet_that_was_never_begun(begun: Any) -> None:
    begun.run("ratchet", "init")
    begun.commit()
    (begun.root / "ratchet.toml").unlink()
    found = stage(begun, "ratchet")
    assert (found["done"], found["next"]) == (False, "graphlift ratchet --absolute")
    assert found["open"][0].startswith("rule: there are no rules any more; at HEAD there were ")


def test_what_is_open_is_code_in_the_comment_and_what_is_said_is_not(begun: Any) -> None:
    begun.files({"app.py": APP + "\n\n".join(f"def go{n}():\n    return Walker()\n" for n in range(9))})
    begun.files({"eng/new.py": "class Runner: ...\ndef build(): ...\n"})
    report(begun)
    lines = begun.run("status", "--format", "markdown").out.splitlines()
    assert "- `app.py:1: import Walker`" in lines
    assert lines[-1] == "- and 6 more"
    begun.files({"eng/new.py": ""})
    report(begun)
    lines = begun.run("status", "--format", "markdown").out.splitlines()
    assert "Next: `graphlift retire`" in lines


def test_a_module_at_the_top_is_left_while_it_is_there(repo: Any) -> None:
    repo.files({"graphlift.toml": '[[symbol]]\nlegacy = "old"\nto = "new"\n', "old.py": "x = 1\n", "new.py": "x = 1\n"})
    assert stage(repo, "retired")["open"] == ["old.py:1: old"]
    repo.files({"old.py": "from new import x\n"})
    assert stage(repo, "retired")["done"] is True


def test_a_symbol_that_nothing_guards_is_guarded_by_the_command_that_comes_next(begun: Any) -> None:
    begun.files(
        {
            "ratchet.toml": '[[rule]]\nid = "no-Walker"\nmetric = "lines"\npaths = ["app.py"]    # ours\n',
            "eng/new.py": "class Runner: ...\n\n\ndef build():\n    return Runner()\n",
            "old.py": "from eng.new import Runner as Walker\n",
        }
    )
    begun.run("ratchet", "tighten")
    found = stage(begun, "ratchet")
    assert (found["open"][-1], found["next"]) == ("nothing forbids the return of old.Walker", "graphlift ratchet init")
    assert begun.run("ratchet", "init").code == 0
    assert stage(begun, "ratchet")["done"] is True
    text = begun.read("ratchet.toml")
    assert "# ours" in text
    assert begun.run("ratchet", "init").code == 0
    assert begun.read("ratchet.toml") == text


def test_first_rules_of_two_symbols_of_one_name(begun: Any) -> None:
    begun.files(
        {"graphlift.toml": TOML + TOML.replace("old.Walker", "older.Walker"), "older.py": "class Walker: ...\n"}
    )
    assert begun.run("ratchet", "init").code == 0
    assert {"no-old.Walker", "no-older.Walker"} <= set(begun.check("--absolute").json()["waiting"])

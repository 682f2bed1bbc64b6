"""A walker that comes back behind its old name, without being defined there."""

from __future__ import annotations

from typing import Any

import pytest

CONFIG = '[[symbol]]\nlegacy = "old.walker.Walker"\nto = "new.engine.Runner"\n'
RULES = '[[rule]]\nid = "r"\nmetric = "absent"\nnames = ["old.walker.Walker"]\n'
FILES = {
    "graphlift.toml": CONFIG,
    "ratchet.toml": RULES,
    "old/__init__.py": "",
    "new/__init__.py": "",
    "new/engine.py": "class Runner: ...\n",
    "place.py": "class Walker:\n    def run(self): ...\n\n\nclass Other: ...\n",
}

BACK = {
    "re-export": "from place import Walker\n",
    "under another name": "from place import Other as Walker\n",
    "assignment": "import place\n\nWalker = place.Walker\n",
    "assignment of another": "from place import Other\n\nWalker = Other\n",
    "star": "from place import *\n",
    "either": "try:\n    from new.engine import Runner as Walker\nexcept ImportError:\n    from place import Walker\n",
    "lazy": 'def __getattr__(name):\n    if name == "Walker":\n        from place import Walker\n\n        return Walker\n',
    "handed over": "import place\n\n\ndef __getattr__(name):\n    return getattr(place, name)\n",
    "handed to nobody knows whom": "def __getattr__(name):\n    return getattr(find()[0], name)\n",
    "another package's": "from elsewhere import Walker\n",
    "made": 'Walker = type("Walker", (), {})\n',
    "by a string": 'import place\n\nglobals()["Walker"] = place.Other\n',
    "by setattr": 'import sys, place\n\nsetattr(sys.modules[__name__], "Walker", place.Other)\n',
    "another module in its place": "import sys, place\n\nsys.modules[__name__] = place\n",
    "executed": 'exec("class Walker: ...")\n',
    "in a match": "match 1:\n    case _:\n        class Walker: ...\n",
    "another form of the letter": "class \N{FULLWIDTH LATIN CAPITAL LETTER W}alker: ...\n",
    "for another Python": "print 'x'\n\nclass Walker: ...\n",
}

GONE = {
    "alias": "from new.engine import Runner as Walker  # noqa: F401\n",
    "alias through another": "from new import engine\n\nWalker = engine.Runner\n",
    "late": 'def __getattr__(name):\n    if name == "Walker":\n        from new.engine import Runner\n\n        return Runner\n',
    "handed over": "from new import shim\n\n\ndef __getattr__(name):\n    return getattr(shim, name)\n",
    "wrapped": "from new.engine import Runner\n\nWalker = deprecated(Runner)\n",
    "nothing": "",
    "a word": 'NAME = "Walker"\n',
    "annotated": "Walker: type\n",
}


@pytest.mark.parametrize("how", BACK)
def test_it_is_back(repo: Any, how: str) -> None:
    repo.files({**FILES, "old/walker.py": BACK[how]})
    assert repo.check("--absolute").codes == ["grown"]


@pytest.mark.parametrize("how", GONE)
def test_only_what_it_became_may_stand_there(repo: Any, how: str) -> None:
    repo.files({**FILES, "old/walker.py": GONE[how], "new/shim.py": "from new.engine import Runner as Walker\n"})
    assert repo.check("--absolute").codes == []


def test_it_is_shown_where_it_is_now(repo: Any) -> None:
    repo.files({**FILES, "old/walker.py": "from between import Walker\n", "between.py": "from place import *\n"})
    (finding,) = repo.check("--absolute").json()["findings"]
    assert (finding["file"], finding["line"]) == ("place.py", 1)


def test_the_record_counts_before_a_configuration_that_was_changed(repo: Any) -> None:
    record = '[[retired]]\nsymbol = "old.walker.Walker"\ntarget = "new.engine.Runner"\n'
    changed = CONFIG.replace("new.engine.Runner", "place.Walker")
    files = {**FILES, "graphlift.toml": changed, "old/walker.py": BACK["re-export"]}
    repo.files(files)
    assert repo.check("--absolute").codes == []
    repo.files({"ratchet.toml": RULES + record})
    assert repo.check("--absolute").codes == ["grown"]


RECORD = '\n[[retired]]\nsymbol = "old.walker.Walker"\ntarget = "new.engine.Runner"\n'


@pytest.mark.parametrize(
    "record",
    ["", RECORD.replace("new.engine.Runner", "place.Walker"), RECORD + RECORD.replace("new.engine.R", "place.W")],
)
def test_a_record_that_is_changed_is_red_without_a_raise(repo: Any, record: str) -> None:
    repo.files({**FILES, "old/walker.py": "", "ratchet.toml": RULES + RECORD})
    repo.commit()
    repo.files({"ratchet.toml": RULES + record})
    assert repo.check().codes == ["loosened-rule"]
    assert repo.run("ratchet", "raise", "rule:r", "--reason", "moved again", "--owner", "ann").code == 0
    assert repo.check().codes == []


def test_a_configuration_that_lets_it_become_something_else_is_red(repo: Any) -> None:
    repo.files({**FILES, "old/walker.py": GONE["alias"]})
    repo.commit()
    repo.files(
        {"graphlift.toml": CONFIG.replace("new.engine.Runner", "place.Walker"), "old/walker.py": BACK["re-export"]}
    )
    assert repo.check().codes == ["settings"]


def test_of_a_name_that_nobody_configured_only_the_class_itself_is_known(repo: Any) -> None:
    repo.files({**FILES, "graphlift.toml": "", "old/walker.py": BACK["re-export"]})
    assert repo.check("--absolute").codes == ["grown"]
    repo.files({"old/walker.py": BACK["under another name"]})
    assert repo.check("--absolute").codes == []


def test_a_package_hides_the_module_of_its_name(repo: Any) -> None:
    repo.files({**FILES, "old/walker.py": GONE["alias"], "old/walker/__init__.py": "class Walker: ...\n"})
    assert repo.check("--absolute").codes == ["grown"]


def test_status_and_retire_see_it(repo: Any) -> None:
    repo.files({**FILES, "old/walker.py": BACK["re-export"]})
    repo.commit()
    stages = {stage["id"]: stage for stage in repo.run("status", "--format", "json").json()["stages"]}
    assert stages["retired"]["done"] is False
    assert stages["retired"]["open"] == ["place.py:1: old.walker.Walker"]
    said = repo.run("retire")
    assert (said.code, "place.py:1" in said.error) == (2, True)
    repo.files({"old/walker.py": GONE["alias"]})
    stages = {stage["id"]: stage for stage in repo.run("status", "--format", "json").json()["stages"]}
    assert stages["retired"]["done"] is True


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("link", ["old/walker.py", "old/walker", "old"])
def test_a_link_in_its_place_is_not_looked_through_and_counts(repo: Any, link: str, staged: bool) -> None:
    repo.files({name: text for name, text in FILES.items() if not name.startswith("old")})
    repo.commit()
    (repo.root / link).parent.mkdir(exist_ok=True)
    (repo.root / link).symlink_to("place.py" if link.endswith(".py") else "new")
    repo.git("add", "--all")
    assert repo.check("--staged" if staged else "--absolute").codes == ["grown"]


def test_compiled_code_in_its_place_counts(repo: Any) -> None:
    repo.files({**FILES, "old/walker.py": GONE["alias"], "old/walker.abi3.so": "\0"})
    assert repo.check("--absolute").codes == ["grown"]


def test_a_submodule_in_its_place_counts(repo: Any, tmp_path: Any) -> None:
    repo.files({"__init__.py": "class Walker: ...\n"})
    commit = repo.commit()
    repo.git("rm", "--quiet", "__init__.py")
    repo.files({**FILES, "old/walker.py": GONE["alias"]})
    repo.commit()
    assert repo.check("--staged").codes == []
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},old/walker")
    assert repo.check("--staged").codes == ["grown"]
    (repo.root / "old/walker").mkdir()
    assert repo.check("--absolute").codes == ["grown"]


@pytest.mark.parametrize(
    "line", ["import old.walker\n\nold.walker.Walker = Other\n", "import old.walker as w\n\nw.Walker = Other\n"]
)
def test_what_another_file_puts_in_its_place_is_a_reference(repo: Any, line: str) -> None:
    rules = '[[rule]]\nid = "refs"\nmetric = "references"\n'
    repo.files({**FILES, "old/walker.py": GONE["alias"], "ratchet.toml": rules, "app.py": "from place import Other\n"})
    assert repo.check("--absolute").codes == []
    repo.files({"boot.py": "from place import Other\n" + line})
    assert repo.check("--absolute").codes == ["grown"]


@pytest.mark.parametrize("how", ["re-export", "defined"])
def test_a_folder_that_is_searched_first_hides_nothing(repo: Any, how: str) -> None:
    text = BACK.get(how, "class Walker: ...\n")
    repo.files({**FILES, "graphlift.toml": 'source = ["decoy", "."]\n' + CONFIG, "decoy/old/walker.py": GONE["alias"]})
    repo.files({"old/walker.py": text})
    assert repo.check("--absolute").codes == ["grown"]

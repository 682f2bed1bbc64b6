"""`graphlift retire --apply` on a real repository: what it writes, that it works, and that it can be taken back."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

TOML = '[[symbol]]\nlegacy = "flows.walker.Walker"\ncalled = "flows.engine.build"\ntype = "flows.engine.Runner"\n'

WALKER = '''\
"""Types, and the walker."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass
class Result:
    names: list[str]


class Walker:
    def run(self, start: str) -> Result:
        return Result([*deque([start])])


Executor = Walker
'''

ENGINE = """\
from flows.walker import Result


class Runner:
    def run(self, start):
        return Result([start])


def build():
    return Runner()
"""


@pytest.fixture
def shop(repo: Any) -> Any:
    """A code base in which the new engine takes a type from the walker's module: a cycle, were the alias imported."""
    repo.files(
        {
            "graphlift.toml": TOML,
            ".gitignore": ".graphlift/\n__pycache__/\n",
            "flows/__init__.py": "from flows.walker import Executor, Result\n\n__all__ = ['Executor', 'Result']\n",
            "flows/walker.py": WALKER,
            "flows/engine.py": ENGINE,
            "shim.py": "from flows.walker import Walker as OldName  # noqa: F401\n",
        }
    )
    repo.commit()
    names = ("flows/walker.py", "flows/engine.py")
    files = {name: hashlib.sha256((repo.root / name).read_bytes()).hexdigest() for name in names}
    data = {
        "schema": 1,
        "verdict": "green",
        "cases": 4,
        "partial": False,
        "divergences": [],
        "evidence": {"files": files},
    }
    repo.files({".graphlift/parity.json": json.dumps(data)})
    return repo


def python(repo: Any, code: str) -> str:
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=repo.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("first", ["flows", "flows.walker", "flows.engine", "shim"])
def test_every_old_path_gives_one_object_whatever_is_imported_first(shop: Any, first: str) -> None:
    assert shop.run("retire", "--apply").code == 0
    code = f"""
import {first}
import flows, flows.walker, flows.engine, shim
found = {{flows.Executor, flows.walker.Executor, flows.walker.Walker, shim.OldName, flows.engine.Runner}}
print(len(found), flows.walker.Walker().run("a"))
try:
    flows.walker.Other
except AttributeError as error:
    print(error)
"""
    assert python(shop, code) == "1 Result(names=['a'])\nmodule 'flows.walker' has no attribute 'Other'"


def test_the_ratchet_is_armed_at_the_size_that_is_left(shop: Any) -> None:
    assert shop.run("retire", "--apply").code == 0
    size = len(shop.read("flows/walker.py").splitlines())
    assert f"{size} lines:flows/walker.py\n" in shop.read("ratchet.lock")
    shop.commit("retired")
    assert shop.run("ratchet", "--absolute").code == 0
    assert shop.run("ratchet", "prove").code == 0
    shop.git("switch", "--quiet", "--create", "relapse")
    shop.files({"flows/walker.py": WALKER})
    said = shop.run("ratchet", "--base", "main", "--format", "json")
    assert said.code == 1
    assert {finding["key"] for finding in said.json()["findings"]} == {"absent:flows.walker.Walker"}


def test_a_second_run_has_nothing_to_do(shop: Any) -> None:
    shop.run("retire", "--apply")
    said = shop.run("retire")
    assert (said.code, said.out) == (0, "flows.walker.Walker: is gone from flows/walker.py\nnothing to do\n")


def test_the_diff_is_what_git_applies(shop: Any, tmp_path: Any) -> None:
    patch = subprocess.run(
        [sys.executable, "-m", "graphlift.migrate", "retire", "--diff"], cwd=shop.root, capture_output=True
    )
    assert patch.returncode == 1
    (tmp_path / "retire.patch").write_bytes(patch.stdout)
    shop.git("apply", str(tmp_path / "retire.patch"))
    by_hand = {name: shop.read(name) for name in ("flows/walker.py", "ratchet.toml", "ratchet.lock")}
    shop.git("stash", "--include-untracked", "--quiet")
    assert shop.run("retire", "--apply").code == 0
    assert {name: shop.read(name) for name in by_hand} == by_hand


def test_undo_puts_every_byte_back(shop: Any) -> None:
    assert shop.run("retire", "--apply").code == 0
    assert shop.run("retire", "--undo").code == 0
    assert shop.git("status", "--porcelain") == ""
    assert not (shop.root / "ratchet.toml").exists()


def test_a_dirty_work_tree_is_refused(shop: Any) -> None:
    shop.files({"shim.py": "from flows.walker import Walker as OldName  # noqa: F401\nx = 1\n"})
    assert shop.run("retire", "--apply").code == 2
    assert shop.run("retire", "--apply", "--allow-dirty").code == 0


def test_refused_means_nothing_is_written(shop: Any) -> None:
    shop.files({"shim.py": "from flows.walker import Walker\n\nWalker().run('a')\n"})
    shop.commit()
    assert shop.run("retire", "--apply").code == 1
    assert shop.git("status", "--porcelain") == ""


def test_a_rule_of_the_team_is_used_and_a_stricter_cap_stays(shop: Any) -> None:
    rules = '# ours\n[[rule]]\nid = "ours"\nmetric = "lines"\npaths = ["flows/walker.py"]   # all of it\n'
    shop.files({"ratchet.toml": rules, "ratchet.lock": "7 lines:flows/walker.py\n"})
    shop.commit()
    assert shop.run("retire", "--apply").code == 0
    assert shop.read("ratchet.toml").startswith(rules)
    assert shop.read("ratchet.toml").count('metric = "lines"') == 1
    assert "7 lines:flows/walker.py\n" in shop.read("ratchet.lock")


def test_names_can_be_kept(shop: Any) -> None:
    assert "deque" not in _left(shop)
    assert "from collections import deque" in _left(shop, "--keep", "deque")


def _left(shop: Any, *more: str) -> str:
    shop.run("retire", "--apply", *more)
    text = shop.read("flows/walker.py")
    shop.run("retire", "--undo")
    return str(text)


def test_a_function_is_retired_like_a_class(repo: Any) -> None:
    repo.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "old.walk"\nto = "new.run"\n',
            "old.py": "import os\n\n\ndef walk():\n    return os\n\n\nx = 1\n",
            "new.py": "def run():\n    return 1\n",
        }
    )
    repo.commit()
    assert repo.run("retire", "--apply", "--force", "--reason", "test").code == 0
    assert repo.read("old.py") == "from new import run as walk  # noqa: F401\n\n\nx = 1\n"


def test_two_symbols_of_one_file(repo: Any) -> None:
    repo.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "old.A"\nto = "new.X"\n\n[[symbol]]\nlegacy = "old.B"\nto = "new.X"\n',
            "old.py": "import os\n\n\nclass A:\n    x = os\n\n\nclass B:\n    y = os\n\n\nz = 1\n",
            "new.py": "class X: ...\n",
        }
    )
    repo.commit()
    assert repo.run("retire", "--apply", "--force", "--reason", "test").code == 0
    assert python(repo, "import old, new; print(old.A is old.B is new.X, 'os' in vars(old))") == "True False"


def test_a_class_inside_a_block_is_not_called_gone(repo: Any) -> None:
    repo.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "old.A"\nto = "new.X"\n',
            "old.py": "if True:\n    class A:\n        pass\n",
            "new.py": "class X: ...\n",
        }
    )
    said = repo.run("retire")
    assert (said.code, said.error.splitlines()[0]) == (2, "old.py:2: old.A is not defined at the top level")


def test_the_evidence_is_recorded(shop: Any) -> None:
    assert shop.run("retire", "--apply").code == 0
    assert (
        '[[retired]]\nsymbol = "flows.walker.Walker"\ntarget = "flows.engine.Runner"\nverdict = "green"\ncases = 4\n'
        in (shop.read("ratchet.toml"))
    )


def test_a_forced_retirement_is_recorded_with_its_reason(shop: Any) -> None:
    shop.files({"flows/engine.py": ENGINE + "\n"})
    shop.commit()
    assert shop.run("retire", "--apply", "--force", "--reason", "the gate's host is down").code == 0
    record = shop.read("ratchet.toml").partition("[[retired]]")[2]
    assert 'verdict = "green"' in record
    assert 'forced = "the gate\'s host is down"\nmissing = ["parity"]\n' in record

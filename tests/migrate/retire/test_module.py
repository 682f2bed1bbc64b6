"""A module as the legacy symbol: its file becomes a shim, and every old path gives the one object."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

OLD = '''\
"""The walker, and what belongs to it."""

import os
from collections import deque

LIMIT = 3


class Walker:
    def run(self):
        return deque([os.sep])


def helper():
    return _inner()


def _inner():
    return 1
'''
NEW = "LIMIT = 3\n\n\nclass Walker:\n    pass\n\n\ndef helper():\n    return 2\n"
TOML = '[[symbol]]\nlegacy = "flows.walker"\nto = "flows.engine"\n'


@pytest.fixture
def shop(repo: Any) -> Any:
    """A module whose callers were rewritten; a re-export of another package still takes its old path."""
    repo.files(
        {
            "graphlift.toml": TOML,
            ".gitignore": ".graphlift/\n__pycache__/\n",
            "flows/__init__.py": "",
            "flows/walker.py": OLD,
            "flows/engine.py": NEW,
            "app.py": "from flows.engine import Walker, helper\n\n\ndef go():\n    return Walker(), helper()\n",
        }
    )
    repo.commit()
    report(repo)
    return repo


def report(repo: Any) -> None:
    names = ("flows/walker.py", "flows/engine.py")
    files = {name: hashlib.sha256((repo.root / name).read_bytes()).hexdigest() for name in names}
    data = {"schema": 1, "verdict": "green", "cases": 4, "partial": False, "divergences": []}
    repo.files({".graphlift/parity.json": json.dumps({**data, "evidence": {"files": files}})})


def missing(repo: Any) -> dict[str, list[str]]:
    said = repo.run("retire", "--format", "json")
    return {c["id"]: c["evidence"] for c in said.json()["symbols"][0]["conditions"] if not c["holds"]}


def test_the_file_becomes_a_shim(shop: Any) -> None:
    said = shop.run("retire", "--apply")
    assert said.code == 0
    assert "  shim:   LIMIT, Walker, helper of flows.engine\n  goes:   _inner\n" in said.out
    assert shop.read("flows/walker.py") == (
        '"""The old name of `flows.engine`, so that what imports it goes on working."""\n\n'
        'from flows.engine import LIMIT, Walker, helper\n\n__all__ = ["LIMIT", "Walker", "helper"]\n'
    )
    code = "import flows.engine as e, flows.walker as w; print(w.Walker is e.Walker, w.helper is e.helper)"
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=shop.root, capture_output=True, text=True)
    assert done.stdout == "True True\n", done.stderr


def test_it_is_armed_done_and_taken_back(shop: Any) -> None:
    assert shop.run("retire", "--apply").code == 0
    assert shop.run("ratchet", "--absolute").code == 0
    proofs = shop.run("ratchet", "prove", "--format", "json").json()["proofs"]
    assert {item["rule"]: item["outcome"] for item in proofs} == {
        "no-walker": "red", "walker-file": "red", "walker-references": "red",
    }  # fmt: skip
    assert shop.run("retire").out == "flows.walker: is gone from flows/walker.py\nnothing to do\n"
    report(shop)
    stages = shop.run("status", "--format", "json").json()["stages"]
    assert [stage["id"] for stage in stages if not stage["done"]] == []
    shop.commit("retired")
    shop.files({"flows/walker.py": shop.read("flows/walker.py") + "\n\ndef more():\n    return 1\n"})
    codes = {finding["key"] for finding in shop.run("ratchet", "--absolute", "--format", "json").json()["findings"]}
    assert codes == {"lines:flows/walker.py", "absent:flows.walker"}
    shop.git("checkout", "--quiet", ".")
    assert shop.run("retire", "--undo").code == 0
    assert shop.read("flows/walker.py") == OLD


def test_a_name_that_somebody_needs_and_the_new_module_lacks(shop: Any) -> None:
    shop.files(
        {"flows/engine.py": NEW.replace("helper", "other"), "shim.py": "from flows.walker import helper  # noqa\n"}
    )
    shop.commit()
    report(shop)
    assert missing(shop)["names"] == ["helper: needed by shim.py"]
    assert shop.run("retire", "--apply").code == 1


def test_a_name_that_nobody_needs_goes(shop: Any) -> None:
    shop.files({"flows/engine.py": NEW.replace("helper", "other"), "app.py": ""})
    shop.commit()
    report(shop)
    assert missing(shop) == {}
    assert shop.run("retire", "--format", "json").json()["symbols"][0]["goes"] == ["_inner", "helper"]


def test_what_it_exports_is_needed(shop: Any) -> None:
    shop.files({"flows/walker.py": OLD.replace("LIMIT = 3", 'LIMIT = 3\n__all__ = ["Walker", "gone"]')})
    report(shop)
    assert missing(shop) == {"names": ["gone: in `__all__`"]}


def test_a_private_name_that_is_taken(shop: Any) -> None:
    shop.files({"tests/test_inner.py": "from flows.walker import _inner\n\n\ndef test():\n    assert _inner() == 1\n"})
    assert missing(shop) == {"private-members": ["_inner: needed by tests/test_inner.py"]}


def test_a_live_reference(shop: Any) -> None:
    shop.files({"late.py": "import flows.walker\n\n\ndef go():\n    return flows.walker.helper()\n"})
    assert list(missing(shop)) == ["references"]


def test_a_new_module_that_needs_the_old_one(shop: Any) -> None:
    shop.files({"flows/engine.py": "from flows.walker import LIMIT\n" + NEW.replace("LIMIT = 3\n", "")})
    report(shop)
    assert missing(shop)["alias"] == ["it imports the old one: flows.engine -> flows.walker"]
    assert shop.run("retire", "--apply", "--force", "--reason", "now").code == 1


def test_a_new_module_that_is_not_there(shop: Any) -> None:
    shop.files({"graphlift.toml": TOML.replace("flows.engine", "flows.missing")})
    assert "alias" in missing(shop)
    shop.files({"graphlift.toml": '[[symbol]]\nlegacy = "flows.walker"\n'})
    assert list(missing(shop)) == ["alias"]


def test_a_package_with_modules_in_it_is_refused(shop: Any) -> None:
    shop.files({"graphlift.toml": '[[symbol]]\nlegacy = "flows"\nto = "other"\n', "flows/__init__.py": "x = 1\n"})
    said = shop.run("retire")
    assert (said.code, said.error.splitlines()[0]) == (2, "flows/__init__.py: flows is a package with modules in it")


def test_crlf_stays_crlf(shop: Any) -> None:
    shop.files({"flows/walker.py": OLD.replace("\n", "\r\n")})
    shop.commit()
    report(shop)
    assert shop.run("retire", "--apply").code == 0
    assert shop.read("flows/walker.py").count("\n") == shop.read("flows/walker.py").count("\r\n") > 4


def test_a_module_at_the_top(repo: Any) -> None:
    repo.files({"graphlift.toml": '[[symbol]]\nlegacy = "old"\nto = "new"\n', "old.py": "x = 1\n", "new.py": "x = 1\n"})
    repo.files({"app.py": "import new\n"})
    repo.commit()
    assert repo.run("retire", "--apply", "--force", "--reason", "test").code == 0
    assert repo.read("old.py").splitlines()[2] == "from new import x"
    assert repo.run("ratchet", "prove").code == 0

"""Webs and circles of names: what they lead to, and that a question costs what the web holds, not what its paths are."""

from __future__ import annotations

import ast

import pytest

from graphlift.migrate.ledger.exports import Exports, exports_of
from graphlift.migrate.ledger.layout import Layout
from graphlift.migrate.ledger.python import PythonFile
from graphlift.migrate.ledger.resolve import MAX_CHAIN, Resolver

LEGACY = {"legacy.py": "class Walker: ...\n"}
SYMBOL = "legacy.Walker"


class Counted:
    """A resolver over modules given as text, which counts how often it looks into one."""

    def __init__(self, files: dict[str, str]) -> None:
        files = {**LEGACY, **files}
        self.layout = Layout(files, ["."])
        self._read = {path: exports_of(ast.parse(text), path[:-3], "") for path, text in files.items()}
        self.steps = 0
        self.resolver = Resolver([SYMBOL], self.layout, self._exports)
        # Where the symbol itself comes from has been asked.
        self.steps = 0

    def _exports(self, module: str, _names: object) -> Exports | None:
        self.steps += 1
        path = self.layout.file(module)
        return self._read[path] if path else None

    def chain(self, name: str) -> tuple[str, ...] | None:
        found = self.resolver.resolve(name)
        return found.chain if found else None


def web(size: int, last: str = "") -> dict[str, str]:
    """Modules that all import everything from one another; the last one has something of its own too."""
    names = [f"m{index:03}" for index in range(size)]
    stars = {name: "".join(f"from {other} import *\n" for other in names if other != name) for name in names}
    return {f"{name}.py": text + last * (name == names[-1]) for name, text in stars.items()}


@pytest.mark.parametrize("size", [8, 40])
def test_a_web_of_stars_is_walked_once_for_all_its_modules(size):
    counted = Counted(web(size))
    for index in range(size):
        assert counted.chain(f"m{index:03}.Walker") is None
    # One look into each module, and one for each star, whoever asks first; then everything is known.
    assert counted.steps == size + size * (size - 1)


@pytest.mark.parametrize("size", [8, 40])
def test_a_name_that_a_web_of_stars_does_hold(size):
    counted = Counted(web(size, "from legacy import Walker\n"))
    for index in range(size):
        chain = counted.chain(f"m{index:03}.Walker")
        assert chain is not None
        assert chain[0] == f"m{index:03}.Walker"
        assert chain[-2:] == (f"m{size - 1:03}.Walker", SYMBOL)
        assert len(set(chain)) == len(chain)
    assert counted.steps <= 2 * size * size


def test_the_chain_through_a_large_web_is_short():
    size = MAX_CHAIN + 20
    counted = Counted(web(size, "from legacy import Walker\n"))
    assert counted.chain("m000.Walker") == ("m000.Walker", f"m{size - 1:03}.Walker", SYMBOL)


def test_a_long_chain_that_has_no_shorter_one_is_followed_to_its_end():
    size = 3 * MAX_CHAIN
    files = {f"m{index}.py": f"from m{index + 1} import *\n" for index in range(size)}
    counted = Counted({**files, f"m{size}.py": "from legacy import Walker\n"})
    assert counted.chain("m0.Walker") == (*(f"m{index}.Walker" for index in range(size + 1)), SYMBOL)


def bindings(size: int) -> dict[str, str]:
    names = [f"m{index}" for index in range(size)]
    return {
        f"{name}.py": "".join(f"import {other}\n" for other in names)
        + f"X = {' or '.join(f'{other}.X' for other in names if other != name)}\n"
        for name in names
    }


def test_bindings_that_all_lead_to_one_another():
    counted = Counted(bindings(12))
    assert [counted.chain(f"m{index}.X") for index in range(12)] == [None] * 12
    assert counted.steps < 12 * 12 * 12


def test_a_binding_that_grows_for_ever_is_given_up():
    counted = Counted({"tree.py": "import os\nnode = node.left or node.right\nnode = os.node\n"})
    assert counted.chain("tree.node") is None
    assert counted.steps < 1000


def test_a_binding_to_a_member_of_its_former_self():
    counted = Counted({"app.py": "import legacy\nlegacy = legacy.Walker\n"})
    assert counted.chain("app.legacy") == ("app.legacy", "app.legacy.Walker", SYMBOL)


def test_a_dead_end_in_a_circle_is_none_from_elsewhere():
    """`b` finds nothing while `a` is being asked for, since its only way leads back; asked by itself it does."""
    files = {
        "a.py": "from b import *\nfrom legacy import *\n",
        "b.py": "from c import *\n",
        "c.py": "from b import *\nfrom a import *\n",
    }
    for order in ("abc", "cba", "bac"):
        counted = Counted(files)
        found = {module: counted.chain(f"{module}.Walker") for module in order}
        assert found == {
            "a": ("a.Walker", SYMBOL),
            "b": ("b.Walker", "c.Walker", "a.Walker", SYMBOL),
            "c": ("c.Walker", "a.Walker", SYMBOL),
        }


def test_the_first_of_several_bindings_counts_and_none_of_them_is_certain():
    counted = Counted({"a.py": "from b import Walker\nfrom legacy import Walker\n", "b.py": "from legacy import *\n"})
    found = counted.resolver.resolve("a.Walker")
    assert found is not None
    assert (found.chain, found.certain) == (("a.Walker", "b.Walker", SYMBOL), False)


def test_names_of_one_file_that_are_all_bound_to_one_another(ledger_of, monkeypatch):
    """Every path through these bindings is some twelve factorial of them."""
    names = [f"n{index}" for index in range(12)]
    circle = "".join(f"{name} = {other}\n" for name in names for other in names if other != name)
    asked = []
    through = PythonFile._through

    def counted(self, binding, *arguments):
        asked.append(binding)
        return through(self, binding, *arguments)

    monkeypatch.setattr(PythonFile, "_through", counted)
    ledger = ledger_of({"user.py": f"from legacy import BFSWalker\n{circle}n3 = BFSWalker\nn0()\n"})
    call = ledger.in_file("user.py")[-1]
    assert (call.role, call.text, call.certain) == ("call", "n0", False)
    # Each question asks each of the bindings once; there are about two for each place where a name stands.
    assert len(asked) <= 2 * (circle.count("\n") + 2) * (circle.count("n") + 2)

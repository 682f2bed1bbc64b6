"""Private members of a symbol, used from outside it."""

from __future__ import annotations

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"


def members(ledger, path):
    return [(each.line, each.text, each.certain) for each in ledger.in_file(path) if each.role == "private-member"]


def test_an_instance_is_followed_through_assignments_and_annotations(ledger_of):
    source = IMPORT + (
        "class Wrapper:\n"
        "    walker: BFSWalker\n"
        "    def __init__(self, given: BFSWalker | None = None):\n"
        "        self.own = given or BFSWalker()\n"
        "        other = self.own\n"
        "        other._step()\n"
        "    async def run(self):\n"
        "        self.walker._step()\n"
        "        with BFSWalker() as w:\n"
        "            w._step()\n"
        "        BFSWalker()._step()\n"
    )
    ledger = ledger_of({"app/user.py": source})
    assert members(ledger, "app/user.py") == [(line, "_step", True) for line in (7, 9, 11, 12)]


def test_a_subclass_relies_on_what_it_overrides_and_calls(ledger_of):
    source = IMPORT + (
        "class Slow(BFSWalker):\n"
        "    def _step(self): return super()._step()\n"
        "    def more(self): return self._step, self._own\n"
        "    def _own(self): ...\n"
        "Slow()._step()\n"
    )
    ledger = ledger_of({"app/user.py": source})
    assert members(ledger, "app/user.py") == [(line, "_step", True) for line in (3, 3, 4, 6)]


def test_what_is_asked_of_an_unknown_object_may_depend(ledger_of):
    ledger = ledger_of({"app/user.py": "def f(engine):\n    engine._step()\n    patch.object(engine, '_step')\n"})
    assert members(ledger, "app/user.py") == [(2, "_step", False), (3, "'_step'", False)]
    assert all("may depend" in each.reason for each in ledger.in_file("app/user.py"))


def test_a_name_that_another_class_defines_says_nothing(ledger_of):
    other = "class Other:\n    def _step(self): ...\n"
    ledger = ledger_of({"app/other.py": other, "app/user.py": "def f(engine): engine._step()\n"})
    assert members(ledger, "app/user.py") == []


def test_members_of_something_else_are_not_reported(ledger_of):
    source = IMPORT + "w = BFSWalker()\nother = Other()\nother._thing()\nw.run()\nw.__class__\n[w._step for w in xs]\n"
    ledger = ledger_of({"app/user.py": source, "app/x.py": "class X:\n    def _step(self): ...\n"})
    assert members(ledger, "app/user.py") == []


def test_the_symbols_own_class_may_use_its_members(ledger_of):
    walker = "class BFSWalker:\n    def _step(self): ...\n    def run(self): self._step(); BFSWalker()._step()\n"
    assert members(ledger_of({"legacy/walker.py": walker}), "legacy/walker.py") == []


@pytest.mark.parametrize(
    "code",
    [
        "methodcaller('_step', 1)(thing)",
        "attrgetter('walker._step')(thing)",
        "vars(thing)['_step']",
        "thing.__dict__['_step']",
        "vars(thing).get('_step')",
        "object.__getattribute__(thing, '_step')",
        "HOOKS = {'first': '_step'}",
    ],
)
def test_a_string_that_is_a_private_members_name_may_depend(ledger_of, code):
    (found,) = ledger_of({"app/use.py": f"{code}\n"}).in_file("app/use.py")
    assert (found.role, found.fate, found.certain) == ("private-member", "flag", False)


@pytest.mark.parametrize("code", ["vars(w)['_step']", "attrgetter('_step')(w)", "w.__getattribute__('_step')"])
def test_a_string_asked_of_an_instance_is_certain(ledger_of, code):
    other = "class Other:\n    def _step(self): ...\n"
    text = f"from legacy.walker import BFSWalker\nw = BFSWalker(1)\n{code}\n"
    found = [
        each for each in ledger_of({"app/use.py": text, "app/other.py": other}).in_file("app/use.py") if each.line == 3
    ]
    assert [(each.role, each.certain) for each in found] == [("private-member", True)]


def test_in_a_configuration_it_may_depend_where_the_name_is_of_several_words(ledger_of):
    walker = "class BFSWalker:\n    def _execute_node(self): ...\n    def _step(self): ...\n"
    files = {"legacy/walker.py": walker, "flows.yaml": "a: _execute_node\nb: _step\n", "notes.md": "_execute_node\n"}
    found = ledger_of(files).references
    assert [(each.file, each.line) for each in found if each.role == "private-member"] == [("flows.yaml", 1)]


def test_an_alias_in_a_classs_body_hides_no_use_of_a_private_member(ledger_of):
    text = (
        "from legacy.walker import BFSWalker\n\nclass Api:\n    engine = BFSWalker\n\n"
        "    def __init__(self):\n        self._runtime = self.engine(1)\n\n    def go(self):\n        return self._runtime._step()\n"
    )
    found = [each for each in ledger_of({"app/api.py": text}).in_file("app/api.py") if each.role == "private-member"]
    assert [(each.line, each.certain) for each in found] == [(10, True)]

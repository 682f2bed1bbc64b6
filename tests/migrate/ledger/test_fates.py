"""What becomes of each reference, and in which context it stands."""

from __future__ import annotations

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"
ARGUMENTS = {
    "legacy": "legacy.walker.BFSWalker", "called": "flows.build", "type": "flows.Runner",
    "arguments": {"rename": {"depth": "limit"}, "drop": ["trace"]},
}  # fmt: skip
MOVED = {"legacy": "legacy.walker.BFSWalker", "to": "flows.Walker"}
BARE = {"legacy": "legacy.walker.BFSWalker"}


def fates(ledger, path="app/user.py"):
    return [(each.role, each.fate) for each in ledger.in_file(path)]


def test_a_call_goes_to_its_target_and_an_import_with_its_last_use(ledger_of):
    ledger = ledger_of({"app/user.py": IMPORT + "BFSWalker(1)\n"})
    assert [(each.fate, each.reason) for each in ledger.in_file("app/user.py")] == [
        ("rewrite", "every use of the name is rewritten"), ("rewrite", "becomes flows.engine.build_graph")
    ]  # fmt: skip


def test_an_import_stays_for_a_use_that_stays(ledger_of):
    ledger = ledger_of({"app/user.py": IMPORT + "BFSWalker(1)\nclass S(BFSWalker): ...\n"})
    assert [(each.fate, each.reason) for each in ledger.in_file("app/user.py")] == [
        ("keep", "still used by 1 place that stays"),
        ("rewrite", "becomes flows.engine.build_graph"),
        ("flag", "a subclass relies on the class as it is"),
    ]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("BFSWalker(depth=3, trace=True)", "becomes flows.build"),
        ("BFSWalker(*xs)", "the call unpacks positional arguments, which cannot be read"),
        ("BFSWalker(**o)", "the call unpacks keyword arguments, which cannot be read"),
        ("BFSWalker(trace=log())", "trace= would be dropped, but its value is not a literal"),
        ("partial(BFSWalker, **o)", "the call unpacks keyword arguments, which cannot be read"),
    ],
)
def test_arguments_that_cannot_be_adapted_flag_the_call(ledger_of, call, reason):
    ledger = ledger_of({"app/user.py": IMPORT + call + "\n"}, symbols=(ARGUMENTS,))
    assert ledger.in_file("app/user.py")[-1].reason == reason


def test_a_symbol_that_only_moved_is_rewritten_in_every_role(ledger_of):
    source = IMPORT + "class S(BFSWalker): ...\nf(BFSWalker)\nisinstance(x, BFSWalker)\nBFSWalker.run\n"
    assert {fate for _, fate in fates(ledger_of({"app/user.py": source}, symbols=(MOVED,)))} == {"rewrite"}


def test_without_a_target_nothing_is_rewritten(ledger_of):
    source = IMPORT + "def f(w: BFSWalker): return BFSWalker()\n"
    assert fates(ledger_of({"app/user.py": source}, symbols=(BARE,))) == [
        ("import", "keep"), ("annotation", "flag"), ("call", "flag")
    ]  # fmt: skip


def test_a_name_with_another_binding_is_flagged(ledger_of):
    source = "try:\n    from legacy.walker import BFSWalker\nexcept ImportError:\n    from other import BFSWalker\nBFSWalker()\n"
    call = ledger_of({"app/user.py": source}).in_file("app/user.py")[-1]
    assert (call.role, call.fate, call.certain) == ("call", "flag", False)
    assert call.reason == "the name has another binding too, so it may mean something else"


def test_the_definition_refers_to_itself_without_being_live(ledger_of):
    walker = "class BFSWalker:\n    def copy(self): return BFSWalker()\n\nWalker = BFSWalker\n"
    ledger = ledger_of({"legacy/walker.py": walker})
    assert [(each.role, each.inside) for each in ledger.in_file("legacy/walker.py")] == [
        ("definition", False), ("call", True), ("definition", False), ("alias", False)
    ]  # fmt: skip
    assert ledger.live() == ()


@pytest.mark.parametrize(
    "guard",
    [
        "assert not hasattr(legacy, 'BFSWalker')\n",
        "assert 'BFSWalker' not in source\n",
        "assert getattr(legacy, 'BFSWalker', None) is None\n",
        "with pytest.raises(ImportError):\n    from legacy.walker import BFSWalker\n",
        "with pytest.raises(AttributeError):\n    legacy.BFSWalker\n",
        "class T(TestCase):\n    def test(self): self.assertNotIn('BFSWalker', source)\n",
    ],
)
def test_a_guard_checks_that_the_name_is_gone(ledger_of, guard):
    ledger = ledger_of({"tests/test_gone.py": "import legacy\n" + guard})
    assert {
        (each.context, each.fate) for each in ledger.in_file("tests/test_gone.py") if each.role != "module-import"
    } == {("guard", "keep")}
    assert ledger.unexplained == ()


@pytest.mark.parametrize(
    "use",
    [
        "assert not BFSWalker(1).failed\n",
        "with pytest.raises(AttributeError):\n    BFSWalker(1).gone\n",
        "with pytest.raises(ValueError):\n    BFSWalker(1)\n",
    ],
)
def test_an_assertion_about_an_instance_is_no_guard(ledger_of, use):
    ledger = ledger_of({"tests/test_it.py": IMPORT + use})
    assert {each.context for each in ledger.in_file("tests/test_it.py")} == {"test"}


def test_contexts(ledger_of):
    ledger = ledger_of(
        {
            "app/live.py": IMPORT + "BFSWalker()\n",
            "app/test_live.py": IMPORT + "BFSWalker()\n",
            "tests/helpers.py": IMPORT + "BFSWalker()\n",
            "app/shim.py": '"""Moved."""\n' + IMPORT + "Old = BFSWalker\n__all__ = ['BFSWalker', 'Old']\n",
        }
    )
    contexts = {each.file: each.context for each in ledger.references}
    assert contexts == {
        "app/live.py": "live", "app/test_live.py": "test", "tests/helpers.py": "test", "app/shim.py": "shim",
        "legacy/__init__.py": "shim", "legacy/walker.py": "live",
    }  # fmt: skip
    assert [each.file for each in ledger.live()] == ["app/live.py", "app/live.py"]


def test_a_reference_inside_the_definition_of_its_target_is_flagged(ledger_of):
    source = (
        "from legacy.walker import BFSWalker\n"
        "def build_graph(n):\n    '''Like BFSWalker.'''\n    return BFSWalker(n)\n"
        "class GraphRunner(BFSWalker): ...\ndef f(): return BFSWalker(1)\n"
    )
    ledger = ledger_of({"flows/__init__.py": "", "flows/engine.py": source})
    assert [(each.role, each.fate, each.own_target) for each in ledger.in_file("flows/engine.py")] == [
        ("import", "keep", ""),
        ("prose", "keep", ""),
        ("call", "flag", "flows.engine.build_graph"),
        ("subclass", "flag", "flows.engine.GraphRunner"),
        ("call", "rewrite", ""),
    ]
    inside = "inside the definition of its own target flows.engine.GraphRunner, which would come to refer to itself"
    assert ledger.in_file("flows/engine.py")[3].reason == inside

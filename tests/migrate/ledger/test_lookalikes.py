"""What reads like the symbol and is not it: no reference, and an explanation for each place."""

from __future__ import annotations

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"

LOOKALIKES = [
    ("longer names", "class IBFSWalker: ...\nStreamingBFSWalker()\nBFSWalkers = 1\n", {"a longer name"}),
    ("a class of its own", "class BFSWalker: ...\nBFSWalker()\n", {"another class of this name: app.user.BFSWalker", "another class of this name"}),
    ("a function", "def BFSWalker(): ...\n", {"another function of this name: app.user.BFSWalker"}),
    ("a class in a function", "def f():\n    class BFSWalker: ...\n    return BFSWalker()\n", {"another class of this name: app.user.f.BFSWalker", "another class of this name"}),
    ("a parameter", "def f(BFSWalker): return BFSWalker()\n", {"a parameter"}),
    ("a lambda's parameter", "f = lambda BFSWalker: BFSWalker()\n", {"a parameter"}),
    ("a local variable", "def f():\n    BFSWalker = 1\n    return BFSWalker\n", {"a local variable"}),
    ("a module's variable", "BFSWalker = object()\nBFSWalker\n", {"a module variable"}),
    ("a comprehension's variable", "[BFSWalker for BFSWalker in xs]\n", {"a local variable"}),
    ("a walrus", "if (BFSWalker := f()): print(BFSWalker)\n", {"a module variable"}),
    ("an exception's name", "try: ...\nexcept E as BFSWalker: BFSWalker\n", {"a local name", "a module variable"}),
    ("a pattern's name", "match x:\n    case [BFSWalker]: BFSWalker\n    case {**BFSWalker}: ...\n    case K(BFSWalker=1): ...\n", {"a local name", "a module variable", "an attribute's name in a pattern"}),
    ("a keyword", "f(BFSWalker=1)\n", {"a keyword argument's name"}),
    ("another module's class", "from other.walker import BFSWalker\nBFSWalker()\n", {"another object: other.walker.BFSWalker"}),
    ("another module's attribute", "import other.walker as ow\now.BFSWalker()\n", {"another object: other.walker.BFSWalker"}),
    ("another class under the name", "from other import X as BFSWalker\nBFSWalker()\n", {"another object: other.X"}),
    ("a method", "class K:\n    def BFSWalker(self): ...\n    def g(self): self.BFSWalker()\n", {"another function of this name: app.user.K.BFSWalker", "an attribute of another object: self.BFSWalker"}),
    ("a string path elsewhere", "patch('other.walker.BFSWalker')\n", {"the path of another object: other.walker.BFSWalker"}),
    ("a quoted annotation", "class BFSWalker: ...\ndef f(x: 'BFSWalker'): ...\n", {"another class of this name: app.user.BFSWalker", "a name bound to something else here"}),
    ("a global", "BFSWalker = 1\ndef f():\n    global BFSWalker\n    BFSWalker = 2\n", {"a global or nonlocal statement", "a module variable"}),
    ("a comment on its own class", "class BFSWalker: ...  # BFSWalker\n", {"another class of this name: app.user.BFSWalker", "another object in a comment: BFSWalker"}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "reasons"), [form[1:] for form in LOOKALIKES], ids=[form[0] for form in LOOKALIKES])
def test_a_lookalike(ledger_of, source, reasons):
    ledger = ledger_of({"app/user.py": source})
    assert ledger.in_file("app/user.py") == ()
    assert {each.reason for each in ledger.lookalikes if each.file == "app/user.py"} == reasons
    assert ledger.unexplained == ()


def test_a_package_of_a_similar_name_is_another(ledger_of):
    ledger = ledger_of(
        {"walkers/__init__.py": "class BFSWalker: ...\n", "app/user.py": "from walkers import BFSWalker\nBFSWalker()\n"}
    )
    assert ledger.in_file("app/user.py") == ()
    assert ledger.unexplained == ()


@pytest.mark.parametrize(
    ("source", "place", "reason"),
    [
        ("BFSWalker()\n", (1, 1), "the name is not bound in this file"),
        ("def f(x: 'BFSWalker'): ...\n", (1, 11), "the name in this quoted annotation is not bound in this file"),
        ("from legacy.other import BFSWalker\n", (1, 26), "legacy.other defines no BFSWalker"),
    ],
)
def test_what_nothing_explains_is_listed(ledger_of, source, place, reason):
    ledger = ledger_of({"legacy/other.py": "", "app/user.py": source})
    assert [(each.line, each.column, each.reason) for each in ledger.unexplained] == [(*place, reason)]
    assert not ledger.is_complete
